/**
 * Evidence that two subjects differ, from the pairs in which exactly one of them passed. If neither is better,
 * such a pair goes either way with probability 1/2; the e-value is the mixture likelihood ratio of the wins
 * against that, B(1/2 + W, 1/2 + L)/B(1/2, 1/2)·2^(W + L). Looked at after every pair it exceeds 20 with
 * probability at most 1/20 when there is no difference, so a comparison may stop as soon as it does.
 */
import { checkInteger } from '../domain.ts'
import { logMixtureLikelihoodRatio } from './mixture-likelihood.ts'

/**
 * ln of {@link discordantEValue}, for evidence beyond the range of a double.
 *
 * @example logDiscordantEValue(1, 0) // 0
 */
export function logDiscordantEValue(wins: number, losses: number): number {
  checkInteger('wins', wins, 0)
  checkInteger('losses', losses, 0)
  return logMixtureLikelihoodRatio(wins + losses, wins, 0.5)
}

/**
 * The e-value against "a discordant pair goes either way equally often": 1 is no evidence, 20 rejects at 5 %.
 * Infinity only where it is beyond 1.8e308; its logarithm is then still exact.
 *
 * @example discordantEValue(8, 0) // 50.2734375
 */
export function discordantEValue(wins: number, losses: number): number {
  return Math.exp(logDiscordantEValue(wins, losses))
}
