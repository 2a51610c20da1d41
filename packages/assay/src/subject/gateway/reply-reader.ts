/**
 * Reads the usage and the tool calls of a reply from a copy of its bytes. The reply itself goes to the agent. It is one
 * JSON value or a stream of events, and it can contain anything. Token counts are read by the same code as for plain
 * models (`model/wire.ts`). So the same tokens cost the same, whether an agent or a plain model used them.
 */
import type { Usage } from '@assay/contract'
import { child, isRecord, parseJson, type JsonRecord } from '../json.ts'
import { readError, readUsage, type Api } from '../model/wire.ts'
import { callReader, type RepliedCall } from './call-reader.ts'

export interface ReadReply {
  /** The usage. Null if the provider did not report it, or reported impossible counts. */
  readonly usage: Usage | null
  /** Whether the reply is complete. */
  readonly isComplete: boolean
  /** The usage that was reported at the beginning of a reply that was then cut off. Null if there was none. */
  readonly begun: Usage | null
  /** The size of the reply's data. It is used to estimate the usage if none was reported. */
  readonly bytes: number
  /** An error in the body of a reply with status 200. */
  readonly error: string | null
  readonly calls: readonly RepliedCall[]
  /** Whether a part of the reply was too large to be read. Tool calls may then be missing. */
  readonly isCut: boolean
}

export interface ReplyReader {
  add(chunk: Buffer): void
  end(): ReadReply
}

/** The most bytes that are read of a whole reply or of one event. Anything larger is not read. */
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
      // Without `alt=sse` in the request, Google sends a stream as a list of replies. The last one contains the usage.
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
  /** Called at the mark that ends a stream. Only OpenAI's chat API has such a mark. */
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
  /**
   * The first event contains the input tokens, and the second to last event contains the output tokens. If a count is 0
   * at the end, the count of the first event is still valid.
   */
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
