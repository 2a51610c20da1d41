/**
 * How to split a budget between cases and trials per case. Each case has a cost (writing,
 * reviewing, setting it up), and so has each trial. For a given budget, the variance of the suite
 * mean is proportional to (cost of a case with n trials) · (between + within/n). Here `between` is
 * the variance between cases and `within` the variance between trials of one case. The product is
 * smallest at n = sqrt(costCase/costTrial · within/between).
 *
 * Source: Cochran 1977, Sampling Techniques, section 10.6.
 */
import { checkBetween, checkNumber } from '../domain.ts'

export interface TrialBudget {
  /** Cost of one more case without its trials; 0 if cases are free. */
  readonly costCase: number
  readonly costTrial: number
  /**
   * `within` is the variance of a trial around the mean of its case, `between` the variance of the
   * cases' true means. `varianceComponents` computes both.
   */
  readonly within: number
  readonly between: number
}

/**
 * Returns the integer number of trials per case that makes the suite mean most precise for a given
 * budget. The result is null if the cases do not differ, the trials of a case differ, and a case
 * has a cost. Then it is best to spend the whole budget on trials of one case, so there is no best
 * number.
 *
 * @example trialsPerCase({ costCase: 1, costTrial: 0.1, within: 0.1, between: 0.1 }) // 3
 */
export function trialsPerCase({
  costCase,
  costTrial,
  within,
  between,
}: TrialBudget): number | null {
  checkNumber('costCase', costCase, 0)
  checkBetween('costTrial', costTrial, 0, Infinity)
  checkNumber('within', within, 0)
  checkNumber('between', between, 0)
  if (within === 0 || costCase === 0) return 1
  if (between === 0) return null
  const best = Math.sqrt((costCase / costTrial) * (within / between))
  const price = (n: number): number => (costCase + n * costTrial) * (between + within / n)
  const fewer = Math.max(1, Math.floor(best))
  return price(fewer) <= price(fewer + 1) ? fewer : fewer + 1
}
