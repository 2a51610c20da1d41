/**
 * Reads the usage and the tool calls of a reply from a copy of its bytes, while the reply itself goes to the agent. A reply is one JSON
 * value or a stream of events. The counts are read by the same code as those of plain models (`model/wire.ts`), so
 * that an agent and a model that it uses cannot be priced differently. Replies can contain anything.
 */
import type { Usage } from '@assay/contract'
import { child, isRecord, parseJson, type JsonRecord } from '../json.ts'
import { readError, readUsage, type Api } from '../model/wire.ts'
import { callReader, type RepliedCall } from './call-reader.ts'

export interface ReadReply {
  /** Null if the provider did not report it, or not credibly. */
  readonly usage: Usage | null
  /** Whether the reply reached its own end. */
  readonly isComplete: boolean
  /** The input that was reported before the reply was cut off; null if it was not. */
  readonly begun: Usage | null
  /** The bytes of the reply's data, for an estimate if there is no usage. */
  readonly bytes: number
  /** An error in the body of a reply with status 200. */
  readonly error: string | null
  readonly calls: readonly RepliedCall[]
  /** Whether a part of the reply was too large to be read, so that calls may be missing. */
  readonly isCut: boolean
}

export interface ReplyReader {
  add(chunk: Buffer): void
  end(): ReadReply
}

/** The limit on bytes of a reply that is not a stream, and of one event. What is larger is not read. */
const MOST_BYTES = 32 * 1024 * 1024
const MOST_EVENT = 8 * 1024 * 1024

export function replyReader(api: Api, isStream: boolean): ReplyReader {
  return isStream ? eventReader(api) : wholeReader(api)
}

function wholeReader(api: Api): ReplyReader {
  const chunks: Buffer[] = []
  const calls = callReader(api)
  let bytes = 0
  return {
    add(chunk) {
      bytes += chunk.length
      if (bytes <= MOST_BYTES) chunks.push(chunk)
      else chunks.length = 0
    },
    end() {
      const json = parseJson(Buffer.concat(chunks).toString('utf8'))
      // Without `alt=sse`, Google streams a list of replies. The last one has the usage.
      const last: unknown = Array.isArray(json) ? json.findLast(isRecord) : json
      calls.whole(json)
      const found = calls.end()
      return {
        usage: readUsage(api, last),
        isComplete: isRecord(last),
        begun: null,
        bytes,
        error: readError(json)?.message ?? null,
        calls: found.calls,
        isCut: found.isCut || bytes > MOST_BYTES,
      }
    },
  }
}

/** Reads server-sent events: lines that begin with `data:`, with an empty line after each event. */
function eventReader(api: Api): ReplyReader {
  const events = READERS[api]()
  const calls = callReader(api)
  let isCut = false
  let rest: Buffer = Buffer.alloc(0)
  let data: string[] = []
  let size = 0
  let bytes = 0
  let error: string | null = null

  const line = (text: string): void => {
    if (text === '') {
      const json = data.length === 0 ? undefined : parseJson(data.join('\n'))
      if (data[0]?.trim() === '[DONE]') events.done()
      if (isRecord(json)) {
        events.event(json)
        calls.event(json)
        error = readError(json)?.message ?? error
      }
      data = []
      size = 0
      return
    }
    if (!text.startsWith('data:')) return
    size += text.length
    bytes += text.length
    if (size <= MOST_EVENT) data.push(text.slice(text[5] === ' ' ? 6 : 5))
    else {
      data = []
      isCut = true
    }
  }

  return {
    add(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let from = 0
      for (;;) {
        const at = rest.indexOf(10, from)
        if (at === -1) break
        line(rest.toString('utf8', from, at).replace(/\r$/u, ''))
        from = at + 1
      }
      rest = rest.subarray(from)
      if (rest.length > MOST_EVENT) {
        rest = Buffer.alloc(0)
        isCut = true
      }
    },
    end() {
      line(rest.toString('utf8').replace(/\r$/u, ''))
      line('')
      const found = calls.end()
      return {
        ...events.end(),
        bytes,
        error,
        calls: found.calls,
        isCut: isCut || found.isCut,
      }
    },
  }
}

interface EventState {
  event(json: JsonRecord): void
  /** The stream's own mark of its end, which only OpenAI's chat has. */
  done(): void
  end(): Pick<ReadReply, 'usage' | 'isComplete' | 'begun'>
}

const READERS: Readonly<Record<Api, () => EventState>> = {
  chat: () => {
    let usage: Usage | null = null
    let isComplete = false
    return {
      event(json) {
        if (isRecord(json['usage'])) usage = readUsage('chat', json)
      },
      done() {
        isComplete = true
      },
      end: () => ({ usage, isComplete: isComplete || usage !== null, begun: null }),
    }
  },
  responses: () => {
    let last: unknown = null
    return {
      event(json) {
        if (ENDS.has(String(json['type']))) last = json['response']
      },
      done() {},
      end: () => ({ usage: readUsage('responses', last), isComplete: last !== null, begun: null }),
    }
  },
  /** The first event has the input, the last but one the output. A count of 0 at the end means that it did not change. */
  anthropic: () => {
    let usage: JsonRecord | null = null
    let isComplete = false
    return {
      event(json) {
        const type = json['type']
        const reported = child(type === 'message_start' ? json['message'] : json, 'usage')
        if (isRecord(reported)) usage = { ...usage, ...withoutZeros(reported, usage !== null) }
        if (type === 'message_delta' && isRecord(reported)) isComplete = true
        if (type === 'message_stop') isComplete = true
      },
      done() {},
      end() {
        const read = readUsage('anthropic', { usage })
        return isComplete
          ? { usage: read, isComplete, begun: null }
          : { usage: null, isComplete, begun: read }
      },
    }
  },
  google: () => {
    let last: JsonRecord | null = null
    let isComplete = false
    return {
      event(json) {
        if (isRecord(json['usageMetadata'])) last = json
        const candidates = json['candidates']
        if (Array.isArray(candidates) && candidates.some((one) => hasText(one, 'finishReason')))
          isComplete = true
        if (hasText(json['promptFeedback'], 'blockReason')) isComplete = true
      },
      done() {},
      end() {
        const read = readUsage('google', last)
        return isComplete
          ? { usage: read, isComplete, begun: null }
          : { usage: null, isComplete, begun: read }
      },
    }
  },
}

/** The events that end a stream of OpenAI's Responses API. */
const ENDS = new Set(['response.completed', 'response.incomplete', 'response.failed'])

const hasText = (value: unknown, key: string): boolean => typeof child(value, key) === 'string'

const withoutZeros = (reported: JsonRecord, isLater: boolean): JsonRecord =>
  isLater
    ? Object.fromEntries(Object.entries(reported).filter(([, one]) => one !== 0 && one !== null))
    : reported
