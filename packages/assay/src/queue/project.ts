/**
 * The project of a run is the folder in which `assay run` was started. Suites, graders and subjects that are programs
 * need files of it. So a worker that runs them must have a project with the same content. The comparison leaves out
 * files that tools or Assay create, and files with environment variables, because each machine has its own.
 */
import { existsSync } from 'node:fs'
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { plain, UsageError } from '@assay/contract'
import { hashFolder, UnfitFolder } from '../suite/index.ts'
import { sha256 } from './messages.ts'

const LEFT_OUT = new Set([
  '.git',
  '.assay',
  'node_modules',
  '__pycache__',
  '.venv',
  '.pytest_cache',
])

/** The paths that the comparison leaves out, as a text for the user. */
export const LEFT_OUT_WORDS = `${[...LEFT_OUT].join(', ')}, .env files and run folders`

/** Hashes of the content of a project. */
export interface ProjectHash {
  readonly sha256: string
  /**
   * A short hash of each file. If the project has many files, a hash of each file and folder at its top level instead.
   */
  readonly entries: Readonly<Record<string, string>>
}

/** The most files for which each file has its own hash. */
const MOST_FILES = 300
/**
 * The length of the hash of a file. It may be short, because it only helps to name the files that differ. The hash of
 * the whole project decides whether two projects are the same.
 */
const ENTRY_DIGITS = 12
const MOST_NAMED = 5

/** Returns the hashes of the project in this folder. Throws a `UsageError` if the folder cannot be compared. */
export async function projectHash(folder: string): Promise<ProjectHash> {
  const files: (readonly [path: string, hash: string])[] = []
  try {
    const whole = await hashFolder(folder, {
      onEntry: (path, hash) => files.push([path, hash]),
      skips: (path, facts) => {
        const name = basename(path)
        if (LEFT_OUT.has(name) || name.startsWith('.env')) return true
        if (!facts.isDirectory()) return !facts.isFile() && !facts.isSymbolicLink()
        return existsSync(join(folder, path, 'trials.jsonl'))
      },
      mayLeadOut: true,
    })
    return { sha256: whole, entries: entriesOf(files) }
  } catch (error) {
    if (!(error instanceof UnfitFolder)) throw error
    throw new UsageError(
      `the project ${resolve(folder)} is too large to be compared with that of another machine: it holds ${error.message}. Start in a smaller folder`,
      { cause: error },
    )
  }
}

function entriesOf(
  files: readonly (readonly [path: string, hash: string])[],
): Readonly<Record<string, string>> {
  const entries = new Map<string, string>()
  for (const [path, hash] of files) {
    const name = files.length <= MOST_FILES ? path : `${path.split('/')[0]}`
    entries.set(name, sha256(`${entries.get(name) ?? ''}${path} ${hash}`).slice(0, ENTRY_DIGITS))
  }
  return Object.fromEntries([...entries].slice(0, MOST_FILES))
}

/** Returns a text for the user that names the files in which two projects differ. */
export function differenceText(
  theirs: ProjectHash['entries'],
  ours: ProjectHash['entries'],
): string {
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])].sort()
  const differences = names.flatMap((name) => {
    const shown = JSON.stringify(plain(name))
    if (theirs[name] === ours[name]) return []
    if (ours[name] === undefined) return [`it lacks ${shown}`]
    return [theirs[name] === undefined ? `it also has ${shown}` : `${shown} differs`]
  })
  const more = differences.length - MOST_NAMED
  if (differences.length === 0) return 'some files differ'
  return `${differences.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/**
 * Returns the path relative to the project, with forward slashes. Returns null if the path is outside of the project.
 */
export function pathInProject(project: string, path: string): string | null {
  const inside = relative(resolve(project), resolve(project, path))
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return null
  return inside.split(sep).join('/')
}
