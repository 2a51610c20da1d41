/**
 * Passes an answer on to the agent and reads a copy of it. What happens from here on cannot be tried again, because the agent
 * has seen a part of the answer.
 */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Usage } from '@assay/contract'
import type { Api } from '../model/wire.ts'
import { decoded } from './decoded.ts'
import { estimatedUsage } from './estimated-usage.ts'
import type { EventFilter } from './include-usage.ts'
import type { RepliedCalls } from './evidence.ts'
import { replyReader } from './reply-reader.ts'
import { replyHeaders } from './wire-http.ts'

/** An answer, or the part of one that came. */
export interface Passed {
  readonly status: number
  readonly usage: Usage
  readonly isEstimated: boolean
  /** Why the answer is not whole, if that is the provider's fault. */
  readonly broken: string | null
  readonly replied: RepliedCalls
  /** The reply as text, if it is recorded. */
  readonly recorded: { readonly reply: string; readonly type: string } | null
}

export interface PassOptions {
  readonly api: Api
  readonly filter: EventFilter | null
  /** The body of the request, for an estimate. */
  readonly body: Buffer
  /** Aborts when the agent or the trial has ended. */
  readonly signal: AbortSignal
  /** The deadline for the provider's next bytes. It is moved with each of them. */
  readonly timer: NodeJS.Timeout
  readonly timeoutMs: number
  /** Whether the reply is kept. */
  readonly isRecorded: boolean
}

/** How long an agent may not read its answer. */
const READ_MS = 60_000

export async function passReply(
  response: ServerResponse,
  reply: IncomingMessage,
  { api, filter, body, signal, timer, timeoutMs, isRecorded }: PassOptions,
): Promise<Passed> {
  const isStream = /^text\/event-stream\b/iu.test(reply.headers['content-type'] ?? '')
  const reader = replyReader(api, isStream)
  const kept: Buffer[] = []
  const copy = decoded(reply.headers['content-encoding'], (chunk) => {
    reader.add(chunk)
    if (isRecorded) kept.push(chunk)
  })
  const edits = isStream && copy.isPlain ? filter : null
  response.writeHead(reply.statusCode ?? 200, replyHeaders(reply, edits !== null))
  let broken: string | null = null
  let isWhole = false
  // An agent that does not read must not hold a slot of its provider.
  const slow = new AbortController()
  const write = async (bytes: Buffer): Promise<void> => {
    if (bytes.length === 0 || response.destroyed || response.write(bytes)) return
    timer.refresh()
    const late = setTimeout(() => slow.abort(), Math.min(READ_MS, timeoutMs / 2))
    const until = { signal: AbortSignal.any([signal, slow.signal]) }
    try {
      await Promise.race([once(response, 'drain', until), once(response, 'close', until)])
    } finally {
      clearTimeout(late)
      timer.refresh()
    }
  }
  try {
    for await (const chunk of reply as AsyncIterable<Buffer>) {
      timer.refresh()
      copy.add(chunk)
      await write(edits === null ? chunk : edits.add(chunk))
    }
    isWhole = true
    if (edits !== null) await write(edits.end())
    response.end()
  } catch (error) {
    // If the agent or the end of the trial broke it off, the provider is not to blame.
    if (!signal.aborted && !slow.signal.aborted && !response.destroyed)
      broken = error instanceof Error ? error.message : String(error)
    response.destroy()
  }
  await copy.end()
  const read = reader.end()
  const usage = read.isComplete ? read.usage : null
  return {
    status: reply.statusCode ?? 200,
    usage: usage ?? estimatedUsage(body.length, read),
    isEstimated: usage === null,
    recorded: isRecorded
      ? {
          reply: Buffer.concat(kept).toString('utf8'),
          type: reply.headers['content-type'] ?? '',
        }
      : null,
    broken: broken ?? (read.usage === null ? read.error : null),
    replied: {
      calls: read.calls,
      isComplete: read.isComplete,
      // A reply that was broken off ends early, but all that came of it was read.
      isLossy: read.isCut || (copy.isCut && isWhole),
    },
  }
}
