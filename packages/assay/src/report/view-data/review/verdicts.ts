/**
 * Returns the verdicts with which people's labels are compared: the verdict of all graders together, the verdict of
 * each judge, and the verdict of a grader with several judges. It works for trials from the log and for trials on a
 * page.
 */
import { JUDGE_GRADER, type Outcome } from '@assay/contract'

/** One subject on one case. */
export interface CellName {
  readonly suite: string
  readonly case: string
  readonly subject: string
}

/**
 * Who gave a verdict: one judge, all judges of a grader together (`judge` is null), or all graders together (`grader`
 * is null).
 */
export interface Rater {
  readonly grader: string | null
  readonly judge: string | null
}

export interface GivenVerdict extends Rater {
  readonly passed: boolean
}

interface GradeLike {
  readonly name: string
  readonly type: string
  readonly passed: boolean | null
  readonly details?: readonly GradeLike[]
}

interface TrialLike {
  readonly outcome: Outcome
  readonly grades: readonly GradeLike[]
}

/**
 * Returns all verdicts on a trial. A judge whose verdict does not decide the trial is included, because its own verdict
 * is recorded too.
 */
export function verdictsOf({ outcome, grades }: TrialLike): GivenVerdict[] {
  const all: GivenVerdict[] =
    outcome === 'passed' || outcome === 'failed'
      ? [{ grader: null, judge: null, passed: outcome === 'passed' }]
      : []
  for (const { name, type, passed, details = [] } of grades) {
    if (type !== JUDGE_GRADER) continue
    const own = details.filter((one) => one.type === JUDGE_GRADER)
    if (own.length !== 1 && passed !== null) all.push({ grader: name, judge: null, passed })
    for (const one of own)
      if (one.passed !== null) all.push({ grader: name, judge: one.name, passed: one.passed })
  }
  return all
}

export const raterKey = ({ grader, judge }: Rater): string => JSON.stringify([grader, judge])

/** Returns a rater's name for people. */
export const raterName = ({ grader, judge }: Rater): string =>
  grader === null
    ? 'all graders together'
    : judge === null
      ? `all judges of ${grader}`
      : grader === JUDGE_GRADER
        ? judge
        : `${judge} (${grader})`
