/**
 * Makes OpenAI's chat API report the usage of a stream. It does so only if the request asks for it. If the agent does
 * not ask, the gateway adds this to the request, and removes the extra event from the reply. So the agent gets the
 * reply that it asked for.
 */
import { child, isRecord, parseJson } from '../json.ts'

/** Returns the body with a request for the usage added. Returns null if nothing has to be added. */
export function withIncludeUsage(body: Buffer): Buffer | null {
  const text = body.toString('utf8')
  const json = parseJson(text)
  if (!isRecord(json) || json['stream'] !== true) return null
  const options = json['stream_options']
  if (isRecord(options)) {
    if (options['include_usage'] === true) return null
    return Buffer.from(
      JSON.stringify({ ...json, stream_options: { ...options, include_usage: true } }),
    )
  }
  if (options !== undefined && options !== null) return null
  if (options === null)
    return Buffer.from(JSON.stringify({ ...json, stream_options: { include_usage: true } }))
  // The text is inserted after the first brace. All other bytes stay as the agent wrote them.
  const at = text.indexOf('{') + 1
  const comma = Object.keys(json).length === 0 ? '' : ','
  return Buffer.from(
    `${text.slice(0, at)}"stream_options":{"include_usage":true}${comma}${text.slice(at)}`,
  )
}

export interface EventFilter {
  /** Returns the bytes that can be passed on now. */
  add(chunk: Buffer): Buffer
  /** Returns the remaining bytes. */
  end(): Buffer
}

/**
 * The largest event that is examined. Larger events are passed on unchanged, because the event with the usage is small.
 */
const MOST_HELD = 64 * 1024
const NOTHING = Buffer.alloc(0)

/** Passes a stream of events on, except for the event that contains the usage and no part of the answer. */
export function withoutUsageEvent(): EventFilter {
  let held: Buffer = NOTHING
  return {
    add(chunk) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      const out: Buffer[] = []
      for (let end = endOfEvent(held); end !== -1; end = endOfEvent(held)) {
        const event = held.subarray(0, end)
        if (!isUsageEvent(event)) out.push(event)
        held = held.subarray(end)
      }
      if (held.length > MOST_HELD) {
        out.push(held)
        held = NOTHING
      }
      return out.length === 1 ? (out[0] ?? NOTHING) : Buffer.concat(out)
    },
    end: () => (isUsageEvent(held) ? NOTHING : held),
  }
}

/** Returns the index after the empty line that ends the first event. Returns -1 if the event is not complete. */
function endOfEvent(bytes: Buffer): number {
  const plain = bytes.indexOf('\n\n')
  const windows = bytes.indexOf('\r\n\r\n')
  if (plain === -1 && windows === -1) return -1
  return windows !== -1 && (plain === -1 || windows < plain) ? windows + 4 : plain + 2
}

function isUsageEvent(event: Buffer): boolean {
  if (event.length === 0 || event.length > MOST_HELD) return false
  const data = event
    .toString('utf8')
    .split(/\r?\n/u)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5))
  const json = parseJson(data.join('\n'))
  const choices = child(json, 'choices')
  return Array.isArray(choices) && choices.length === 0 && isRecord(child(json, 'usage'))
}
