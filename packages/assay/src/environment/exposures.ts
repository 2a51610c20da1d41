/**
 * Finds the processes whose environment still contains one of Assay's secret variables, so that other programs can read
 * it. Such a process can be Assay itself, if the system did not let Assay clear its variables. It can also be a parent
 * process (npm, a script, a CI service), because Assay cannot change the environment of another process.
 */
import { readFileSync } from 'node:fs'
import { hiddenVariables } from './secrets.ts'
import { shownEnvironment } from './shown-environment.ts'

export interface Exposure {
  readonly pid: number
  /** The program's name. Null for this process. */
  readonly program: string | null
  /** The names of the secret variables whose values can be read in the environment of that process. */
  readonly names: readonly string[]
}

/** Values that are shorter than this are not searched for. They would match parts of other values by chance. */
const SHORTEST = 8
/** The most parent processes that are checked. No real chain of parents is this long. */
const MOST_PARENTS = 100

export function exposures(): Exposure[] {
  const secrets = [...hiddenVariables()].filter(([, value]) => value.length >= SHORTEST)
  if (secrets.length === 0) return []
  const found: Exposure[] = []
  let pid = process.pid
  for (let i = 0; pid > 0 && i < MOST_PARENTS; i++) {
    const shown = shownEnvironment(pid)
    const names = secrets.flatMap(([name, value]) => (shown?.includes(value) ? [name] : []))
    const { program, parent } = processOf(pid)
    if (names.length > 0) found.push({ pid, program: pid === process.pid ? null : program, names })
    pid = parent
  }
  return found
}

function processOf(pid: number): { readonly program: string; readonly parent: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const end = stat.lastIndexOf(')')
    const parent = Number(stat.slice(end + 2).split(' ')[1])
    return { program: stat.slice(stat.indexOf('(') + 1, end), parent }
  } catch {
    return { program: '', parent: 0 }
  }
}
