/**
 * Finds an agent's program and the files that it needs. Inside the sandbox, it sees only what is listed here.
 * A package from npm is in a node_modules folder with everything that it imports. A Node script needs a Node.
 * A binary may have parts in the same folder. The system's own folders are always visible. A version
 * manager's shim does not work: it searches the user's home for the real program, and that home is not
 * visible inside.
 */
import { closeSync, openSync, readSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { UsageError } from '@assay/contract'
import { findProgram, isProgram } from '@assay/sandbox'

export interface FoundProgram {
  /** The program, preceded by its interpreter if it needs one. Absolute paths. */
  readonly argv: readonly [string, ...string[]]
  /** Files and folders that the program must be able to read. */
  readonly reads: readonly string[]
}

/** Folders that every sandbox shows. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64']

/** Finds a program by its name on the PATH, or by its path. Throws a `UsageError` if there is none. */
export function findAgent(
  wanted: {
    readonly id: string
    readonly program: string
    readonly install?: string
    /** It is the user's own file, in a folder with unrelated private files. So only this file is shown. */
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

/** Returns the first match on the PATH that is not a shim; if there are only shims, the first of them. */
function findReal(program: string, path: string): string | null {
  const folders = path.split(delimiter)
  const real = folders.filter((folder) => managerOf(join(folder, program)) === null)
  return findProgram(program, real.join(delimiter)) ?? findProgram(program, path)
}

const SHIM = /\/\.?(pyenv|rbenv|nodenv|asdf|mise)\/shims\/|\/\.(volta)\/bin\//u

/**
 * Returns the version manager of a shim, also if a link leads to the shim. Null if the path is not a shim or
 * not a program.
 */
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

/** Returns the folder of a program. If that folder contains the user's home, returns only the program. */
function folderOf(real: string): string {
  const folder = dirname(real)
  return `${homedir()}${sep}`.startsWith(folder === sep ? sep : `${folder}${sep}`) ? real : folder
}

/** A complete Node installation is shown as a whole, with its npm. Otherwise only the program is shown. */
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
