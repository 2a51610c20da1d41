/**
 * OpenAI's chat API reports the usage of a stream only if the request asks for it. The gateway asks where the agent
 * does not, and removes the extra event from the reply, so that the agent gets what it asked for.
 */
import { child, isRecord, parseJson } from '../json.ts'

/** Returns the body with the wish for usage added; null if there is nothing to add. */
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
  // Everything else stays byte for byte as the agent wrote it.
  const at = text.indexOf('{') + 1
  const comma = Object.keys(json).length === 0 ? '' : ','
  return Buffer.from(
    `${text.slice(0, at)}"stream_options":{"include_usage":true}${comma}${text.slice(at)}`,
  )
}

export interface EventFilter {
  /** Returns the bytes to pass on now. */
  add(chunk: Buffer): Buffer
  /** Returns the bytes that are left. */
  end(): Buffer
}

/** An event that is larger than this is passed on as it is. The event with the usage is small. */
const MOST_HELD = 64 * 1024
const NOTHING = Buffer.alloc(0)

/** Passes a stream of events on without the event that has the usage and no choice. */
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

/** Returns the index after the empty line that ends the first event; -1 if it has not ended. */
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
