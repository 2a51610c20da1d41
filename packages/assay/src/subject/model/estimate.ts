/** Estimates an upper limit for the tokens of a trial before it is asked, for the budget. */
import type { Case, Usage } from '@assay/contract'
import type { ModelParameters } from './parameters.ts'
import type { Api } from './wire.ts'

/** The output to expect if nothing limits it, and how much reasoning adds to it. */
export const OUTPUT_GUESS = 4096
export const REASONING_GUESS = 16_384
/** Bytes of UTF-8 per token. English has about four, code three, other scripts fewer; 2 is a safe guess. */
const BYTES_PER_TOKEN = 2
/** Tokens for the role and the separators of each message. */
const TOKENS_PER_MESSAGE = 16

export function estimateUsage(asked: Case, parameters: ModelParameters, api: Api): Usage {
  const { system = '', effort = 'none' } = parameters
  const limit = parameters.maxTokens ?? asked.maxTokens
  // For some Anthropic models, reasoning is added to the limit. Elsewhere the limit includes it.
  const unlimited = limit === null || api === 'anthropic'
  const output = (limit ?? OUTPUT_GUESS) + (effort !== 'none' && unlimited ? REASONING_GUESS : 0)
  // Every turn is a separate request that contains all earlier turns and answers.
  let prompt = tokensIn(system)
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
