/**
 * Passes an answer of the provider on to the agent, and reads a copy of it. From here on the request cannot be retried,
 * because the agent has already received a part of the answer.
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

/** An answer that was passed on, or the part of it that arrived. */
export interface Passed {
  readonly status: number
  readonly usage: Usage
  readonly isEstimated: boolean
  /** Why the answer is incomplete, if the provider is responsible. Otherwise null. */
  readonly broken: string | null
  readonly replied: RepliedCalls
  /** The reply as text, if it is recorded. */
  readonly recorded: { readonly reply: string; readonly type: string } | null
}

export interface PassOptions {
  readonly api: Api
  readonly filter: EventFilter | null
  /** The body of the request. Its size is used if the usage must be estimated. */
  readonly body: Buffer
  /** Aborts when the agent or the trial has ended. */
  readonly signal: AbortSignal
  /** The deadline for the provider's next bytes. It is moved whenever bytes arrive. */
  readonly timer: NodeJS.Timeout
  readonly timeoutMs: number
  /** Whether the reply is recorded. */
  readonly isRecorded: boolean
}

/** How long an agent may stop reading its answer. */
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
  // Aborts if the agent stops reading. Otherwise it would keep a slot of its provider occupied.
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
    // If the agent or the end of the trial broke the answer off, the provider is not responsible.
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
      // For a reply that was broken off, an incomplete copy is normal: everything that arrived was read.
      isLossy: read.isCut || (copy.isCut && isWhole),
    },
  }
}
