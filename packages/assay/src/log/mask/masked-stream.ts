/**
 * Masks the output stream of an agent, whose lines are mostly JSON events. In a JSON line, only the values are masked,
 * so that the line stays valid JSON. Agents often stream a message in pieces, one piece per line. To find a secret that
 * is split over such pieces, the texts at the same path in successive events are joined and masked together.
 */
import type { Json } from '@assay/contract'
import { maskedJson } from './masked-json.ts'
import type { Redactor } from './redact.ts'

/**
 * The maximum length of a line that is searched for pieces of a split secret. A longer line contains complete texts,
 * not pieces.
 */
const LONGEST_OF_PIECES = 64 * 1024

export function maskedStream(stream: string, redactor: Redactor): string {
  const lines = stream.split('\n')
  const pieces = new Pieces()
  for (const [at, line] of lines.entries())
    if (line.length <= LONGEST_OF_PIECES) pieces.add(at, parsed(line))
  const across = pieces.masked(redactor)
  if (across.size === 0 && redactor.text(stream) === stream) return stream
  return joined(lines, redactor, across)
}

/** Parses a line that is a JSON event. Undefined if the line is plain output. */
function parsed(line: string): Json | undefined {
  if (!/^\s*[[{]/u.test(line)) return undefined
  try {
    return JSON.parse(line) as Json
  } catch {
    return undefined
  }
}

function joined(
  lines: readonly string[],
  redactor: Redactor,
  across: ReadonlyMap<number, ReadonlyMap<string, string>>,
): string {
  const result: string[] = []
  /** Consecutive plain lines. They are masked together, because a secret may span several lines. */
  let plain: string[] = []
  const flush = (): void => {
    if (plain.length > 0) result.push(redactor.text(plain.join('\n')))
    plain = []
  }
  for (const [at, line] of lines.entries()) {
    const event = parsed(line)
    if (event === undefined) {
      plain.push(line)
      continue
    }
    flush()
    const pieces = across.get(at)
    if (pieces === undefined && redactor.text(line) === line) result.push(line)
    else result.push(maskedEvent(event, pieces, redactor) ?? redactor.text(line))
  }
  flush()
  return result.join('\n')
}

/**
 * Returns the event with its texts masked. Null if the event is nested too deeply to be walked. Only a hostile program
 * writes such an event.
 */
function maskedEvent(
  event: Json,
  pieces: ReadonlyMap<string, string> | undefined,
  redactor: Redactor,
): string | null {
  try {
    const whole = pieces === undefined ? event : replacedAt(event, pieces)
    return JSON.stringify(maskedJson(whole, redactor.text))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** The texts of all events, grouped by their path within the event. */
class Pieces {
  readonly #byPlace = new Map<string, { readonly line: number; readonly text: string }[]>()

  add(line: number, event: Json | undefined): void {
    if (event === undefined) return
    eachText(event, (place, text) => {
      const known = this.#byPlace.get(place)
      if (known === undefined) this.#byPlace.set(place, [{ line, text }])
      else known.push({ line, text })
    })
  }

  /** Returns, by line number and path, the new text of each piece that contains a part of a secret. */
  masked(redactor: Redactor): Map<number, Map<string, string>> {
    const changed = new Map<number, Map<string, string>>()
    for (const [place, texts] of this.#byPlace) {
      if (texts.length < 2) continue
      const clean = redactor.pieces(texts.map(({ text }) => text))
      for (const [i, { line, text }] of texts.entries()) {
        if (clean[i] === text) continue
        const ofLine = changed.get(line) ?? new Map<string, string>()
        changed.set(line, ofLine.set(place, clean[i] as string))
      }
    }
    return changed
  }
}

/** The maximum depth at which an event is searched for pieces. No agent nests its messages deeper. */
const DEEPEST = 20

/**
 * Calls `each` for every text that is not in a list. All texts of a list would get the same path, so they are left out.
 */
function eachText(
  value: Json,
  each: (place: string, text: string) => void,
  place = '',
  depth = 0,
): void {
  if (typeof value === 'string') each(place, value)
  else if (typeof value === 'object' && value !== null && !Array.isArray(value) && depth < DEEPEST)
    for (const [key, one] of Object.entries(value))
      eachText(one, each, `${place}\n${key}`, depth + 1)
}

function replacedAt(value: Json, texts: ReadonlyMap<string, string>, place = ''): Json {
  if (typeof value === 'string') return texts.get(place) ?? value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, replacedAt(one, texts, `${place}\n${key}`)]),
  )
}
