/** Answers that are a function of the request, for servers that outlive who asks them. */
import { createHash } from 'node:crypto'
import type { ModelReply, ModelRequest } from './wire.ts'

/**
 * A prompt that holds `Answer with: TEXT` gets TEXT; any other its own digest. A share of the answers is
 * "wrong" instead, and usage varies: both by model, prompt and seed alone, so that the same trial gets
 * the same answer however often and whenever it asks.
 */
export function answerFromPrompt(wrongShare = 0): (request: ModelRequest) => ModelReply {
  return ({ model, prompt, seed }) => {
    const digest = createHash('sha256').update([model, prompt, seed].join('\u0000')).digest()
    const wanted = /Answer with: (.*)/u.exec(prompt)?.[1] ?? digest.toString('hex').slice(0, 16)
    const text = digest.readUInt32BE() / 2 ** 32 < wrongShare ? 'wrong' : wanted
    return {
      text,
      usage: {
        input: 10 + (digest[4] ?? 0),
        cacheRead: 0,
        cacheWrite: 0,
        output: 1 + (digest[5] ?? 0),
        reasoning: 0,
      },
    }
  }
}
