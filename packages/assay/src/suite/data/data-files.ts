/**
 * Finds the files that the key `data` of a suite names. A name is a path relative to the suite. It may contain the
 * wildcards `*` and `?`, and `**` for any number of folders. The files must be inside the suite's repository, like
 * all files that a suite reads.
 */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Refusal, SuiteFiles } from '../native/suite-files.ts'

/** The limit on the files and folders that the search for a pattern looks at. */
const MOST_SEEN = 100_000
const MOST_FILES = 10_000

export interface DataFile {
  /** The path to show to the user: the suite's folder as the user typed it, followed by the file's name. */
  readonly name: string
  /** The absolute path, with all links resolved. */
  readonly path: string
}

const isPattern = (name: string): boolean => /[*?]/.test(name)

/** Returns the files in a fixed order, or why there are none. `suite` is the path of the suite as the user typed it. */
export async function findDataFiles(
  name: string,
  beside: SuiteFiles,
  suite: string,
): Promise<readonly DataFile[] | { readonly refusal: Refusal }> {
  const shown = (file: string): string => path.join(path.dirname(suite), file)
  if (!isPattern(name)) {
    const found = await beside.resolve(name)
    return 'refusal' in found ? found : [{ name: shown(name), path: found.path }]
  }
  const names = await matching(name, beside.folder)
  if (names === null || names.length > MOST_FILES)
    return { refusal: { found: 'a pattern that matches too much', expected: 'fewer files' } }
  const files: DataFile[] = []
  for (const one of names.sort()) {
    const found = await beside.resolve(one)
    if ('refusal' in found) return found
    files.push({ name: shown(one), path: found.path })
  }
  if (files.length > 0) return files
  return { refusal: { found: 'a pattern that matches no file', expected: 'at least one file' } }
}

/** Returns the names of the files that match. Returns null if the search has to look at too many files. */
async function matching(pattern: string, folder: string): Promise<string[] | null> {
  const steps = pattern.split('/').filter((step) => step !== '' && step !== '.')
  const found = new Set<string>()
  let seen = 0
  const walk = async (at: string, rest: readonly string[]): Promise<void> => {
    const [step, ...after] = rest
    if (step === undefined || seen > MOST_SEEN) return
    if (step !== '**' && !isPattern(step)) {
      if (after.length === 0) found.add(path.posix.join(at, step))
      else await walk(path.posix.join(at, step), after)
      return
    }
    if (step === '**') await walk(at, after)
    const entries = await readdir(path.join(folder, at), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      seen++
      // As in a shell, a pattern does not match hidden files unless it begins with a dot itself.
      if (entry.name.startsWith('.') && !step.startsWith('.')) continue
      if (step !== '**' && !matches(step, entry.name)) continue
      const next = path.posix.join(at, entry.name)
      if (entry.isDirectory()) await walk(next, step === '**' ? rest : after)
      else if (after.length === 0) found.add(next)
    }
  }
  await walk('', steps)
  return seen > MOST_SEEN ? null : [...found]
}

/**
 * Whether a name matches one step of a pattern with `*` and `?`. The time is at most proportional to the product of
 * both lengths.
 */
function matches(step: string, name: string): boolean {
  let at = 0
  let star = -1
  let resume = 0
  for (let i = 0; i < name.length;) {
    if (step[at] === '*') {
      star = at++
      resume = i
    } else if (step[at] === '?' || step[at] === name[i]) {
      at++
      i++
    } else if (star === -1) return false
    else {
      // The rest of the pattern does not match here. So let the last `*` match one character more, and try again.
      at = star + 1
      i = ++resume
    }
  }
  while (step[at] === '*') at++
  return at === step.length
}
