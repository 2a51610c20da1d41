/**
 * Finds suites in folders. A folder also contains other files, so a file counts as a suite only if it looks like
 * one. A suite with errors counts too, so that its errors are reported. The search skips Assay's own files (run
 * folders, reports, baselines), hidden folders, installed packages and links. Its depth and the number of files are
 * limited. Suites that are programs (`.ts`, `.js`) run with the user's permissions. So the search never returns
 * them, and the user has to name them.
 */
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { fileError, readable } from '../documents/index.ts'
import { isOwnRecord, looksLikeSuite, recognise, type Recognised } from './sniff.ts'

const MOST_DEPTH = 8
const MOST_FILES = 20_000
const CANDIDATE = /\.(?:toml|ya?ml|json|jsonl|ndjson)(?:\.gz)?$/i
const SKIPPED = new Set(['node_modules', 'target', 'dist', 'build', '__pycache__'])

/**
 * Returns the suite files of a path. For a file, that is the file itself. For a folder, these are the suites in it and
 * in its subfolders.
 */
export async function findSuites(target: string, signal?: AbortSignal): Promise<string[]> {
  const facts = await stat(target).catch((error: unknown) => {
    throw readable(target, error)
  })
  if (!facts.isDirectory()) return [target]
  const found = await findFiles(target, (_, recognised) => looksLikeSuite(recognised), signal)
  if (found.length === 0) throw fileError(target, 'a folder without suites', SUITES)
  return found
}

const SUITES =
  'a suite (.toml, .yaml, .json), or a folder that holds some; `assay init DIR` writes a first one'

const EVALS = /\.eval\.m?[jt]s$/i

/**
 * Returns the files with functions (`*.eval.ts`) in a folder and its subfolders. They are programs, so the caller
 * must ask for trust before it loads them.
 */
export async function findEvals(folder: string): Promise<string[]> {
  const found: string[] = []
  let looked = 0
  const search = async (at: string, depth: number): Promise<void> => {
    const entries = await readdir(path.join(folder, at), { withFileTypes: true }).catch(() => [])
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = path.join(at, entry.name)
      if (++looked > MOST_FILES)
        throw fileError(folder, 'too many files to look through', `at most ${MOST_FILES}`)
      if (entry.isFile() && EVALS.test(entry.name)) found.push(name)
      else if (
        entry.isDirectory() &&
        depth < MOST_DEPTH &&
        !entry.name.startsWith('.') &&
        !SKIPPED.has(entry.name)
      )
        await search(name, depth + 1)
    }
  }
  await search('', 0)
  return found
}

/** Returns the files in the folder and its subfolders for which `isWanted` is true. */
export async function findFiles(
  target: string,
  isWanted: (file: string, recognised: Recognised) => boolean,
  signal?: AbortSignal,
): Promise<string[]> {
  const found: string[] = []
  let looked = 0

  const search = async (folder: string, depth: number): Promise<void> => {
    signal?.throwIfAborted()
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      throw readable(folder, error)
    })
    if (depth > 0 && entries.some(({ name }) => name === 'run.json'))
      if (await isWrittenByAssay(path.join(folder, 'run.json'))) return
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = path.join(folder, entry.name)
      if (entry.isDirectory()) {
        if (depth < MOST_DEPTH && !entry.name.startsWith('.') && !SKIPPED.has(entry.name))
          await search(file, depth + 1)
        continue
      }
      if (!entry.isFile() || !CANDIDATE.test(entry.name)) continue
      looked += 1
      if (looked > MOST_FILES)
        throw fileError(target, 'too many files to look through', `at most ${MOST_FILES}`)
      if (await looks(file, isWanted)) found.push(file)
    }
  }

  await search(target, 0)
  return found
}

/** Returns whether to keep a file. A file that cannot be read is kept, so that its problem is reported later. */
async function looks(
  file: string,
  isWanted: (file: string, recognised: Recognised) => boolean,
): Promise<boolean> {
  try {
    const recognised = await recognise(file)
    return !isOwnRecord(recognised) && isWanted(file, recognised)
  } catch {
    return true
  }
}

async function isWrittenByAssay(file: string): Promise<boolean> {
  try {
    return isOwnRecord(await recognise(file))
  } catch {
    return false
  }
}
