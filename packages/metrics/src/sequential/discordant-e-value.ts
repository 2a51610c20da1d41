/**
 * Evidence that two subjects differ, from the pairs in which exactly one of them passed. If neither
 * is better, such a pair goes either way with probability 1/2; the e-value is the mixture
 * likelihood ratio of the wins against that, B(1/2 + W, 1/2 + L)/B(1/2, 1/2)·2^(W + L). Looked at
 * after every pair it exceeds 20 with probability at most 1/20 when there is no difference, so a
 * comparison may stop as soon as it does.
 */
import { checkInteger } from '../domain.ts'
import { logMixtureLikelihoodRatio } from './mixture-likelihood.ts'

/**
 * Up to here the product of few factors is exact to the last digits, and 1 where it should be 1.
 */
const MOST_FACTORS = 64

/** The e-value as (2W − 1)!!·(2L − 1)!!/(W + L)!, one factor per pair. */
function product(wins: number, losses: number): number {
  let value = 1
  for (let i = 1; i <= wins; i++) value *= (2 * i - 1) / i
  for (let i = 1; i <= losses; i++) value *= (2 * i - 1) / (wins + i)
  return value
}

/**
 * The e-value against "a discordant pair goes either way equally often": 1 is no evidence, 20
 * rejects at 5 %. Infinity only where it is beyond 1.8e308; its logarithm is then still exact.
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
 * ln of {@link discordantEValue}, for evidence beyond the range of a double.
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
