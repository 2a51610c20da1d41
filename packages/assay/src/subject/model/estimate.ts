/** Estimates the most tokens that a trial can use, before the model is asked. The run's budget needs this estimate. */
import type { Case, Usage } from '@assay/contract'
import type { ModelParameters } from './parameters.ts'
import type { Api } from './wire.ts'

/** The assumed number of output tokens if nothing limits them. `REASONING_GUESS` is how many tokens reasoning adds. */
export const OUTPUT_GUESS = 4096
export const REASONING_GUESS = 16_384
/**
 * The assumed number of UTF-8 bytes per token. English text has about four, code three, and other scripts fewer. A low
 * value is safe, because it makes the estimate higher.
 */
const BYTES_PER_TOKEN = 2
/** The tokens that each message needs for its role and for separators. */
const TOKENS_PER_MESSAGE = 16

export function estimateUsage(asked: Case, parameters: ModelParameters, api: Api): Usage {
  const { system = '', effort = 'none' } = parameters
  const limit = parameters.maxTokens ?? asked.maxTokens
  // For some Anthropic models, reasoning tokens come in addition to the limit on output. For other APIs, the limit
  // includes them.
  const unlimited = limit === null || api === 'anthropic'
  const output = (limit ?? OUTPUT_GUESS) + (effort !== 'none' && unlimited ? REASONING_GUESS : 0)
  // Every turn is a separate request. It contains all earlier turns and answers again.
  const { system: own = '', examples = [] } = asked
  let prompt = [system, own, ...examples.map(({ content }) => content)].reduce(
    (sum, text) => sum + (text === '' ? 0 : tokensIn(text)),
    0,
  )
  let input = 0
  for (const [answersBefore, turn] of asked.turns.entries()) {
    prompt += tokensIn(turn)
    input += prompt + answersBefore * output
  }
  return {
    input,
    cacheRead: 0,
    cacheWrite: 0,
    output: output * asked.turns.length,
    reasoning: 0,
  }
}

function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE
}
