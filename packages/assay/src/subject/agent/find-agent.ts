/**
 * Finds an agent's program and the files that the program needs. Inside the sandbox, a program sees only the system's
 * own folders and the files that are listed here. A package from npm needs its node_modules folder, which contains
 * everything that it imports. A Node script needs Node. A binary may need other files in its folder. A version
 * manager's shim (a small program that starts the real one) does not work: it searches the user's home folder, which
 * the sandbox does not show.
 */
import { closeSync, openSync, readSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { UsageError } from '@assay/contract'
import { findProgram, holdsHome, isProgram } from '@assay/sandbox'

export interface FoundProgram {
  /** The command line with absolute paths. If the program needs an interpreter, the interpreter comes first. */
  readonly argv: readonly [string, ...string[]]
  /** Files and folders that the program must be able to read. */
  readonly reads: readonly string[]
}

/** Folders of the system that every sandbox shows, so `reads` need not name them. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64']

/** Finds a program by its name on the PATH, or by its path. Throws a `UsageError` if it does not exist. */
export function findAgent(
  wanted: {
    readonly id: string
    readonly program: string
    readonly install?: string
    /**
     * If true, the sandbox shows only this one file. This is for the user's own programs, whose folder may contain
     * private files.
     */
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

/**
 * Returns the first program on the PATH that is not a version manager's shim. If all are shims, returns the first one.
 */
function findReal(program: string, path: string): string | null {
  const folders = path.split(delimiter)
  const real = folders.filter((folder) => managerOf(join(folder, program)) === null)
  return findProgram(program, real.join(delimiter)) ?? findProgram(program, path)
}

const SHIM = /\/\.?(pyenv|rbenv|nodenv|asdf|mise)\/shims\/|\/\.(volta)\/bin\//u

/** Returns the name of the version manager if the path is a shim or a link to a shim. Otherwise returns null. */
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

/** Returns the folder that contains the program. Returns only the program if the user's home is inside that folder. */
function folderOf(real: string): string {
  const folder = dirname(real)
  return holdsHome(folder) ? real : folder
}

/**
 * Returns what the sandbox must show so that Node runs. That is the whole installation with npm if it is complete,
 * otherwise only the program.
 */
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
