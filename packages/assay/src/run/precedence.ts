/**
 * Which of several values of a setting counts. Every setting of a run is decided by `strongest`, in one order
 * of places. Where a value came from stays with it, so that a dry run can say so.
 */
import type { Case, Suite } from '@assay/contract'

/**
 * From the strongest to the weakest: the command line (for the library, an option), the record of a run that
 * is continued, the run or experiment file, the case, its suite, assay.toml, the default.
 */
export const PLACES = ['flag', 'record', 'file', 'case', 'suite', 'project', 'default'] as const

export type Place = (typeof PLACES)[number]

export interface Setting<T> {
  readonly value: T
  readonly place: Place
  /** Where it came from, for people: `--trials`, `suite support.toml`. */
  readonly from: string
}

/** The value of the strongest place; of one place the first. Null where nobody says anything. */
export function strongest<T>(given: readonly Setting<T>[]): Setting<T> | null {
  let best: Setting<T> | null = null
  for (const one of given) if (best === null || isStronger(one, best)) best = one
  return best
}

type Placed = Pick<Setting<unknown>, 'place'>

export const isStronger = (a: Placed, b: Placed): boolean =>
  PLACES.indexOf(a.place) < PLACES.indexOf(b.place)

/** What is said outside of the suites about settings that a case may have too. */
export interface CaseSettings {
  readonly trials: readonly Setting<number>[]
  readonly passK: Setting<readonly number[]>
  readonly timeoutMs: readonly Setting<number>[]
  /** The same for subjects that work in a workspace. */
  readonly agentTimeoutMs: readonly Setting<number>[]
  /** Each case has the trials that it was recorded with, whatever is said: where that is from. */
  readonly recordedTrials?: string
}

/**
 * How often a case is run. A stronger place that asks for pass@k without a number of trials asks for at least
 * k of them.
 */
export function trialsOf(
  { trials, passK, recordedTrials }: CaseSettings,
  suite: Pick<Suite, 'id' | 'path' | 'defaults'>,
  one: Pick<Case, 'id' | 'trials'>,
): Setting<number> {
  const most = Math.max(...passK.value)
  if (recordedTrials !== undefined && one.trials !== null)
    return { value: one.trials, place: 'record', from: recordedTrials }
  const given = strongest([...trials, ...ofCase(suite, one, 'trials')])
  if (given === null || (isStronger(passK, given) && most > given.value))
    return { ...passK, value: most }
  return given
}

/** How long one answer may take. */
export function timeoutOf(
  { timeoutMs, agentTimeoutMs }: CaseSettings,
  suite: Pick<Suite, 'id' | 'path' | 'defaults'>,
  one: Pick<Case, 'id' | 'timeoutMs'>,
  worksInWorkspace: boolean,
): Setting<number> {
  const outside = worksInWorkspace ? agentTimeoutMs : timeoutMs
  const given = strongest([...outside, ...ofCase(suite, one, 'timeoutMs')])
  if (given === null) throw new Error('a timeout has a default')
  return given
}

type CaseKey = 'trials' | 'timeoutMs' | 'maxTokens'

/** What the suite says about a case: by itself, or for all of its cases. */
export function ofCase<K extends CaseKey>(
  suite: Pick<Suite, 'id' | 'path' | 'defaults'>,
  one: Pick<Case, 'id' | K>,
  key: K,
): Setting<number>[] {
  const value = one[key]
  if (value === null) return []
  return suite.defaults?.[key] === value
    ? [{ value, place: 'suite', from: `suite ${suite.path}` }]
    : [{ value, place: 'case', from: `case ${suite.id} ${one.id}` }]
}
