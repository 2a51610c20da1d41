/** An upper guess at the tokens of a trial that has not been asked yet, for the budget. */
import type { Case, Usage } from '@assay/contract'
import type { ModelParameters } from './parameters.ts'
import type { Api } from './wire.ts'

/** Output where nothing limits it; a model that was told to reason writes more. */
export const OUTPUT_GUESS = 4096
export const REASONING_GUESS = 16_384
/** Bytes of UTF-8 for a token: English has about four, code three, other scripts fewer. */
const BYTES_PER_TOKEN = 2
/** Roles and separators around each message. */
const TOKENS_PER_MESSAGE = 16

export function estimateUsage(asked: Case, parameters: ModelParameters, api: Api): Usage {
  const { system = '', effort = 'none' } = parameters
  const limit = parameters.maxTokens ?? asked.maxTokens
  // For some models of Anthropic's the reasoning comes on top of the limit; elsewhere it is inside.
  const unlimited = limit === null || api === 'anthropic'
  const output = (limit ?? OUTPUT_GUESS) + (effort !== 'none' && unlimited ? REASONING_GUESS : 0)
  // Every turn is a request of its own, with all the turns and answers before it.
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
