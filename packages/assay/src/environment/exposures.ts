/**
 * Which processes still show a secret variable of Assay's: this one where the system did not let it be
 * cleared, and those that started it (npm, a script, a service of CI), whose environment is theirs.
 */
import { readFileSync } from 'node:fs'
import { hiddenVariables } from './secrets.ts'
import { shownEnvironment } from './shown-environment.ts'

export interface Exposure {
  readonly pid: number
  /** The name of its program; null for this process. */
  readonly program: string | null
  /** Variables of Assay's whose values it shows. */
  readonly names: readonly string[]
}

/** A shorter value is in too many others by chance. */
const SHORTEST = 8
/** Nobody is started through more. */
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
