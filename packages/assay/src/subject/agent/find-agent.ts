/**
 * Where an agent's program is, and what it needs to be shown of this machine: inside of the sandbox it sees
 * only what is listed. A package from npm lies in a node_modules with all that it imports; a script for Node
 * needs a Node; a binary may have parts beside it. What lies where the system's own programs do is there anyway.
 * A shim of a version manager is no program: it looks for the real one all over the user's home, which is not
 * there inside.
 */
import { closeSync, openSync, readSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { UsageError } from '@assay/contract'
import { findProgram, isProgram } from '@assay/sandbox'

export interface FoundProgram {
  /** The program with what must stand before its arguments: its interpreter. Absolute paths. */
  readonly argv: readonly [string, ...string[]]
  /** Files and folders that it must be able to read. */
  readonly reads: readonly string[]
}

/** What every sandbox shows. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64']

/** A program by its name on the PATH, or by its place; throws a `UsageError` where there is none. */
export function findAgent(
  wanted: {
    readonly id: string
    readonly program: string
    readonly install?: string
    /** It is a file of the user's own, among others that are nobody's business: it alone is shown. */
    readonly isAlone?: boolean
  },
  path = process.env['PATH'] ?? '',
): FoundProgram {
  const { id, program, install } = wanted
  const isPlace = program.includes('/') || program.includes(sep)
  const found = isPlace ? resolve(program) : findReal(program, path)
  if (found === null || !isProgram(found)) {
    const where = isPlace
      ? `no program at ${found ?? program}`
      : `no program "${program}" on the PATH`
    const how =
      install === undefined
        ? ''
        : `. Install it (${install}), or say where it is: program = "…" of the subject in assay.toml`
    throw new UsageError(`${id}: there is ${where}${how}`)
  }
  const manager = managerOf(found)
  if (manager !== null)
    throw new UsageError(
      `${id}: ${found} is a shim of ${manager}, which cannot run in a workspace; give the real program (${manager} which ${basename(program)})`,
    )
  return withParts(realpathSync(found), path, wanted.isAlone ?? false)
}

/** The first on the PATH that is no shim; where there are only shims, the first of them. */
function findReal(program: string, path: string): string | null {
  const folders = path.split(delimiter)
  const real = folders.filter((folder) => managerOf(join(folder, program)) === null)
  return findProgram(program, real.join(delimiter)) ?? findProgram(program, path)
}

const SHIM = /\/\.?(pyenv|rbenv|nodenv|asdf|mise)\/shims\/|\/\.(volta)\/bin\//u

/** Whose shim it is, perhaps behind a link; null where it is none, or nothing at all. */
function managerOf(place: string): string | null {
  if (!isProgram(place)) return null
  const [, manager, other] = SHIM.exec(place) ?? SHIM.exec(realpathSync(place)) ?? []
  return manager ?? other ?? null
}

function withParts(real: string, path: string, isAlone: boolean): FoundProgram {
  const reads = isAlone ? [real] : partsOf(real)
  if (!isNodeScript(real)) return { argv: [real], reads }
  const node = realpathSync(nodeOn(path))
  return {
    argv: [node, real],
    reads: [...new Set([...reads, ...installationOf(node)])],
  }
}

function nodeOn(path: string): string {
  const found = findReal('node', path)
  return found === null || managerOf(found) !== null ? process.execPath : found
}

function partsOf(real: string): string[] {
  if (isSystem(real)) return []
  if (basename(real) === 'node') return installationOf(real)
  const at = real.split(sep).indexOf('node_modules')
  if (at > 0)
    return [
      real
        .split(sep)
        .slice(0, at + 1)
        .join(sep),
    ]
  return [folderOf(real)]
}

/** The folder of a program, but never one that holds everything the user has. */
function folderOf(real: string): string {
  const folder = dirname(real)
  return `${homedir()}${sep}`.startsWith(folder === sep ? sep : `${folder}${sep}`) ? real : folder
}

/** A Node that was installed as a whole is shown as one, with the npm that belongs to it. */
function installationOf(node: string): string[] {
  if (isSystem(node)) return []
  const prefix = dirname(dirname(node))
  const isWhole =
    basename(dirname(node)) === 'bin' &&
    isAbsolute(prefix) &&
    folderOf(join(prefix, 'x')) === prefix
  return [isWhole ? prefix : node]
}

const isSystem = (path: string): boolean => SYSTEM.some((folder) => path.startsWith(`${folder}/`))

const MOST_FIRST_LINE = 200

function isNodeScript(path: string): boolean {
  const start = Buffer.alloc(MOST_FIRST_LINE)
  const file = openSync(path, 'r')
  try {
    const length = readSync(file, start, 0, MOST_FIRST_LINE, 0)
    const [first = ''] = start.subarray(0, length).toString('latin1').split('\n')
    return /^#!.*\bnode(?:js)?\b/u.test(first)
  } finally {
    closeSync(file)
  }
}
