/**
 * The score of a suite: the mean of the scores of its cases. The document scoring-functions calls a
 * suite a skill and a case a stimulus. The score is not a mean over all trials, because a stimulus
 * with many trials would then have more weight than the others.
 */
import { checkNumber } from '../domain.ts'
import { mean } from '../fsum.ts'
import type { MultiTrialMetrics } from './multi-trial.ts'
import type { StimulusScore } from './stimulus-score.ts'
import { atLeast } from './tolerance.ts'

export interface SkillScore {
  skillName: string
  stimulusScores: StimulusScore[]
  /** The mean of the aggregate scores of the scored stimuli. */
  overallScore: number
  overallMultiTrial: MultiTrialMetrics
  /** Whether overallScore is at least the threshold. False if no stimulus is scored. */
  passed: boolean
}

/**
 * Aggregates stimulus scores into the score of a skill. Unscored stimuli are left out of every mean
 * ({@link countUnscored} counts them). If no stimulus is scored, the skill has the score 0 and does
 * not pass. pass@k and pass^k of a stimulus use its number of trials as k. The overall `k` is the
 * smallest of these numbers.
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
 * Counts the stimuli that have no grader and are therefore left out of the means.
 *
 * @example countUnscored([computeStimulusScore('open question', [], false)]) // 1
 */
export function countUnscored(stimulusScores: readonly StimulusScore[]): number {
  return stimulusScores.filter((stimulus) => stimulus.unscored).length
}

const meanOrZero = (values: readonly number[]): number => (values.length === 0 ? 0 : mean(values))
