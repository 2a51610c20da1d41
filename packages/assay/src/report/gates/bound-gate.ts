/**
 * A gate is a condition that decides whether a command fails. A gate with a bound is about the run itself: a metric
 * must be at least `min` or at most `max`. It needs no baseline. It is decided for each suite and subject, or for the
 * part of them that it names.
 */
import { UsageError } from '@assay/contract'
import type { Target } from '@assay/metrics'
import { nearest } from '../../text/index.ts'
import { isShare } from './estimate.ts'
import type { BoundMetric } from './names.ts'

export interface BoundGate {
  readonly metric: BoundMetric
  /** The k of pass@k and pass^k. Null means the largest k of the run. */
  readonly k: number | null
  readonly kind: 'min' | 'max'
  readonly bound: number
  /** What the gate is about. If all of these fields are null, it is about every suite, every subject and all cases. */
  readonly suite: string | null
  readonly subject: string | null
  readonly tag: string | null
  readonly case: string | null
  /**
   * If null, there is one decision for all these cases together. Otherwise there is one for each case, or for each tag.
   */
  readonly per: 'case' | 'tag' | null
  /**
   * Which interval decides: for exactly these cases, or for cases like these. Null means the default of the command,
   * which is exactly these cases.
   */
  readonly target: Target | null
}

/** Returns what is wrong with a bound, or null if it is valid for the metric. */
export function boundFault(metric: BoundMetric, bound: number): string | null {
  if (!Number.isFinite(bound)) return 'expected a number'
  if (!isShare(metric)) return bound >= 0 ? null : 'expected a number from 0'
  if (bound >= 0 && bound <= 1) return null
  const meant = bound > 1 && bound <= 100 ? `; ${bound} % is ${bound / 100}` : ''
  return `expected a number from 0 to 1${meant}`
}

/** The names that exist in a run, which a gate can refer to. */
export interface GateNames {
  readonly suites: readonly string[]
  readonly subjects: readonly string[]
  readonly cases: readonly string[]
  readonly tags: readonly string[]
}

/** Throws `UsageError` if a gate names something that does not exist. Such a gate would never be decided. */
export function checkGateNames(gates: readonly BoundGate[], names: GateNames): void {
  for (const gate of gates) {
    checkName('suite', gate.suite, names.suites)
    checkName('subject', gate.subject, names.subjects)
    checkName('case', gate.case, names.cases)
    if (gate.tag === null && gate.per !== 'tag') continue
    if (names.tags.length === 0) throw new UsageError('a gate is about tags, and no case has a tag')
    checkName('tag', gate.tag, names.tags)
  }
}

const MOST_NAMED = 10

function checkName(what: string, name: string | null, known: readonly string[]): void {
  if (name === null || known.includes(name)) return
  const meant = nearest(name, known)
  const some = known.slice(0, MOST_NAMED).map((one) => `"${one}"`)
  const more = known.length > some.length ? ` and ${known.length - some.length} more` : ''
  throw new UsageError(
    `a gate names the ${what} "${name}", which is not part of this run${meant === null ? '.' : `; did you mean "${meant}"?`} Known: ${some.join(', ')}${more}`,
  )
}
