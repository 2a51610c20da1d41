/**
 * Splits Rust source into tokens. Every character belongs to exactly one token, so that the joined tokens are the
 * source again. Invalid Rust also yields tokens. The compiler later reports what is wrong with it. This is a
 * single loop without recursion or backtracking, because the source is untrusted and this runs on the host.
 *
 * It is written by hand, because no library yields tokens for untrusted source. @lezer/rust 1.0 (1.2 MB with its
 * dependencies) is a parser: it omits operators and unfinished strings and reads `cr#"…"#` incorrectly. For 200
 * KB of source it takes 62 ms of CPU time, and this lexer takes 19 ms. For 180 KB of `r#"` it takes 1.4 s, and
 * this lexer takes half a millisecond.
 */
export type Kind =
  /** A line or block comment, including doc comments and a first line `#!…`. */
  | 'comment'
  | 'space'
  /** Names and keywords. */
  | 'word'
  | 'lifetime'
  /** Strings of all kinds, characters and numbers. */
  | 'literal'
  | 'open'
  | 'close'
  | 'sign'

export interface Token {
  readonly kind: Kind
  readonly start: number
  readonly end: number
}

/**
 * Operators of several characters that callers need as one token. `>>` is not among them: in `Vec<Vec<u8>>`, each `>`
 * closes a bracket, so `<` and `>` stay single characters.
 */
const SIGNS = ['..=', '...', '::', '->', '=>', '==', '!=', '<=', '>=', '&&', '||', '..']
const OPEN = '([{'
const CLOSE = ')]}'
/** Letters that may come directly before the quote of a string literal, as in `br"…"`. */
const PREFIXES = new Set(['b', 'c', 'r', 'br', 'cr'])

export function lex(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const add = (kind: Kind, end: number): void => {
    tokens.push({ kind, start: at, end })
    at = end
  }
  const bang = source.codePointAt(0) === 0xfeff ? 1 : 0
  if (bang === 1) add('space', 1)
  if (source.startsWith('#!', bang) && !isInnerAttribute(source, bang))
    add('comment', lineEnd(source, bang))
  while (at < source.length) {
    const code = source.charCodeAt(at)
    if (isSpace(code)) add('space', spaceEnd(source, at))
    else if (source.startsWith('//', at)) add('comment', lineEnd(source, at))
    else if (source.startsWith('/*', at)) add('comment', blockEnd(source, at))
    else if (code === QUOTE) add('literal', stringEnd(source, at))
    else if (code === TICK) add(...tick(source, at))
    else if (isDigit(code)) add('literal', numberEnd(source, at))
    else if (isWord(code)) add(...word(source, at))
    else if (OPEN.includes(source.charAt(at))) add('open', at + 1)
    else if (CLOSE.includes(source.charAt(at))) add('close', at + 1)
    else add('sign', at + (SIGNS.find((sign) => source.startsWith(sign, at))?.length ?? 1))
  }
  return tokens
}

const QUOTE = 0x22
const TICK = 0x27
const HASH = 0x23
const BACKSLASH = 0x5c
const NEWLINE = 0x0a

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/**
 * True for letters, digits, `_`, and all non-ASCII characters that are not spaces. The compiler decides which
 * non-ASCII characters are letters.
 */
function isWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    isDigit(code) ||
    code === 0x5f ||
    (code >= 0x80 && !isSpace(code))
  )
}

function isSpace(code: number): boolean {
  return (
    code === 0x20 ||
    (code >= 0x09 && code <= 0x0d) ||
    code === 0x85 ||
    code === 0x200e ||
    code === 0x200f ||
    code === 0x2028 ||
    code === 0x2029
  )
}

/**
 * True if `#!` begins an attribute, which means that a bracket follows after spaces and comments. Otherwise `#!`
 * begins the first line of a script.
 */
function isInnerAttribute(source: string, from: number): boolean {
  let at = from + 2
  for (;;) {
    if (isSpace(source.charCodeAt(at))) at = spaceEnd(source, at)
    else if (source.startsWith('//', at)) at = lineEnd(source, at)
    else if (source.startsWith('/*', at)) at = blockEnd(source, at)
    else return source.charAt(at) === '['
  }
}

function spaceEnd(source: string, from: number): number {
  let at = from
  while (at < source.length && isSpace(source.charCodeAt(at))) at++
  return at
}

function wordEnd(source: string, from: number): number {
  let at = from
  while (at < source.length && isWord(source.charCodeAt(at))) at++
  return at
}

function lineEnd(source: string, from: number): number {
  const end = source.indexOf('\n', from)
  return end === -1 ? source.length : end
}

/** Returns the end of a block comment. Block comments can be nested. */
function blockEnd(source: string, from: number): number {
  let depth = 1
  let at = from + 2
  while (at < source.length && depth > 0) {
    if (source.startsWith('*/', at)) {
      depth--
      at += 2
    } else if (source.startsWith('/*', at)) {
      depth++
      at += 2
    } else at++
  }
  return at
}

/** Returns the position after the closing quote; `from` is the opening quote. */
function stringEnd(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at++) {
    const code = source.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) at++
  }
  return source.length
}

function numberEnd(source: string, from: number): number {
  let at = exponentEnd(source, from)
  // A dot can end a number: `1.5` and `1.` are numbers. In `1..2` and `1.max(2)`, the dot is not part of the number.
  if (source.charAt(at) === '.' && source.charAt(at + 1) !== '.') {
    const next = source.charCodeAt(at + 1)
    if (isDigit(next) || !isWord(next)) at = exponentEnd(source, at + 1)
  }
  return at
}

