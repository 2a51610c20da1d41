/**
 * Evidence that two subjects differ, from the discordant pairs: pairs of trials in which exactly
 * one subject passed. If neither subject is better, each wins such a pair with probability 1/2. The
 * e-value is the mixture likelihood ratio (mixture-likelihood.ts) of W wins and L losses against
 * this rate of 1/2. It is B(1/2 + W, 1/2 + L)/B(1/2, 1/2)·2^(W + L), where B is the beta function.
 * If there is no difference, the e-value ever reaches 20 with probability at most 1/20, even if it
 * is checked after every pair. So a comparison may stop as soon as it reaches 20.
 */
import { checkInteger } from '../domain.ts'
import { logMixtureLikelihoodRatio } from './mixture-likelihood.ts'

/**
 * The largest number of pairs for which the product formula is used. The formula is accurate to the
 * last digits, and it gives exactly 1 where the e-value is 1.
 */
const MOST_FACTORS = 64

/**
 * Returns the e-value as (2W − 1)!!·(2L − 1)!!/(W + L)!, with one factor per pair. W is `wins`, L
 * is `losses`, and m!! is the product of the odd numbers up to m.
 */
function product(wins: number, losses: number): number {
  let value = 1
  for (let i = 1; i <= wins; i++) value *= (2 * i - 1) / i
  for (let i = 1; i <= losses; i++) value *= (2 * i - 1) / (wins + i)
  return value
}

/**
 * Returns the e-value against the hypothesis "both subjects win discordant pairs equally often". 1
 * is no evidence, and 20 rejects the hypothesis at 5 %. The result is Infinity only if it is above
 * 1.8e308; {@link logDiscordantEValue} is still finite then.
 *
 * @example discordantEValue(3, 0) // 2.5
 */
export function discordantEValue(wins: number, losses: number): number {
  checkInteger('wins', wins, 0)
  checkInteger('losses', losses, 0)
  const pairs = wins + losses
  if (pairs <= MOST_FACTORS) return product(wins, losses)
  return Math.exp(logMixtureLikelihoodRatio(pairs, wins, 0.5))
}

/**
 * Returns the logarithm of {@link discordantEValue}, for evidence beyond the range of a double.
 *
 * @example logDiscordantEValue(1, 0) // 0
 */
export function logDiscordantEValue(wins: number, losses: number): number {
  checkInteger('wins', wins, 0)
  checkInteger('losses', losses, 0)
  const pairs = wins + losses
  if (pairs <= MOST_FACTORS) return Math.log(product(wins, losses))
  return logMixtureLikelihoodRatio(pairs, wins, 0.5)
}
