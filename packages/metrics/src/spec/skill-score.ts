/**
 * The score of a suite (called a skill in scoring-functions): the mean of the scores of its cases
 * (called stimuli). In a mean over all trials, a stimulus with many trials would have more weight
 * than the others.
 */
import { checkNumber } from '../domain.ts'
import { mean } from '../fsum.ts'
import type { MultiTrialMetrics } from './multi-trial.ts'
import type { StimulusScore } from './stimulus-score.ts'
import { atLeast } from './tolerance.ts'

export interface SkillScore {
  skillName: string
  stimulusScores: StimulusScore[]
  /** Mean of stimulus aggregate scores. */
  overallScore: number
  overallMultiTrial: MultiTrialMetrics
  /** overallScore ≥ threshold. */
  passed: boolean
}

/**
 * Aggregates stimulus scores into the score of a skill. Unscored stimuli are left out of every mean
 * ({@link countUnscored} counts them). If no stimulus is scored, the skill has the score 0 and does
 * not pass. pass@k and pass^k of each stimulus are at k = its number of trials. The overall `k` is
 * the smallest of these.
 *
 * @example
 * const easy = computeStimulusScore('easy', [{ grade: { name: 'g', score: 1, passed: true }, passed: true }], true)
 * computeSkillScore('greeting', [easy], 0.8).passed // true
 */
export function computeSkillScore(
  skillName: string,
  stimulusScores: readonly StimulusScore[],
  threshold: number,
): SkillScore {
  checkNumber('threshold', threshold, 0, 1)
  const scored = stimulusScores.filter((stimulus) => !stimulus.unscored)
  const overallScore = meanOrZero(scored.map((stimulus) => stimulus.aggregateScore))
  const trials = scored.map((stimulus) => stimulus.multiTrial)
  return {
    skillName,
    stimulusScores: [...stimulusScores],
    overallScore,
    overallMultiTrial: {
      perTrialPassRate: meanOrZero(trials.map((trial) => trial.perTrialPassRate)),
      passAtK: meanOrZero(trials.map((trial) => trial.passAtK)),
      passToTheK: meanOrZero(trials.map((trial) => trial.passToTheK)),
      k: trials.reduce((least, trial) => Math.min(least, trial.k), trials[0]?.k ?? 0),
    },
    passed: scored.length > 0 && atLeast(overallScore, threshold),
  }
}

/**
 * How many stimuli have no grader and are therefore left out of the means.
 *
 * @example countUnscored([computeStimulusScore('open question', [], false)]) // 1
 */
export function countUnscored(stimulusScores: readonly StimulusScore[]): number {
  return stimulusScores.filter((stimulus) => stimulus.unscored).length
}

const meanOrZero = (values: readonly number[]): number => (values.length === 0 ? 0 : mean(values))
