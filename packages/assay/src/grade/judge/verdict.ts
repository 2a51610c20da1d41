/**
 * The verdict of one judge: the consensus of its runs, for the whole score and for each criterion. The consensus is
 * the mean over the runs, weighted by the confidence that the judge stated. A run without a stated confidence counts
 * as if it were certain, and the grade says so.
 */
import { consensus, mean } from '@assay/metrics'
import type { Criterion } from './rubric.ts'
import type { JudgeRun, JudgeRuns } from './runs.ts'

export interface Verdict extends JudgeRuns {
  readonly score: number
  readonly passed: boolean
  /** The mean of the stated confidences. Null if no run states one. */
  readonly confidence: number | null
  readonly criteria: readonly CriterionVerdict[]
  /** How many runs state no overall confidence. They have the weight 1. */
  readonly unstated: number
  /** Whether all runs state the confidence 0. The score is then their plain mean. */
  readonly isUnsure: boolean
}

export interface CriterionVerdict {
  readonly criterion: Criterion
  /** Null if every run says that the criterion does not apply. */
  readonly score: number | null
  readonly confidence: number | null
}

const TOLERANCE = 1e-9

export const reaches = (score: number, threshold: number): boolean => score >= threshold - TOLERANCE

export function verdictOf(asked: JudgeRuns, threshold: number): Verdict {
  const { runs } = asked
  const score = consensus(runs.map(counted))
  if (score === null) throw new Error('a verdict needs a run')
  return {
    ...asked,
    score,
    passed: reaches(score, threshold),
    confidence: meanStated(runs),
    criteria: (runs[0]?.marks ?? []).map(({ criterion }) => criterionVerdict(criterion, runs)),
    unstated: runs.filter(({ confidence }) => confidence === null).length,
    isUnsure: runs.every(({ confidence }) => confidence === 0),
  }
}

interface Stated {
  readonly confidence: number | null
}

const counted = ({ score, confidence }: Stated & { readonly score: number }) => ({
  score,
  confidence: confidence ?? 1,
})

function criterionVerdict(criterion: Criterion, runs: readonly JudgeRun[]): CriterionVerdict {
  const marks = runs.flatMap(({ marks: all }) => all.filter((one) => one.criterion === criterion))
  const applying = marks.flatMap(({ score, confidence }) =>
    score === null ? [] : [{ score, confidence }],
  )
  return {
    criterion,
    score: consensus(applying.map(counted)),
    confidence: meanStated(applying),
  }
}

function meanStated(all: readonly Stated[]): number | null {
  const stated = all.flatMap(({ confidence }) => confidence ?? [])
  return stated.length === 0 ? null : mean(stated)
}
