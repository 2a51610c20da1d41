/**
 * The score of one case over its trials, with the types and names of the document
 * scoring-functions, which calls a case a stimulus.
 */
import { checkLength, checkNumber } from '../domain.ts'
import { mean } from '../fsum.ts'
import {
  computeMultiTrialMetrics,
  flakinessPercent,
  isFlaky,
  type MultiTrialMetrics,
} from './multi-trial.ts'

export interface GraderResult {
  name: string
  /** A score from 0 to 1. */
  score: number
  passed: boolean
  details?: GraderResult[]
}

export interface StimulusScore {
  stimulusName: string
  /** The results of the graders, indexed as trialResults[trial][grader]. */
  trialResults: GraderResult[][]
  /** The mean over the trials of the weighted score of each trial. */
  aggregateScore: number
  multiTrial: MultiTrialMetrics
  /** True when no graders were configured. */
  unscored: boolean
  /** True if some but not all trials passed. */
  flaky: boolean
  /** The share of the rarer outcome (pass or failure) among the trials, in percent. */
  flakinessPercent: number
}

/**
 * Aggregates the trials of one stimulus. Each trial has a weighted grade. The `details` of the grade
 * are the results of the single graders. A grade without details counts as the result of the only
 * grader. A stimulus without graders is unscored: all its figures are 0, it is not flaky, and the
 * skill's mean leaves it out.
 *
 * @example
 * const grade = { name: 'exact', score: 1, passed: true }
 * computeStimulusScore('greets', [{ grade, passed: true }], true).aggregateScore // 1
 */
export function computeStimulusScore(
  stimulusName: string,
  trialGrades: ReadonlyArray<{ grade: GraderResult; passed: boolean }>,
  hasGraders: boolean,
): StimulusScore {
  if (!hasGraders) return unscoredStimulus(stimulusName, trialGrades.length)
  checkLength('trialGrades', trialGrades)
  for (const { grade } of trialGrades) checkNumber(`score of ${grade.name}`, grade.score, 0, 1)

  const passed = trialGrades.map((trial) => trial.passed)
  const n = passed.length
  const c = passed.filter(Boolean).length
  return {
    stimulusName,
    trialResults: trialGrades.map(({ grade }) => grade.details ?? [grade]),
    aggregateScore: mean(trialGrades.map(({ grade }) => grade.score)),
    multiTrial: computeMultiTrialMetrics(passed),
    unscored: false,
    flaky: isFlaky(n, c),
    flakinessPercent: flakinessPercent(n, c),
  }
}

function unscoredStimulus(stimulusName: string, trials: number): StimulusScore {
  return {
    stimulusName,
    trialResults: Array.from({ length: trials }, () => []),
    aggregateScore: 0,
    multiTrial: { perTrialPassRate: 0, passAtK: 0, passToTheK: 0, k: trials },
    unscored: true,
    flaky: false,
    flakinessPercent: 0,
  }
}
