/** A run as the user names it: a folder, `latest`, or the start of a run folder's name. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../errors.ts'
import { isRunFolder } from '../log/index.ts'
import { loadSettings } from './settings.ts'

export const RUNS_FOLDER = join('.assay', 'runs')

/** Where this project's runs are. */
export async function runsFolder(): Promise<string> {
  return (await loadSettings({ folder: '.' })).settings.output ?? RUNS_FOLDER
}

export function findRun(name: string, runs: string): string {
  if (isRunFolder(name)) return name
  const all = runFolders(runs)
  if (name === 'latest') {
    const last = all.at(-1)
    if (last === undefined) throw new UsageError(`there is no run under ${runs} yet`)
    return join(runs, last)
  }
  const matching = all.filter((folder) => folder.startsWith(name))
  const [first] = matching
  if (matching.length === 1 && first !== undefined) return join(runs, first)
  throw new UsageError(
    matching.length === 0
      ? `"${name}" is no run folder, and no run under ${runs} begins with it`
      : `"${name}" is the start of ${matching.length} runs: ${matching.slice(0, 5).join(', ')}`,
  )
}

/** Oldest first. */
function runFolders(runs: string): string[] {
  let names: string[]
  try {
    names = readdirSync(runs)
  } catch {
    return []
  }
  return names
    .filter((name) => isRunFolder(join(runs, name)))
    .map((name) => ({ name, at: statSync(join(runs, name)).birthtimeMs }))
    .sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name)
}
