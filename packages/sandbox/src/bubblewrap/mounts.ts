/**
 * Returns the arguments of bubblewrap that build the file system of a sandboxed program. This file system has an
 * empty read-only root. Files and folders of the host are mounted in it at their own paths. If such a path leads
 * through symbolic links, the links are created too, so that the path has the same meaning inside as outside. A path
 * inside a mounted folder needs no mount of its own. If Assay itself is installed inside a mounted folder, an empty
 * folder is mounted over it.
 */
import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import { openArguments, openPaths, OWN_PACKAGES, type AccountsAt } from './agent-mounts.ts'
import { SandboxError, type SharedFolder } from '../sandbox.ts'
import { folderArguments, isFolder } from './shared.ts'

/** The system's libraries, including those of Python and of compilers. Every program sees them. */
const LIBRARIES = ['/usr/lib', '/usr/lib64', '/lib', '/lib64', '/etc/ld.so.cache']
const PROGRAMS = ['/usr/bin', '/usr/libexec', '/bin', '/etc/alternatives']
const HIDDEN = ['/usr/lib/node_modules', '/usr/lib64/node_modules']
/**
 * `/dev/zero` is left out, because a program could allocate memory through it (a shared mapping) that no limit
 * counts.
 */
const DEVICES = ['/dev/null', '/dev/urandom']
const SCRATCH = '/scratch'

/** The number of links that Linux follows before it reports an error. */
const MOST_LINKS = 40

export interface Shown {
  /** Files and folders of the host that the program may read. Each must exist. */
  readonly reads: readonly string[]
  /** Folders in `reads` whose content is hidden from an agent. */
  readonly hides?: readonly string[]
  /** Whether the program sees the programs of the system too, such as a shell. */
  readonly system: boolean
  readonly scratchBytes: number
  readonly self?: string
  readonly folders?: readonly SharedFolder[]
  readonly cwd?: string
  /** The descriptors of the agent's user accounts. Set only for an agent (a program with `open`). */
  readonly accountsAt?: AccountsAt
}

interface Found {
  readonly bound: Set<string>
  readonly links: Map<string, string>
}

export function mountsArguments(shown: Shown): string[] {
  const { reads, hides = [], system, scratchBytes, accountsAt, folders = [] } = shown
  const found: Found = { bound: new Set(), links: new Map() }
  if (accountsAt !== undefined) for (const path of openPaths()) follow(path, found)
  else
    for (const path of [...LIBRARIES, ...(system ? PROGRAMS : [])])
      if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) follow(path, found)
  for (const path of reads) follow(path, found)
  if (accountsAt === undefined) {
    const { after } = folderArguments(folders, found, null)
    const cwd = shown.cwd ?? (scratchBytes > 0 ? SCRATCH : '/')
    const args = [...mountArguments(found, HIDDEN), ...strictArguments(shown), ...after]
    return [...args, '--chdir', cwd, '--remount-ro', '/']
  }
  const cwd = shown.cwd ?? '/'
  const { before, after } = folderArguments(folders, found, cwd)
  return [
    // The agent's own `/tmp` is mounted first. Paths that the agent reads may be inside the machine's `/tmp`, and a
    // later mount of `/tmp` would hide them.
    ...[...openArguments(accountsAt, scratchBytes), ...before],
    ...[...mountArguments(found, [...OWN_PACKAGES, ...hides]), ...after],
    ...['--chdir', cwd, '--remount-ro', '/'],
  ]
}

/** Mounts the devices and the scratch folder, and creates the link to the program itself. */
const strictArguments = ({ scratchBytes, self }: Shown): string[] => [
  ...['--perms', '0755', '--dir', '/dev'],
  ...DEVICES.flatMap((device) => ['--dev-bind-try', device, device]),
  // `/dev/random` is a link to `/dev/urandom`: the kernel treats the two alike, and a link is a quarter of a
  // millisecond faster than another mount.
  ...['--symlink', 'urandom', '/dev/random'],
  ...(self === undefined
    ? []
    : [
        ...['--perms', '0755', '--dir', '/proc', '--perms', '0755', '--dir', '/proc/self'],
        ...['--symlink', self, '/proc/self/exe'],
      ]),
  ...(scratchBytes === 0
    ? []
    : ['--perms', '1777', '--size', String(scratchBytes), '--tmpfs', SCRATCH]),
]

/** Finds every symbolic link in a path, and the file or folder that the path leads to. */
function follow(path: string, { bound, links }: Found): void {
  if (!isAbsolute(path))
    throw new SandboxError(`the sandbox shows absolute paths only, not "${path}"`)
  let at = '/'
  let followed = 0
  const rest = path.split('/')
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      at = dirname(at)
      continue
    }
    const next = within(at, part)
    const target = linkTarget(next, path)
    if (target === null) {
      at = next
      continue
    }
    if (++followed > MOST_LINKS)
      throw new SandboxError(`cannot show ${path}: its links go in circles`)
    links.set(next, target)
    rest.unshift(...target.split('/'))
    if (isAbsolute(target)) at = '/'
  }
  if (at === '/')
    throw new SandboxError(`the sandbox does not show the whole file system ("${path}")`)
  bound.add(at)
}

const within = (folder: string, name: string): string => `${folder === '/' ? '' : folder}/${name}`

function linkTarget(path: string, asked: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' || code === 'ENOTDIR' ? 'there is no such file' : String(code)
    throw new SandboxError(`cannot show ${asked} in the sandbox: ${why}`, { cause: error })
  }
}

/** Converts the paths to arguments, shortest path first, so that a folder is mounted before its content. */
function mountArguments({ bound, links }: Found, hideable: readonly string[]): string[] {
  const hidden = hideable.filter((path) => !bound.has(path) && !links.has(path) && isFolder(path))
  const entries = [...bound, ...links.keys(), ...hidden].sort((a, b) => a.length - b.length)
  const mounts = new Set<string>()
  const covers = new Set<string>()
  const folders = new Set<string>()
  const args: string[] = []
  /** Whether the path is already visible inside with the content that it has on the host. */
  const isShown = (path: string): boolean => {
    for (let at = path; at !== '/'; at = dirname(at)) {
      if (mounts.has(at)) return true
      if (covers.has(at)) return false
    }
    return false
  }
  const addFolder = (path: string): void => {
    if (path === '/' || folders.has(path) || covers.has(path)) return
    addFolder(dirname(path))
    folders.add(path)
    // Without this, bubblewrap would create the folder itself, but other users could not read it.
    args.push('--perms', '0755', '--dir', path)
  }
  for (const path of entries) {
    if (hidden.includes(path)) {
      if (!isShown(path)) continue
      covers.add(path)
      args.push('--perms', '0755', '--tmpfs', path)
      continue
    }
    if (isShown(path)) continue
    addFolder(dirname(path))
    const target = links.get(path)
    if (target === undefined) {
      mounts.add(path)
      args.push('--ro-bind', path, path)
    } else args.push('--symlink', target, path)
  }
  return [...args, ...[...covers].flatMap((path) => ['--remount-ro', path])]
}
