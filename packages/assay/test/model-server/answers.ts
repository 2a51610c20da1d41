/** Answers that depend only on the request, so that they stay the same when the client restarts. */
import { createHash } from 'node:crypto'
import type { ModelReply, ModelRequest } from './wire.ts'

/**
 * A prompt that contains `Answer with: TEXT` gets TEXT, any other prompt gets its own digest. A share of the
 * answers is "wrong" instead, and the usage varies. Both depend only on model, prompt and seed. So the same trial
 * always gets the same answer, however often it asks.
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
