/**
 * Figures of code trials, per case and per model. As in the document code-scoring, there are two
 * kinds of average. The compilation rate is a mean over trials. The test pass rate is a mean over
 * cases, where each case counts with the mean of its trials. The two kinds differ only if cases
 * have different numbers of trials.
 */
import { checkInteger, checkLength, checkNumber } from '../../domain.ts'
import { mean } from '../../fsum.ts'
import {
  CODE_WEIGHTS,
  codeScore,
  lintScore,
  testPassRate,
  type CodeResult,
  type CodeWeights,
} from './code-score.ts'
import { totalUsd } from '../tiers/cost.ts'
import { passAtK } from '../pass-at-k.ts'

/** One scored trial: the result of the code grader, the verdict, the cost and the latency. */
export interface CodeTrial extends CodeResult {
  /**
   * The verdict that pass@k counts. It is the result of `isCorrect`, unless the case expects
   * something else.
   */
  readonly correct: boolean
  /** The cost of the trial in US dollars; null if the price is unknown. */
  readonly costUsd: number | null
  readonly latencyMs: number
}

/** pass@k of a case for one k. */
export interface PassAtKOfCase {
  readonly k: number
  /** The value of pass@k; null if the case has fewer than k trials. */
  readonly value: number | null
}

export interface CodeCaseStats {
  readonly n: number
  readonly c: number
  readonly passAtK: readonly PassAtKOfCase[]
  readonly meanScore: number
  readonly compilationRate: number
  readonly testPassRate: number
}

export interface CodeModelStats {
  readonly cases: number
  readonly trials: number
  /** The mean of pass@k over the cases with at least k trials. `cases` is the number of these cases. */
  readonly passAtK: readonly (PassAtKOfCase & { readonly cases: number })[]
  readonly meanScore: number
  /** Share of trials that compile. */
  readonly compilationRate: number
  /** The mean over cases of the test pass rate of each case. */
  readonly testPassRate: number
  /** The mean lint score over the trials that compile; null if no trial compiles. */
  readonly lintScore: number | null
  /** The sum of the costs of all trials; null if the cost of a trial is unknown. */
  readonly totalCostUsd: number | null
  readonly unknownCosts: number
  readonly meanLatencyMs: number
}

/**
 * Returns the figures of one case over its scored trials.
 *
 * @example
 * const trial = { compiled: true, passed: 4, failed: 0, warnings: 0, correct: true, costUsd: 0.01, latencyMs: 900 }
 * codeCaseStats([trial], [1]).passAtK // [{ k: 1, value: 1 }]
 */
export function codeCaseStats(
  trials: readonly CodeTrial[],
  ks: readonly number[],
  weights: CodeWeights = CODE_WEIGHTS,
): CodeCaseStats {
  checkLength('trials', trials)
  for (const k of ks) checkInteger('ks', k, 1)
  const n = trials.length
  const c = trials.filter((trial) => trial.correct).length
  return {
    n,
    c,
    passAtK: ks.map((k) => ({ k, value: k > n ? null : passAtK(n, c, k) })),
    meanScore: mean(trials.map((trial) => codeScore(trial, weights))),
    compilationRate: trials.filter((trial) => trial.compiled).length / n,
    testPassRate: mean(trials.map(testPassRate)),
  }
}

/**
 * Returns the figures of one model over the scored trials of each of its cases.
 *
 * @example
 * const trial = { compiled: true, passed: 4, failed: 0, warnings: 0, correct: true, costUsd: 0.01, latencyMs: 900 }
 * codeModelStats([[trial], [trial]], [1]).totalCostUsd // 0.02
 */
export function codeModelStats(
  cases: ReadonlyArray<readonly CodeTrial[]>,
  ks: readonly number[],
  weights: CodeWeights = CODE_WEIGHTS,
): CodeModelStats {
  checkLength('cases', cases)
  const perCase = cases.map((trials) => codeCaseStats(trials, ks, weights))
  const trials = cases.flat()
  for (const trial of trials) checkNumber('latencyMs', trial.latencyMs, 0)
  const compiled = trials.filter((trial) => trial.compiled)
  const costs = trials.flatMap((trial) => (trial.costUsd === null ? [] : [trial.costUsd]))
  const unknownCosts = trials.length - costs.length
  return {
    cases: cases.length,
    trials: trials.length,
    passAtK: ks.map((k, i) => {
      const values = perCase.flatMap(({ passAtK: curve }) => curve[i]?.value ?? [])
      return { k, value: values.length === 0 ? null : mean(values), cases: values.length }
    }),
    meanScore: mean(perCase.map((stats) => stats.meanScore)),
    compilationRate: compiled.length / trials.length,
    testPassRate: mean(perCase.map((stats) => stats.testPassRate)),
    lintScore:
      compiled.length === 0
        ? null
        : mean(compiled.map((trial) => lintScore(trial.warnings, weights.perWarning))),
    totalCostUsd: unknownCosts > 0 ? null : totalUsd(costs),
    unknownCosts,
    meanLatencyMs: mean(trials.map((trial) => trial.latencyMs)),
  }
}
