/**
 * Signs everything that passes through Redis with a key that the coordinator and the workers share. Somebody who can
 * write to Redis but does not have the key can neither make a worker execute something nor put a result into a log. A
 * signature covers the purpose of a message and its run. So a message cannot be used for another purpose or in another
 * run.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { UsageError } from '@assay/contract'
import { ownVariable } from '../environment/index.ts'

export const KEY_VARIABLE = 'ASSAY_QUEUE_KEY'

/** The least length of a key. Shorter keys could be found by trying many keys. */
const LEAST_LENGTH = 16

export type Purpose = 'run' | 'beat' | 'job' | 'answer' | 'result' | 'event' | 'fit' | 'given-up'

export interface Signer {
  /** Returns the value as text with its signature. */
  readonly sign: (purpose: Purpose, run: string, value: unknown) => string
  /**
   * Returns the value of a signed text. Returns null if the signature is missing or wrong, or if the text is not JSON.
   */
  readonly open: (purpose: Purpose, run: string, signed: string) => unknown
}

/** Returns the key from the environment. Throws a `UsageError` if there is none. */
export function queueKey(): string {
  const key = ownVariable(KEY_VARIABLE)
  if (key === undefined || key.trim() === '')
    throw new UsageError(
      `${KEY_VARIABLE} is not set. Give the coordinator and all workers the same secret, such as the output of: openssl rand -hex 32`,
    )
  if (key.length < LEAST_LENGTH)
    throw new UsageError(
      `${KEY_VARIABLE} is shorter than ${LEAST_LENGTH} characters: use the output of openssl rand -hex 32`,
    )
  return key
}

const DIGEST_LENGTH = 64

export function signerOf(key: string): Signer {
  const digest = (purpose: Purpose, run: string, text: string): string =>
    createHmac('sha256', key).update(`assay 1\n${purpose}\n${run}\n${text}`).digest('hex')
  return {
    sign(purpose, run, value) {
      const text = JSON.stringify(value)
      return `${digest(purpose, run, text)}${text}`
    },
    open(purpose, run, signed) {
      const given = Buffer.from(signed.slice(0, DIGEST_LENGTH))
      const text = signed.slice(DIGEST_LENGTH)
      const right = Buffer.from(digest(purpose, run, text))
      if (given.length !== right.length || !timingSafeEqual(given, right)) return null
      try {
        return JSON.parse(text) as unknown
      } catch {
        return null
      }
    },
  }
}
