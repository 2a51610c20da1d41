/**
 * Reads the keys of the JSON object at the start of a text. The text may be incomplete. Values are skipped and not
 * parsed, so a large value takes little time. Errors in values are found later, by the reader of the file's format.
 * Nothing here throws.
 */

export interface FirstObject {
  /** The keys of the object in order, without the keys of nested objects. */
  readonly keys: readonly string[]
  /**
   * `closed` means that the object is complete, `open` that the text ends before the object does, and `broken` that
   * the text is not JSON.
   */
  readonly state: 'closed' | 'open' | 'broken'
  /** Whether the object, or the part of it that the text contains, has no line break. */
  readonly isOneLine: boolean
  /** The text after the object, without leading white space. */
  readonly rest: string
}

/** Scans the object at the start of `text`, which must begin with `{`. */
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

  /** Returns why scanning stopped: at the end of the text, or at a character that is not valid JSON. */
  #stopped(): 'open' | 'broken' {
    return this.at >= this.#text.length ? 'open' : 'broken'
  }

  #char(): string {
    return this.#text.charAt(this.at)
  }

  /** Skips white space and returns the next character. */
  #space(): string {
    while (this.at < this.#text.length && ' \t\r\n'.includes(this.#char())) this.at++
    return this.#char()
  }

  /** Skips a string and returns true. Returns false at a line break or at the end of the text. */
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

  /** Skips a value. Returns false if no value begins here or if the value is incomplete. */
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
      // A number or a word such as `true` ends before the next comma, bracket or white space.
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
