/**
 * Decides which value of a setting counts if several places set it. Every setting of a run is decided by `strongest`,
 * with one order of places. Each value carries the place it came from, so that a dry run can show it.
 */
import type { Case, Suite } from '@assay/contract'

/**
 * From the strongest to the weakest: the command line (for the library, an option), the record of a resumed run, the
 * run or experiment file, the case, its suite, assay.toml, the default.
 */
export const PLACES = ['flag', 'record', 'file', 'case', 'suite', 'project', 'default'] as const

export type Place = (typeof PLACES)[number]

export interface Setting<T> {
  readonly value: T
  readonly place: Place
  /** The source of the value as shown to the user: `--trials`, `suite support.toml`. */
  readonly from: string
}

/**
 * The value from the strongest place. If that place has several values, the first of them. Null if no place has a
 * value.
 */
export function strongest<T>(given: readonly Setting<T>[]): Setting<T> | null {
  let best: Setting<T> | null = null
  for (const one of given) if (best === null || isStronger(one, best)) best = one
  return best
}

type Placed = Pick<Setting<unknown>, 'place'>

export const isStronger = (a: Placed, b: Placed): boolean =>
  PLACES.indexOf(a.place) < PLACES.indexOf(b.place)

/** The settings that come from outside of the suites and that a case may also set. */
export interface CaseSettings {
  readonly trials: readonly Setting<number>[]
  readonly passK: Setting<readonly number[]>
  readonly timeoutMs: readonly Setting<number>[]
  /** The time limit for subjects that work in a workspace. */
  readonly agentTimeoutMs: readonly Setting<number>[]
  /**
   * Set if each case keeps its recorded number of trials, whatever other places say. Names the source of that number.
   */
  readonly recordedTrials?: string
}

/**
 * The number of trials of a case. If pass@k is set at a stronger place than the number of trials, there are at least k
 * trials.
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

/** The time limit for one answer. */
export function timeoutOf(
  { timeoutMs, agentTimeoutMs }: CaseSettings,
  suite: Pick<Suite, 'id' | 'path' | 'defaults'>,
  one: Pick<Case, 'id' | 'timeoutMs'>,
  worksInWorkspace: boolean,
): Setting<number> {
  const outside = worksInWorkspace ? agentTimeoutMs : timeoutMs
  const own = ofCase(suite, one, 'timeoutMs')
  const given = strongest(own.length === 0 ? outside : [...outside, ...own])
  if (given === null) throw new Error('a timeout has a default')
  return given
}

type CaseKey = 'trials' | 'timeoutMs' | 'maxTokens'

/** The suite's value for a case: the case's own, or the suite's default. */
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
