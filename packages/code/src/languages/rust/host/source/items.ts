/**
 * Reads the items of Rust source (functions, types, modules, impls) with their attributes, from its tokens. Only
 * items in modules, impls and traits are found. Bodies of functions and macros are skipped, so that a name in a
 * string, a comment or a macro does not count. There is no recursion, so deeply nested source cannot overflow the
 * stack.
 */
import { read, textOf, type Lexed } from './lex.ts'

export interface Attribute {
  /** Indexes of the attribute's first token `#` and last token `]`. */
  readonly first: number
  readonly last: number
  readonly inner: boolean
  /** The path of the attribute, for example `test`, `cfg` or `tokio::test`. */
  readonly name: string
}

export type ItemKind =
  | 'fn'
  | 'mod'
  | 'impl'
  | 'trait'
  | 'struct'
  | 'enum'
  | 'union'
  | 'type'
  | 'macro'
  | 'other'

export interface Item {
  readonly kind: ItemKind
  readonly name: string
  readonly attributes: readonly Attribute[]
  readonly parent: Item | null
  /** Indexes of the braces around the item's body; null if it has none. */
  readonly body: readonly [open: number, close: number] | null
}

/** Keywords that may come before the keyword for the kind of item, as `pub` before `fn`. */
const BEFORE = new Set([
  'pub',
  'unsafe',
  'async',
  'const',
  'extern',
  'default',
  'auto',
  'safe',
  'crate',
])
const NAMED = new Set(['fn', 'mod', 'trait', 'struct', 'enum', 'union', 'type'])
const HOLDS_ITEMS = new Set<ItemKind>(['mod', 'impl', 'trait'])

export function itemsOf(lexed: Lexed): Item[] {
  const { tokens, partner } = lexed
  const items: Item[] = []
  const inside: { readonly item: Item; readonly end: number }[] = []
  let at = 0
  while (at < tokens.length) {
    const within = inside.at(-1)
    if (within !== undefined && at >= within.end) {
      at = within.end + 1
      inside.pop()
      continue
    }
    const attributes: Attribute[] = []
    for (let one = attributeAt(lexed, at); one !== null; one = attributeAt(lexed, at)) {
      if (!one.inner) attributes.push(one)
      at = one.last + 1
    }
    const { kind, name, next } = headAt(lexed, at)
    if (kind === null) {
      at = Math.max(at + 1, next)
      continue
    }
    const { body, end } = restOf(lexed, next, kind)
    const item: Item = { kind, name, attributes, parent: within?.item ?? null, body }
    items.push(item)
    if (body !== null && HOLDS_ITEMS.has(kind)) {
      inside.push({ item, end: body[1] })
      at = body[0] + 1
    } else at = end
  }
  return items

  function headAt(of: Lexed, from: number): { kind: ItemKind | null; name: string; next: number } {
    let here = from
    while (BEFORE.has(textOf(of, here))) {
      // `const` and `extern` are usually modifiers, as in `const fn`. In `const NAME` and `extern crate`, they begin
      // the item themselves.
      const word = textOf(of, here)
      here++
      if (word === 'pub' && textOf(of, here) === '(' && (partner[here] ?? -1) > here)
        here = (partner[here] ?? here) + 1
      else if (word === 'extern' && tokens[here]?.kind === 'literal') here++
      else if (word === 'extern' && textOf(of, here) === 'crate')
        return { kind: 'other', name: '', next: here }
      else if (
        word === 'const' &&
        isName(of, here) &&
        !BEFORE.has(textOf(of, here)) &&
        textOf(of, here) !== 'fn'
      )
        return { kind: 'other', name: '', next: here }
    }
    const word = textOf(of, here)
    if (NAMED.has(word) && isName(of, here + 1))
      return { kind: word as ItemKind, name: textOf(of, here + 1), next: here + 2 }
    if (word === 'impl') return { kind: 'impl', name: '', next: here + 1 }
    if (word === 'use' || word === 'static') return { kind: 'other', name: '', next: here + 1 }
    const path = pathEnd(of, here)
    if (path > here && textOf(of, path) === '!') {
      // This is a macro call or definition: `name! (…)`, `path::name! {…}` or `macro_rules! name {…}`.
      const open = path + (isName(of, path + 1) ? 2 : 1)
      if (tokens[open]?.kind === 'open') return { kind: 'macro', name: word, next: open }
    }
    if (path > here) return { kind: null, name: '', next: path }
    // This is a block such as `extern "C" { … }`, or a stray bracket. Skip it whole, so that nothing inside is taken
    // for an item.
    const close = partner[here] ?? -1
    return { kind: null, name: '', next: close > here ? close + 1 : here + 1 }
  }
}

const isName = (lexed: Lexed, index: number): boolean => lexed.tokens[index]?.kind === 'word'

/** Returns the position after the last name of `a::b::c`, or `from` if there is no name. */
function pathEnd(lexed: Lexed, from: number): number {
  let at = from
  while (isName(lexed, at) && textOf(lexed, at + 1) === '::') at += 2
  return isName(lexed, at) ? at + 1 : at
}

