/** A run as the user names it: a folder, `latest`, or the start of a run folder's name. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../errors.ts'
import { isRunFolder } from '../log/index.ts'

export const RUNS_FOLDER = join('.assay', 'runs')

export function findRun(name: string): string {
  if (isRunFolder(name)) return name
  const all = runFolders()
  if (name === 'latest') {
    const last = all.at(-1)
    if (last === undefined) throw new UsageError(`there is no run under ${RUNS_FOLDER} yet`)
    return join(RUNS_FOLDER, last)
  }
  const matching = all.filter((folder) => folder.startsWith(name))
  const [first] = matching
  if (matching.length === 1 && first !== undefined) return join(RUNS_FOLDER, first)
  throw new UsageError(
    matching.length === 0
      ? `"${name}" is no run folder, and no run under ${RUNS_FOLDER} begins with it`
      : `"${name}" is the start of ${matching.length} runs: ${matching.slice(0, 5).join(', ')}`,
  )
}

/** Oldest first. */
function runFolders(): string[] {
  let names: string[]
  try {
    names = readdirSync(RUNS_FOLDER)
  } catch {
    return []
  }
  return names
    .filter((name) => isRunFolder(join(RUNS_FOLDER, name)))
    .map((name) => ({ name, at: statSync(join(RUNS_FOLDER, name)).birthtimeMs }))
    .sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name)
}
