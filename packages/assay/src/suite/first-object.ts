/**
 * The keys of the JSON object that a text begins with, read from as much of the text as there is. Values are
 * only skipped, so that a large value costs little, and what is wrong inside it is found by the reader of
 * the format. Nothing here throws.
 */

export interface FirstObject {
  /** Its own keys, in order; not those of objects inside it. */
  readonly keys: readonly string[]
  /** `open`: the text ends before the object does. `broken`: it is not JSON. */
  readonly state: 'closed' | 'open' | 'broken'
  /** No line break is inside it, as far as the text goes. */
  readonly isOneLine: boolean
  /** What follows the object, without the white space in between. */
  readonly rest: string
}

/** `text` begins with `{`. */
export function firstObject(text: string): FirstObject {
  const scan = new Scan(text)
  const { keys, state } = scan.object()
  return {
    keys,
    state,
    isOneLine: !text.slice(0, scan.at).includes('\n'),
    rest: state === 'closed' ? text.slice(scan.at).trimStart() : '',
  }
}

const BACKSLASH = 0x5c
const QUOTE = 0x22
const LINE_FEED = 0x0a

class Scan {
  readonly #text: string
  at = 0

  constructor(text: string) {
    this.#text = text
  }

  object(): Pick<FirstObject, 'keys' | 'state'> {
    const keys: string[] = []
    this.at++
    for (let next = this.#space(); next !== '}';) {
      const from = this.at
      if (this.#char() !== '"' || !this.#string()) return { keys, state: this.#stopped() }
      const key = keyOf(this.#text.slice(from, this.at))
      if (key === null) return { keys, state: 'broken' }
      keys.push(key)
      if (this.#space() !== ':') return { keys, state: this.#stopped() }
      this.at++
      this.#space()
      if (!this.#value()) return { keys, state: this.#stopped() }
      next = this.#space()
      if (next === '}') break
      if (next !== ',') return { keys, state: this.#stopped() }
      this.at++
      this.#space()
    }
    this.at++
    return { keys, state: 'closed' }
  }

  /** Where scanning cannot go on: at the end of the text, or at something that is not JSON. */
  #stopped(): 'open' | 'broken' {
    return this.at >= this.#text.length ? 'open' : 'broken'
  }

  #char(): string {
    return this.#text.charAt(this.at)
  }

  /** Skips white space; the character after it. */
  #space(): string {
    while (this.at < this.#text.length && ' \t\r\n'.includes(this.#char())) this.at++
    return this.#char()
  }

  /** Skips a string, which holds no line break; else stops at the line break or at the end of the text. */
  #string(): boolean {
    for (this.at++; this.at < this.#text.length; this.at++) {
      const code = this.#text.charCodeAt(this.at)
      if (code === LINE_FEED) return false
      if (code === BACKSLASH) this.at++
      else if (code === QUOTE) {
        this.at++
        return true
      }
    }
    return false
  }

  /** Skips a value; false where none begins here, or it does not end. */
  #value(): boolean {
    const from = this.at
    let depth = 0
    while (this.at < this.#text.length) {
      const char = this.#char()
      if (char === '"') {
        if (!this.#string()) return false
        if (depth === 0) return true
        continue
      }
      const isEnd = char === '}' || char === ']'
      // A number or a word ends before what follows it.
      if (depth === 0 && (isEnd || char === ',' || ' \t\r\n'.includes(char))) return this.at > from
      if (char === '{' || char === '[') depth++
      else if (isEnd) depth--
      this.at++
      if (isEnd && depth === 0) return true
    }
    return false
  }
}

function keyOf(quoted: string): string | null {
  try {
    const key: unknown = JSON.parse(quoted)
    return typeof key === 'string' ? key : null
  } catch {
    return null
  }
}
