/**
 * Converts the folders that a program may write to (its shared folders) into arguments of bubblewrap. The danger is
 * symbolic links: an earlier program may have left one in a shared folder, and a mount on that link would end up
 * outside the folder.
 *
 * Nothing is ever mounted inside the folder that the program works in, because the content of that folder must not
 * change. In the other shared folders (a home, a folder for temporary files), files that the program reads may be
 * mounted, if they have such a path on the machine. Links on the way to a mount are removed first. No program runs at
 * that time that could add new links.
 */
import { chmodSync, lstatSync, rmSync } from 'node:fs'
import { dirname, isAbsolute, join, normalize, relative } from 'node:path'
import { SandboxError, type SharedFolder } from '../sandbox.ts'

/** The paths of the machine that the program sees. */
export interface Seen {
  readonly bound: ReadonlySet<string>
  readonly links: ReadonlyMap<string, string>
}

/** Paths that the sandbox itself uses, so no shared folder may be there. */
const TAKEN = ['/dev', '/proc', '/etc', '/scratch']

interface FolderArguments {
  /**
   * Arguments that must come before the mounts of the machine's paths. Some of these paths are inside a shared folder.
   * If that folder were mounted later, it would hide them.
   */
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/**
 * Returns the arguments for shared folders. Throws if a path is not a folder or conflicts with another path. `cwd` is
 * the folder that the program works in. A shared folder that does not contain `cwd` may have other mounts inside it. If
 * `cwd` is null, no shared folder may.
 */
export function folderArguments(
  folders: readonly SharedFolder[],
  { bound, links }: Seen,
  cwd: string | null,
): FolderArguments {
  const seen = [...bound, ...links.keys()]
  const before: string[] = []
  const after: string[] = []
  for (const [index, { from, at }] of folders.entries()) {
    if (!isAbsolute(at) || at === '/' || normalize(at) !== at || at.endsWith('/'))
      throw new SandboxError(`the sandbox shares folders at plain absolute paths, not at "${at}"`)
    if (!isAbsolute(from) || !isFolder(from))
      throw new SandboxError(
        `the sandbox shares folders, and "${from}" is none that this user can see`,
      )
    const others = [...TAKEN, ...folders.slice(0, index).map((one) => one.at)]
    const inside = seen.filter((path) => path !== at && isWithin(path, at))
    const holds = cwd !== null && !isWithin(cwd, at)
    const conflict =
      others.find((path) => isWithin(path, at) || isWithin(at, path)) ??
      seen.find((path) => isWithin(at, path)) ??
      (holds ? undefined : inside[0])
    if (conflict !== undefined)
      throw new SandboxError(
        `the sandbox cannot share a folder at ${at}: the program is to see ${conflict} of this machine, too. Move that elsewhere.`,
      )
    makeEnterable(from)
    for (const path of inside)
      clearWay(from, relative(at, path), links.has(path) ? 'link' : kindOf(path))
    ;(holds ? before : after).push(...folderPath(dirname(at)), '--bind', from, at)
  }
  return { before, after }
}

/**
 * Makes sure that each part of a path inside the folder is a folder, and that something can be mounted at its
 * last part.
 */
function clearWay(folder: string, path: string, end: 'folder' | 'file' | 'link'): void {
  const steps = path.split('/')
  for (const index of steps.keys()) {
    const at = join(folder, ...steps.slice(0, index + 1))
    const kind = index === steps.length - 1 ? end : 'folder'
    // The mount for an earlier program may have left an empty file or folder here. The next mount can use it. A link
    // cannot be reused and is created again.
    const state = stateOf(at)
    const isRight =
      (kind === 'folder' && state?.isDirectory()) || (kind === 'file' && state?.isFile())
    if (isRight === true && kind === 'folder') makeEnterable(at)
    else if (isRight !== true) rmSync(at, { recursive: true, force: true })
  }
}

/**
 * Makes the folder accessible to its owner. A program may have removed the permissions of its own folder, and the
 * next program could then not start.
 */
function makeEnterable(folder: string): void {
  const { mode } = lstatSync(folder)
  if ((mode & OWNERS) !== OWNERS) chmodSync(folder, (mode & 0o7777) | OWNERS)
}

const OWNERS = 0o700

const isWithin = (path: string, folder: string): boolean => `${path}/`.startsWith(`${folder}/`)

/** Returns arguments that create the folder and those above it, readable by all users. */
const folderPath = (path: string): string[] =>
  path === '/' ? [] : [...folderPath(dirname(path)), '--perms', '0755', '--dir', path]

const kindOf = (path: string): 'folder' | 'file' => (isFolder(path) ? 'folder' : 'file')

export const isFolder = (path: string): boolean => stateOf(path)?.isDirectory() ?? false

function stateOf(path: string): ReturnType<typeof lstatSync> | null {
  try {
    return lstatSync(path)
  } catch {
    // The path does not exist, or is in a folder that we cannot read.
    return null
  }
}
