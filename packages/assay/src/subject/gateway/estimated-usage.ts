/**
 * Estimates the usage of an answer that was cut off, or whose provider did not report its usage. The estimate is rather
 * too high than too low. Otherwise an agent could make its trial cheaper by breaking off answers.
 */
import type { Usage } from '@assay/contract'
import type { ReadReply } from './reply-reader.ts'

/** The assumed number of bytes per token. English text has about four. A lower value gives a higher estimate. */
const BYTES_PER_TOKEN = 2
/** The most tokens of one estimate. No model reads or writes more in one request. */
const MOST_TOKENS = 2_000_000

export function estimatedUsage(
  requestBytes: number,
  { begun, bytes }: Pick<ReadReply, 'begun' | 'bytes'>,
): Usage {
  const tokens = (size: number): number => Math.min(MOST_TOKENS, Math.ceil(size / BYTES_PER_TOKEN))
  return {
    input: begun?.input ?? tokens(requestBytes),
    cacheRead: begun?.cacheRead ?? 0,
    cacheWrite: begun?.cacheWrite ?? 0,
    output: Math.max(begun?.output ?? 0, tokens(bytes)),
    reasoning: begun?.reasoning ?? 0,
  }
}
