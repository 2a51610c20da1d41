/**
 * Folders that a program may write to, as arguments of bubblewrap. What an earlier program left in one may
 * be a trap for whoever mounts something inside it: a link on the way leads out. So nothing is mounted in
 * the folder that the program works in, whose content counts. In the others (a home, a folder for temporary
 * files) there may be what it reads, because that lies at such a path on the machine too; the way to it is
 * cleared before. Nobody who could lay another trap runs then.
 */
import { chmodSync, lstatSync, rmSync } from 'node:fs'
import { dirname, isAbsolute, join, normalize, relative } from 'node:path'
import { SandboxError, type SharedFolder } from '../sandbox.ts'

/** What of the machine the program sees, at its own path. */
export interface Seen {
  readonly bound: ReadonlySet<string>
  readonly links: ReadonlyMap<string, string>
}

/** Where programs find what the sandbox itself puts there. */
const TAKEN = ['/dev', '/proc', '/etc', '/scratch']

interface FolderArguments {
  /** Before all that is seen, some of which is mounted inside. */
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Throws where one is no folder, or has no place. `cwd`: null for a program without anything else inside. */
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

/** Makes each step on the way to a path in the folder one that can be taken, and its end free. */
function clearWay(folder: string, path: string, end: 'folder' | 'file' | 'link'): void {
  const steps = path.split('/')
  for (const index of steps.keys()) {
    const at = join(folder, ...steps.slice(0, index + 1))
    const kind = index === steps.length - 1 ? end : 'folder'
    // What is bound there later covers an empty place that the program before it had; a link is made anew.
    const state = stateOf(at)
    const isRight =
      (kind === 'folder' && state?.isDirectory()) || (kind === 'file' && state?.isFile())
    if (isRight === true && kind === 'folder') makeEnterable(at)
    else if (isRight !== true) rmSync(at, { recursive: true, force: true })
  }
}

/** A program that closed its own folder would else keep the next one from being started. */
function makeEnterable(folder: string): void {
  const { mode } = lstatSync(folder)
  if ((mode & OWNERS) !== OWNERS) chmodSync(folder, (mode & 0o7777) | OWNERS)
}

const OWNERS = 0o700

const isWithin = (path: string, folder: string): boolean => `${path}/`.startsWith(`${folder}/`)

/** The folder and those above it, open to all users. */
const folderPath = (path: string): string[] =>
  path === '/' ? [] : [...folderPath(dirname(path)), '--perms', '0755', '--dir', path]

const kindOf = (path: string): 'folder' | 'file' => (isFolder(path) ? 'folder' : 'file')

export const isFolder = (path: string): boolean => stateOf(path)?.isDirectory() ?? false

function stateOf(path: string): ReturnType<typeof lstatSync> | null {
  try {
    return lstatSync(path)
  } catch {
    // Not there, or in a folder that is closed to us.
    return null
  }
}
