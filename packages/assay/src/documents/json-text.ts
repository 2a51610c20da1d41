/**
 * A JSON parser that can report locations. (`JSON.parse` does not say where it failed, and it does not notice duplicate
 * keys.) This parser reads strict JSON in one pass. If a caller asks for the location of a key or value, the text is
 * read a second time. The locations are not kept from the start, because they take more memory than the data and most
 * files have no faults. Files written by Python may contain NaN and Infinity, which are not valid JSON. If the caller
 * allows them, they are read as null.
 */
import type { Json } from '@assay/contract'
import { SyntaxProblem, type ValueLocation } from './document.ts'
import { quote } from './problem.ts'

export const MOST_DEPTH = 100

export interface JsonOptions {
  /** If true, accepts NaN, Infinity and -Infinity, which Python's json module writes. */
  readonly python?: boolean
}

export interface Parsed {
  readonly value: Json
  /** Finds the location of every value. */
  readonly locations: () => ValueLocation
}

/** Parses JSON. Throws a `SyntaxProblem` at the first error. */
export function parseJson(text: string, options: JsonOptions = {}): Parsed {
  return {
    value: quickParse(text) ?? new Reader(text, options, false).document(),
    locations: () => {
      const reader = new Reader(text, options, true)
      reader.document()
      return reader.location as ValueLocation
    },
  }
}

/**
 * Parses valid JSON with the engine's parser, which is several times faster. Returns undefined for text that needs the
 * slower reader below: text with a fault, with a duplicate key, or with too deep nesting.
 */
function quickParse(text: string): Json | undefined {
  const keys = countKeys(text)
  if (keys === null) return undefined
  try {
    const value = JSON.parse(text) as Json
    // The engine's parser keeps only the last of several equal keys. So if there are duplicate keys, the value has
    // fewer keys than the text.
    return keysIn(value) === keys ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the number of keys in the text of valid JSON. It is the number of colons outside of strings. Null if the text
 * is nested too deeply, or if a string does not end.
 */
function countKeys(text: string): number | null {
  let keys = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at + 1)
        if (at === -1) return null
        break
      case 0x3a: // :
        keys++
        break
      case 0x5b: // [
      case 0x7b: // {
        // A value inside this list or object is one level deeper.
        if (++depth > MOST_DEPTH) return null
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
    }
  }
  return keys
}

