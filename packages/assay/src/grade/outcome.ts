/**
 * What became of a trial: its outcome, reason, score and implementation rate, and its grades as they are
 * recorded. A run, a resumed run, a regraded one and a proof of a suite all ask here.
 *
 * Of a graded answer, the advice that does not count loses its verdict first. Then a required grade that
 * failed makes the score 0 and the trial failed. Otherwise the score is the weighted mean of the grades that
 * have one, and the threshold decides, or without a threshold whether every grade with a verdict passed.
 */
import { fsum } from '@assay/metrics'
import {
  type Answer,
  type Case,
  type Grade,
  type Outcome,
  type Reason,
  type ReasonCode,
  type Stop,
  type Trajectory,
  REASONS,
} from '@assay/contract'
import type { Grader } from './grader.ts'
import { graderByType } from './graders.ts'

/** How a trial ended. */
export type TrialEnd =
  /** With one grade of each grader, as the graders gave them. */
  | { readonly kind: 'graded'; readonly grades: readonly Grade[] }
  /** With an answer that fails whatever its graders might say. */
  | { readonly kind: 'failed'; readonly reason: Reason }
  /** Without an answer, or with one that could not be graded: that says nothing about the subject. */
  | { readonly kind: 'errored'; readonly reason: Reason }

export interface TrialOutcome {
  readonly outcome: Outcome
  /** Absent where it passed, or where nothing was to be scored. */
  readonly reason?: Reason
  /** In [0, 1]; null where it errored or is unscored, and where no grade with a weight has a score. */
  readonly score: number | null
  /** What judges made of the answer, in [0, 1]; null where none judged it. */
  readonly implRate: number | null
  readonly grades: readonly Grade[]
}

/** Pure. `find` is how graders are found by type: those that come with Assay unless given. */
export function trialOutcome(
  { graders, threshold }: Pick<Case, 'graders' | 'threshold'>,
  end: TrialEnd,
  find: (type: string) => Grader | undefined = graderByType,
): TrialOutcome {
  if (end.kind === 'errored') return { ...NOTHING_KNOWN, outcome: 'errored', reason: end.reason }
  // A case without graders has nothing to say about an answer, not even that it is empty.
  if (graders.length === 0) return { ...NOTHING_KNOWN, outcome: 'unscored' }
  const isJudged = ({ type }: { readonly type: string }): boolean =>
    find(type)?.judges !== undefined
  if (end.kind === 'failed')
    return {
      outcome: 'failed',
      reason: end.reason,
      score: 0,
      // An answer that fails before a judge sees it still counts in the average of the judged ones.
      implRate: graders.some(isJudged) ? 0 : null,
      grades: [],
    }
  const grades = withoutIdleAdvice(end.grades, find)
  return {
    ...decided(grades, threshold),
    implRate: implementationRate(grades.filter(isJudged)),
    grades,
  }
}

const NOTHING_KNOWN = { score: null, implRate: null, grades: [] } as const

/** Why an answer fails whatever its graders might say; null for one that is worth grading. */
export function answerFailure(answer: Answer): Reason | null {
  const code = STOP_REASON[answer.stop]
  if (code !== null) return { code, text: answer.note ?? REASONS[code] }
  // What somebody did counts, whatever they said in the end.
  const empty =
    answer.text.trim() === '' &&
    Object.keys(answer.files ?? {}).length === 0 &&
    answer.diff === undefined &&
    !hasActed(answer.trajectory)
  return empty ? { code: 'empty-answer', text: REASONS['empty-answer'] } : null
}

const hasActed = (trajectory: Trajectory | undefined): boolean =>
  trajectory?.steps.some(
    ({ kind }) => kind === 'tool-call' || kind === 'file-change' || kind === 'skill',
  ) === true

const STOP_REASON: Record<Stop, ReasonCode | null> = {
  end: null,
  length: 'truncated',
  filter: 'filtered',
  refusal: 'refused',
  exit: 'exit-code',
  timeout: 'answer-timeout',
  limit: 'over-limit',
}

// ── Of a graded answer ───────────────────────────────────────────────────────────────────────────────

/** A grader that advises decides only where it is required, or where no other grader gave a verdict. */
function withoutIdleAdvice(
  grades: readonly Grade[],
  find: (type: string) => Grader | undefined,
): readonly Grade[] {
  const isAdvice = ({ type, required }: Grade): boolean =>
    required !== true && find(type)?.advises === true
  if (!grades.some((grade) => grade.passed !== null && !isAdvice(grade))) return grades
  return grades.map((grade) => (isAdvice(grade) ? { ...grade, passed: null } : grade))
}

/** Decimal thresholds and scores went through binary: 0.7 of three times 0.7 must not fail by rounding. */
const TOLERANCE = 1e-9

function decided(
  grades: readonly Grade[],
  threshold: number | null,
): Pick<TrialOutcome, 'outcome' | 'reason' | 'score'> {
  const isRefused = grades.some(({ required, passed }) => required === true && passed === false)
  const score = isRefused ? 0 : weightedMean(grades)
  const passed = isRefused
    ? false
    : threshold === null
      ? allPass(grades)
      : reaches(score, threshold)
  if (passed === null) return undecided(threshold)
  if (passed) return { outcome: 'passed', score }
  const culprit = grades.find((grade) => grade.passed === false)
  const text =
    culprit === undefined
      ? `score ${score} is below the threshold ${threshold}`
      : `${culprit.name}: ${culprit.reason ?? 'did not pass'}`
  return { outcome: 'failed', reason: { code: culprit?.cause ?? 'wrong-answer', text }, score }
}

const reaches = (score: number | null, threshold: number): boolean | null =>
  score === null ? null : score >= threshold - TOLERANCE

function allPass(grades: readonly Grade[]): boolean | null {
  const verdicts = grades.filter(({ passed }) => passed !== null)
  return verdicts.length === 0 ? null : verdicts.every(({ passed }) => passed === true)
}

/** Graders that leave a trial undecided have told nothing about the answer: it is not the one that failed. */
function undecided(threshold: number | null): Pick<TrialOutcome, 'outcome' | 'reason' | 'score'> {
  const text =
    threshold === null
      ? 'no grader gave a verdict, and the case has no threshold'
      : `no grader gave a score that counts, and the case has a threshold of ${threshold}`
  return { outcome: 'errored', reason: { code: 'grader-error', text }, score: null }
}

/**
 * The weighted mean of the judges' scores; weighted alike where the case gives them no weight in its own
 * score. Null where no judge was asked.
 */
const implementationRate = (judged: readonly Grade[]): number | null =>
  weightedMean(judged) ?? weightedMean(judged.map((grade) => ({ ...grade, weight: 1 })))

/** By exact sums, so that the order of the grades does not matter. */
function weightedMean(grades: readonly Grade[]): number | null {
  const weights: number[] = []
  const weighted: number[] = []
  for (const { score, weight } of grades) {
    if (score === null) continue
    weights.push(weight)
    weighted.push(weight * score)
  }
  const total = fsum(weights)
  return total > 0 ? fsum(weighted) / total : null
}
