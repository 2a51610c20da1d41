/**
 * Decides which value of a setting applies if several places set it, such as a flag and a suite. `strongest` decides
 * this for every setting of a run, with the same order of places. Each value carries the place that it came from, so
 * that a dry run can show it.
 */
import type { Case, Suite } from '@assay/contract'

/**
 * The places that can set a value, from the strongest to the weakest. `flag` is the command line or an option of the
 * library. `record` is the record of a resumed run. `file` is the run file or experiment file. `project` is assay.toml.
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
 * Returns the value from the strongest place. If that place has several values, the first one is used. Returns null if
 * no place has a value.
 */
export function strongest<T>(given: readonly Setting<T>[]): Setting<T> | null {
  let best: Setting<T> | null = null
  for (const one of given) if (best === null || isStronger(one, best)) best = one
  return best
}

type Placed = Pick<Setting<unknown>, 'place'>

export const isStronger = (a: Placed, b: Placed): boolean =>
  PLACES.indexOf(a.place) < PLACES.indexOf(b.place)

/** Settings that a case may set, with the values that come from outside of the suites. */
export interface CaseSettings {
  readonly trials: readonly Setting<number>[]
  readonly passK: Setting<readonly number[]>
  readonly timeoutMs: readonly Setting<number>[]
  /** The time limit for subjects that work in a workspace. */
  readonly agentTimeoutMs: readonly Setting<number>[]
  /**
   * If this is set, each case keeps its recorded number of trials, whatever other places say. The text tells the user
   * where that number comes from.
   */
  readonly recordedTrials?: string
}

/**
 * Returns the number of trials of a case. If pass@k is set at a stronger place than the number of trials, the case gets
 * at least k trials, because pass@k needs that many.
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

/** Returns the time limit for one answer. */
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

/** Returns the value that the suite's file gives for a case: the case's own value, or the suite's default. */
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
