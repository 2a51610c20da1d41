/**
 * The cost of a trial and the cost per pass. Prices are per million tokens, as providers publish
 * them. Costs are added as integer nano-dollars, so the total does not depend on the order.
 */
import { checkInteger, checkNumber } from '../../domain.ts'
import { Sum } from '../../fsum.ts'

export interface TokenCost {
  readonly inputTokens: number
  readonly inputPricePer1M: number
  readonly outputTokens: number
  readonly outputPricePer1M: number
  /** Tokens read from the provider's prompt cache, which are not part of `inputTokens`. */
  readonly cacheReadTokens?: number
  readonly cacheReadPricePer1M?: number
  /** Tokens written to the provider's prompt cache, which are not part of `inputTokens`. */
  readonly cacheWriteTokens?: number
  readonly cacheWritePricePer1M?: number
}

/**
 * Returns the cost in US dollars: Σ tokens · price per million / 10^6 over the four kinds of tokens
 * (input, output, cache read, cache write). If there are cached tokens without a price, the
 * function throws. It never uses the input price instead.
 *
 * @example costUsd({ inputTokens: 1000, inputPricePer1M: 3, outputTokens: 500, outputPricePer1M: 15 }) // 0.0105
 */
export function costUsd(usage: TokenCost): number {
  const classes = [
    ['input', usage.inputTokens, usage.inputPricePer1M],
    ['output', usage.outputTokens, usage.outputPricePer1M],
    ['cacheRead', usage.cacheReadTokens ?? 0, usage.cacheReadPricePer1M],
    ['cacheWrite', usage.cacheWriteTokens ?? 0, usage.cacheWritePricePer1M],
  ] as const
  const millionths = new Sum()
  for (const [name, tokens, price] of classes) {
    checkInteger(`${name}Tokens`, tokens, 0)
    if (tokens > 0 || price !== undefined) checkNumber(`${name}PricePer1M`, price ?? Number.NaN, 0)
    millionths.add(tokens * (price ?? 0))
  }
  return millionths.value / 1e6
}

/**
 * Returns the cost per pass, which is cost / pass rate. The result is Infinity if nothing passes,
 * even if the cost is 0. Otherwise a subject without passes could seem to be free.
 *
 * @example costOfPass(1, 0.8) // 1.25
 */
export function costOfPass(usd: number, passRate: number): number {
  checkNumber('costUsd', usd, 0)
  checkNumber('passRate', passRate, 0, 1)
  return passRate === 0 ? Infinity : usd / passRate
}

const NANO = 1e9

/**
 * Returns the sum of dollar amounts, each rounded to whole nano-dollars. The total does not depend
 * on the order.
 *
 * @example totalUsd([0.1, 0.2]) // 0.3
 */
export function totalUsd(costs: Iterable<number>): number {
  const nanos = new Sum()
  for (const cost of costs) {
    checkNumber('costs', cost)
    nanos.add(Math.round(cost * NANO))
  }
  return nanos.value / NANO
}