/** Returns the end of digits and letters, including the sign in `1e-5`. */
function exponentEnd(source: string, from: number): number {
  const at = wordEnd(source, from)
  const isHex = source.startsWith('0x', from)
  const last = source.charAt(at - 1)
  const sign = source.charAt(at)
  return !isHex && at > from && (last === 'e' || last === 'E') && (sign === '-' || sign === '+')
    ? wordEnd(source, at + 1)
    : at
}

/** Decides whether a single quote begins a character (`'a'`) or a lifetime (`'a`). */
function tick(source: string, from: number): [Kind, number] {
  const end = characterEnd(source, from)
  if (end !== null) return ['literal', end]
  return isWord(source.charCodeAt(from + 1))
    ? ['lifetime', wordEnd(source, from + 1)]
    : ['sign', from + 1]
}

function characterEnd(source: string, from: number): number | null {
  if (source.charCodeAt(from + 1) === BACKSLASH) {
    for (let at = from + 3; at < source.length; at++) {
      const code = source.charCodeAt(at)
      if (code === TICK) return at + 1
      if (code === NEWLINE) return at
    }
    return source.length
  }
  const wide = (source.codePointAt(from + 1) ?? 0) > 0xffff ? 2 : 1
  return source.charCodeAt(from + 1 + wide) === TICK && source.charCodeAt(from + 1) !== TICK
    ? from + 2 + wide
    : null
}

/** Reads a word, a string literal that begins with this word as its prefix (`br"…"`), or a raw name (`r#fn`). */
function word(source: string, from: number): [Kind, number] {
  const end = wordEnd(source, from)
  const text = end - from <= 2 ? source.slice(from, end) : ''
  if (!PREFIXES.has(text)) return ['word', end]
  const next = source.charCodeAt(end)
  const raw = text.endsWith('r')
  if (next === QUOTE) return ['literal', raw ? rawEnd(source, end, 0) : stringEnd(source, end)]
  if (next === TICK && text === 'b') {
    const character = characterEnd(source, end)
    return character === null ? ['word', end] : ['literal', character]
  }
  if (next !== HASH || !raw) return ['word', end]
  let hashes = 0
  while (source.charCodeAt(end + hashes) === HASH) hashes++
  if (source.charCodeAt(end + hashes) === QUOTE)
    return ['literal', rawEnd(source, end + hashes, hashes)]
  if (hashes === 1 && text === 'r' && isWord(source.charCodeAt(end + 1)))
    return ['word', wordEnd(source, end + 1)]
  return ['word', end]
}

function rawEnd(source: string, quote: number, hashes: number): number {
  const closing = `"${'#'.repeat(hashes)}`
  const end = source.indexOf(closing, quote + 1)
  return end === -1 ? source.length : end + closing.length
}

// ── Tokens with matched brackets ─────────────────────────────────────────────────────────────────────

/** Source with its tokens and matched brackets. All modules that read Rust source use this. */
export interface Lexed {
  readonly source: string
  /** The tokens of the source, without spaces and comments. */
  readonly tokens: readonly Token[]
  /**
   * For an opening bracket, the index of the closing one. For a closing bracket, the index of the opening one. −1 for
   * all other tokens.
   */
  readonly partner: Int32Array
  /** The greatest nesting depth of brackets. */
  readonly depth: number
}

export function read(source: string): Lexed {
  const tokens = lex(source).filter(({ kind }) => kind !== 'space' && kind !== 'comment')
  const partner = new Int32Array(tokens.length).fill(-1)
  const opened: number[] = []
  let depth = 0
  tokens.forEach(({ kind, start }, index) => {
    if (kind === 'open') {
      opened.push(index)
      depth = Math.max(depth, opened.length)
    } else if (kind === 'close') {
      const last = opened.at(-1)
      // A closing bracket that does not match the last opening one is ignored. Otherwise an item could end at it.
      if (last === undefined || !fits(source, tokens[last], start)) return
      opened.pop()
      partner[last] = index
      partner[index] = last
    }
  })
  return { source, tokens, partner, depth }
}

function fits(source: string, open: Token | undefined, close: number): boolean {
  return (
    open !== undefined &&
    OPEN.indexOf(source.charAt(open.start)) === CLOSE.indexOf(source.charAt(close))
  )
}

/** Returns the text of a token, or `''` if there is none. Raw names are returned without `r#`. */
export function textOf({ source, tokens }: Lexed, index: number): string {
  const token = tokens[index]
  if (token === undefined) return ''
  const raw = token.kind === 'word' && source.startsWith('r#', token.start) ? 2 : 0
  return source.slice(token.start + raw, token.end)
}

export interface Place {
  readonly line: number
  readonly column: number
}

/** Returns a function that converts an offset to a line and column, both counted from 1. */
export function placesIn(source: string): (at: number) => Place {
  const begins = [0]
  for (let end = source.indexOf('\n'); end !== -1; end = source.indexOf('\n', end + 1))
    begins.push(end + 1)
  return (at) => {
    let low = 0
    let high = begins.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((begins[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    return { line: low + 1, column: at - (begins[low] ?? 0) + 1 }
  }
}

/** An edit that replaces a part of the source with a text. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * Returns the source with the edits applied. Edits at the same position keep their order. An edit inside another edit
 * is skipped.
 */
export function edited(source: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, text } of [...edits].sort((a, b) => a.start - b.start)) {
    if (start < at) continue
    parts.push(source.slice(at, start), text)
    at = end
  }
  return [...parts, source.slice(at)].join('')
}

/** Returns an edit that replaces a range with spaces and keeps its line breaks. */
export function blanked(source: string, start: number, end: number): Edit {
  return { start, end, text: source.slice(start, end).replaceAll(/[^\n]/gu, ' ') }
}