/** Finds the end of an item, starting after its name: the end of its body or its semicolon. */
function restOf(
  lexed: Lexed,
  from: number,
  kind: ItemKind,
): Pick<Item, 'body'> & { readonly end: number } {
  const { tokens, partner } = lexed
  const hasBody = kind !== 'other' && kind !== 'type' && kind !== 'macro'
  let angles = 0
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at]
    const text = textOf(lexed, at)
    const close = partner[at] ?? -1
    if (text === ';' && token?.kind === 'sign') return { body: null, end: at + 1 }
    if (text === '<') angles++
    else if (text === '>') angles = Math.max(0, angles - 1)
    else if (token?.kind === 'open') {
      if (close < at) return { body: null, end: tokens.length }
      if (kind === 'macro') return { body: null, end: close + 1 }
      // Braces inside type arguments contain a constant, as in `Grid<{ N + 1 }>`. They are not the body of the item.
      if (hasBody && text === '{' && angles === 0) return { body: [at, close], end: close + 1 }
      at = close
    } else if (token?.kind === 'close') return { body: null, end: at }
  }
  return { body: null, end: tokens.length }
}

/** Returns the attribute that begins at this token, or null if there is none. */
export function attributeAt(lexed: Lexed, at: number): Attribute | null {
  if (textOf(lexed, at) !== '#') return null
  const inner = textOf(lexed, at + 1) === '!'
  const open = at + (inner ? 2 : 1)
  const close = lexed.partner[open] ?? -1
  if (textOf(lexed, open) !== '[' || close < open) return null
  let name = textOf(lexed, open + 1)
  for (let next = open + 2; textOf(lexed, next) === '::'; next += 2)
    name += `::${textOf(lexed, next + 1)}`
  return { first: at, last: close, inner, name }
}

// ── Conditions ───────────────────────────────────────────────────────────────────────────────────────

const HOLDS = new Set([
  'unix',
  'debug_assertions',
  'target_os="linux"',
  'panic="unwind"',
  'overflow_checks',
])
const FAILS = new Set([
  'windows',
  'feature',
  'target_os',
  'target_family',
  'miri',
  'doc',
  'doctest',
  'clippy',
])

/** Returns true if an item with these attributes is compiled, false if not, and null if only the compiler knows. */
export function isKept(
  lexed: Lexed,
  attributes: readonly Attribute[],
  test: boolean,
): boolean | null {
  let kept: boolean | null = true
  for (const { name, first, last } of attributes) {
    if (name !== 'cfg') continue
    const holds = conditionAt(lexed, first + 4, last - 1, test)
    if (holds === false) return false
    if (holds === null) kept = null
  }
  return kept
}

/**
 * Evaluates a `cfg` condition. The recursion is at most as deep as the nesting of brackets, and `refusal` refuses
 * source with deep nesting.
 */
function conditionAt(lexed: Lexed, from: number, end: number, test: boolean): boolean | null {
  const word = textOf(lexed, from)
  if (textOf(lexed, from + 1) === '(') {
    const close = lexed.partner[from + 1] ?? -1
    const parts: (boolean | null)[] = []
    for (let at = from + 2; at < close; at = pastComma(lexed, at, close))
      parts.push(conditionAt(lexed, at, close, test))
    const [first = null] = parts
    if (word === 'not') return first === null ? null : !first
    const decides = word === 'any'
    if (word !== 'any' && word !== 'all') return null
    if (parts.includes(decides)) return decides
    return parts.includes(null) ? null : !decides
  }
  if (word === 'test') return test
  if (textOf(lexed, from + 1) === '=' && from + 2 < end) {
    if (HOLDS.has(`${word}=${textOf(lexed, from + 2)}`)) return true
    return FAILS.has(word) ? false : null
  }
  if (HOLDS.has(word)) return true
  return FAILS.has(word) ? false : null
}

/** Returns the index after the next comma at the same bracket depth. */
export function pastComma({ tokens, partner, source }: Lexed, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    const token = tokens[at]
    if (token?.kind === 'open') at = Math.max(at, partner[at] ?? at)
    else if (token?.kind === 'sign' && source.charAt(token.start) === ',') return at + 1
  }
  return end
}

// ── What a solution defines ──────────────────────────────────────────────────────────────────────────

const TYPES = new Set<ItemKind>(['struct', 'enum', 'union', 'trait', 'type'])

export interface Defined {
  readonly functions: string[]
  readonly types: string[]
}

/**
 * Returns the names of the functions and types that a solution defines, except those for tests. Associated types
 * are not listed.
 */
export function definedIn(source: string): Defined & { readonly modules: readonly string[] } {
  const lexed = read(source)
  const functions = new Set<string>()
  const types = new Set<string>()
  const modules: string[] = []
  const dropped = new Set<Item>()
  for (const item of itemsOf(lexed)) {
    const { kind, name, parent, attributes, body } = item
    if ((parent !== null && dropped.has(parent)) || isKept(lexed, attributes, false) === false)
      dropped.add(item)
    else if (kind === 'fn') functions.add(name)
    else if (TYPES.has(kind) && (kind !== 'type' || parent === null || parent.kind === 'mod'))
      types.add(name)
    else if (kind === 'mod' && body === null) modules.push(name)
  }
  return { functions: [...functions], types: [...types], modules }
}
