/**
 * The project of a run: the folder in which `assay run` was started. Suites and graders that are programs, and commands,
 * need it on the worker too, with the same content. Left out are what tools make, what Assay makes, and files with
 * variables, which every machine has its own.
 */
import { existsSync } from 'node:fs'
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { UsageError } from '@assay/contract'
import { hashFolder, UnfitFolder } from '../suite/index.ts'

const LEFT_OUT = new Set([
  '.git',
  '.assay',
  'node_modules',
  '__pycache__',
  '.venv',
  '.pytest_cache',
])

/** What is left out of the comparison, for people. */
export const LEFT_OUT_WORDS = `${[...LEFT_OUT].join(', ')}, .env files and run folders`

/** Throws a `UsageError` if the folder cannot be compared. */
export async function projectHash(folder: string): Promise<string> {
  try {
    return await hashFolder(folder, {
      skips: (path, facts) => {
        const name = basename(path)
        if (LEFT_OUT.has(name) || name.startsWith('.env')) return true
        if (!facts.isDirectory()) return !facts.isFile() && !facts.isSymbolicLink()
        return existsSync(join(folder, path, 'trials.jsonl'))
      },
      mayLeadOut: true,
    })
  } catch (error) {
    if (!(error instanceof UnfitFolder)) throw error
    throw new UsageError(
      `the project ${resolve(folder)} is too large to be compared with that of another machine: it holds ${error.message}. Start in a smaller folder`,
      { cause: error },
    )
  }
}

/** The path from the project, with forward slashes. Null if it is not in the project. */
export function pathInProject(project: string, path: string): string | null {
  const inside = relative(resolve(project), resolve(project, path))
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return null
  return inside.split(sep).join('/')
}
