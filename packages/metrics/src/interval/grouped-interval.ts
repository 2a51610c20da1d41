/**
 * The interval of a mean over cases that come in groups, for cases like these (target `population`).
 *
 * A group is, for example, a repository or a template. A new case may well come from a new group. So the number of
 * groups decides how much is known, not the number of cases in them. The standard error se is computed over groups
 * (`clustered-se.ts`). The suite is as precise as n_eff = mean(1 − mean)/se² independent observations. This number is
 * reduced by the quantile of t with G* − 1 degrees of freedom (Korn and Graubard 1998). The interval is the exact one
 * for n_eff.
 *
 * Rare kinds of groups can be missing from the sample. So the interval always allows for a share e
 * of groups with the mean 0 or 1 that are not in the sample. The share e is chosen such that G*
 * groups contain none of these groups with the probability (1 − e)^G* = (1 − level)/2.
 *
 * G* is the effective number of groups (`clustered-se.ts`). It equals the number of groups if all
 * have the same size, and is smaller otherwise. docs/design/default-intervals.md has the figures.
 */
import type { Bounds, Interval } from '../metric.ts'
import { normalQuantile } from '../special/normal.ts'
import { tQuantile } from '../special/student-t.ts'
import { clusteredSE } from './clustered-se.ts'
import { kornGraubard } from './proportion/clopper-pearson.ts'
import { type EffectiveInterval, ROUNDING } from './weighted-mean.ts'

/** If the number of observations is below this, the interval is from 0 to 1. */
const LEAST_N = 1e-6

/**
 * Whether at least one group has two members. Otherwise every case is a group, and the groups
 * change nothing.
 */
export const isGrouped = (
  groups: readonly (string | number)[] | undefined,
): groups is readonly (string | number)[] =>
  groups !== undefined && new Set(groups).size < groups.length

export interface GroupedInterval {
  readonly groups: number
  /** The standard error, the interval and n_eff. It is null if all cases are in one group. */
  readonly estimate: (EffectiveInterval & { readonly se: number }) | null
}

/**
 * Returns the exact interval for `effectiveN` observations, widened so that it allows for a share
 * of values of 0 or 1 that a sample of `draws` independent units may not contain. The units are
 * groups, cases or trials. If `effectiveN` is null, only this share decides the interval.
 */
export function withUnseenShare(
  mean: number,
  effectiveN: number | null,
  draws: number,
  level: number,
): Bounds {
  const seen = Math.exp(Math.log((1 - level) / 2) / draws)
  const unseen = { low: mean * seen, high: 1 - (1 - mean) * seen }
  if (effectiveN === null) return unseen
  if (effectiveN < LEAST_N) return { low: 0, high: 1 }
  const { low, high } = kornGraubard(mean, effectiveN, level)
  return { low: Math.min(low, unseen.low), high: Math.max(high, unseen.high) }
}

/**
 * Returns the interval of the mean of values in [0, 1]. `groups[i]` names the group of `values[i]`.
 * n_eff is at most `attempts`.
 */
export function groupedInterval(
  values: readonly number[],
  groups: readonly (string | number)[],
  attempts: number,
  level: number,
): GroupedInterval {
  const count = new Set(groups).size
  if (count < 2) return { groups: count, estimate: null }
  const { mean: raw, se, effectiveGroups, df } = clusteredSE(values, groups)
  const mean = Math.min(1, Math.max(0, raw))
  const tail = (1 - level) / 2
  const shrink = (normalQuantile(tail) / tQuantile(tail, df)) ** 2
  const isFlat = se < ROUNDING
  const effectiveN = isFlat ? null : Math.min(((mean * (1 - mean)) / (se * se)) * shrink, attempts)
  const interval: Interval = {
    ...withUnseenShare(mean, effectiveN, effectiveGroups, level),
    level,
    method: 'Korn-Graubard with unseen share, over groups',
    target: 'population',
  }
  return {
    groups: count,
    estimate: { se: isFlat ? 0 : se, interval, effectiveN: effectiveN ?? effectiveGroups },
  }
}

/** The reason why there is no interval for cases like these. */
export const ONE_GROUP = 'one group says nothing about others: no interval'