/** Returns the offset of the quote that ends a string. −1 if there is none. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at
    while (text.charCodeAt(before - 1) === 0x5c) before--
    if ((at - before) % 2 === 0) return at
  }
  return -1
}

function keysIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0
  let keys = 0
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) keys += keysIn(value[i] as Json)
    return keys
  }
  const table = value as Readonly<Record<string, Json>>
  const own = Object.keys(table)
  for (let i = 0; i < own.length; i++) keys += keysIn(table[own[i] as string] as Json)
  return keys + own.length
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /-?[A-Za-z]+/y
/** Matches the characters of a string up to the next quote, escape or control character. */
// oxlint-disable-next-line no-control-regex
const PLAIN = /[^"\\\u0000-\u001f]*/y
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

class Reader {
  readonly #text: string
  readonly #python: boolean
  /** Whether locations are kept. */
  readonly #locates: boolean
  #at = 0
  /** The location of the value that was read last. Null if locations are not kept. */
  location: ValueLocation | null = null

  constructor(text: string, options: JsonOptions, locates: boolean) {
    this.#text = text
    this.#python = options.python ?? false
    this.#locates = locates
  }

  document(): Json {
    this.#skip()
    const value = this.#value(0)
    this.#skip()
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the file')
    return value
  }

  #value(depth: number): Json {
    if (depth > MOST_DEPTH)
      throw new SyntaxProblem(this.#at, 'deeper nesting', `at most ${MOST_DEPTH} levels`)
    const character = this.#text[this.#at]
    if (character === '{') return this.#object(depth)
    if (character === '[') return this.#array(depth)
    if (this.#locates) this.location = { key: null, value: this.#at }
    if (character === '"') return this.#string()
    const number = this.#match(NUMBER)
    return number === null ? this.#word() : Number(number)
  }

  #object(depth: number): Json {
    const location = this.#locates ? { key: null, value: this.#at, entries: new Map() } : null
    const value = this.#entries(depth, location?.entries ?? null)
    this.location = location
    return value
  }

  #entries(depth: number, locations: Map<string, ValueLocation> | null): Json {
    const value: Record<string, Json> = {}
    this.#at += 1
    this.#skip()
    if (this.#take('}')) return value
    for (;;) {
      const keyAt = this.#at
      if (this.#text[this.#at] !== '"') throw this.#unexpected('a key in double quotes')
      const key = this.#string()
      if (Object.hasOwn(value, key))
        throw new SyntaxProblem(keyAt, `the key ${quote(key)} a second time`, 'each key once')
      this.#skip()
      if (!this.#take(':')) throw this.#unexpected('":"')
      this.#skip()
      setEntry(value, key, this.#value(depth + 1))
      if (this.location !== null) {
        this.location.key = keyAt
        locations?.set(key, this.location)
      }
      this.#skip()
      if (this.#take('}')) return value
      this.#comma('}')
    }
  }

  #array(depth: number): Json {
    const location = this.#locates ? { key: null, value: this.#at, items: [] } : null
    const value = this.#items(depth, location?.items ?? null)
    this.location = location
    return value
  }

  #items(depth: number, locations: ValueLocation[] | null): Json {
    const value: Json[] = []
    this.#at += 1
    this.#skip()
    if (this.#take(']')) return value
    for (;;) {
      value.push(this.#value(depth + 1))
      if (this.location !== null) locations?.push(this.location)
      this.#skip()
      if (this.#take(']')) return value
      this.#comma(']')
    }
  }

  #string(): string {
    this.#at += 1
    let text = ''
    for (;;) {
      text += this.#match(PLAIN) ?? ''
      const character = this.#text[this.#at]
      if (character === '"') {
        this.#at += 1
        return text
      }
      if (character !== '\\') throw this.#unexpected('the closing quote of a text')
      text += this.#escape()
    }
  }

  #escape(): string {
    const letter = this.#text[this.#at + 1] ?? ''
    const simple = ESCAPES[letter]
    if (simple !== undefined && Object.hasOwn(ESCAPES, letter)) {
      this.#at += 2
      return simple
    }
    const code = this.#text.slice(this.#at + 2, this.#at + 6)
    if (letter !== 'u' || !/^[\da-fA-F]{4}$/.test(code))
      throw this.#unexpected(String.raw`an escape such as \n, \" or \u00e9`)
    this.#at += 6
    return String.fromCharCode(Number.parseInt(code, 16))
  }

  #word(): Json {
    const start = this.#at
    const word = this.#match(WORD)
    if (word === 'true') return true
    if (word === 'false') return false
    if (word === 'null') return null
    if (this.#python && (word === 'NaN' || word === 'Infinity' || word === '-Infinity')) return null
    this.#at = start
    throw this.#unexpected('a JSON value')
  }

  #skip(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.#at += 1
    }
  }

  /** Reads the comma before a further entry or item. JSON allows none after the last one, which many people write. */
  #comma(end: ']' | '}'): void {
    const at = this.#at
    if (!this.#take(',')) throw this.#unexpected(`"," or "${end}"`)
    this.#skip()
    if (this.#text[this.#at] === end)
      throw new SyntaxProblem(at, `"," before "${end}"`, 'no comma after the last one')
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at += 1
    return true
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? null
    if (found !== null) this.#at += found.length
    return found
  }

  #unexpected(expected: string): SyntaxProblem {
    return new SyntaxProblem(this.#at, foundAt(this.#text, this.#at), expected)
  }
}

/** Returns the text from an offset to the end of the word or line, quoted for a message. */
export function foundAt(text: string, offset: number): string {
  if (offset >= text.length) return 'the end of the file'
  const rest = text.slice(offset, offset + 30)
  if (rest.startsWith('\n') || rest.startsWith('\r\n')) return 'the end of the line'
  const word = /^(?:[\w-]+|[^\n])/.exec(rest)?.[0] ?? rest.slice(0, 1)
  return quote(word)
}

/** Sets a key of an object. The key `__proto__` becomes an ordinary key and does not change the prototype. */
export function setEntry(target: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  else target[key] = value
}
