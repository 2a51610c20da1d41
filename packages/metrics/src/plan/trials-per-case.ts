/**
 * How to split a budget between cases and trials per case. With a cost per case (writing,
 * reviewing, setting it up) and a cost per trial, the variance of the suite mean for a given budget
 * is proportional to (cost of a case with n trials) · (between + within/n), smallest at n =
 * sqrt(costCase/costTrial · within/between).
 *
 * Source: Cochran 1977, Sampling Techniques, section 10.6.
 */
import { checkBetween, checkNumber } from '../domain.ts'

export interface TrialBudget {
  /** Cost of one more case, before any trial; 0 where cases are free. */
  readonly costCase: number
  readonly costTrial: number
  /**
   * Variance of a trial about its case, and of the cases' true means; from `varianceComponents`.
   */
  readonly within: number
  readonly between: number
}

/**
 * The whole number of trials per case that makes the suite mean most precise for the money. Null
 * where cases do not differ but trials do and cases cost something: then one case with every trial
 * is best, and no number is.
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
