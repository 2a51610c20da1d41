/**
 * Prepares a solution's source before any compiler reads it. Source that would make a compiler hang is refused.
 * Attributes that silence lints which lower the score are replaced by spaces, so that lines and columns stay the
 * same. In `allow` and `expect`, only the compiler's own lints are kept, because they do not lower the score. A
 * solution may need to allow them: with `#![deny(warnings)]` they are errors.
 */
import type { Diagnostic } from '../../../language.ts'
import { attributeAt, pastComma, type Attribute } from './source/items.ts'
import { blanked, edited, placesIn, read, textOf, type Edit, type Lexed } from './source/lex.ts'

const MOST_BYTES = 256 * 1024
const MOST_DEPTH = 200

/** Attributes of the crate that would change what kind of program is built. */
const OF_THE_CRATE = new Set(['crate_name', 'crate_type'])
/**
 * Attributes that would take the standard library away from the tests. They are removed when the solution is
 * built with the tests, and kept when the solution is checked alone.
 */
const WITHOUT_STD = new Set(['no_std', 'no_core', 'no_implicit_prelude', 'no_main'])

export interface Readied {
  /** The source that is checked and linted. */
  readonly text: string
  /** The source that is built together with the tests. */
  readonly withStd: string
  readonly silenced: readonly Diagnostic[]
}

/** Returns why this source must not be given to a compiler, or null if it is accepted. */
export function refusal(source: string): string | null {
  const bytes = Buffer.byteLength(source)
  if (bytes > MOST_BYTES)
    return `the source is ${Math.ceil(bytes / 1024)} KB long, more than the ${MOST_BYTES / 1024} KB that are compiled`
  const { depth } = read(source)
  return depth > MOST_DEPTH
    ? `brackets nest ${depth} deep, more than the ${MOST_DEPTH} that are compiled`
    : null
}

export function ready(file: string, source: string): Readied {
  const lexed = read(source)
  const place = placesIn(source)
  const edits: Edit[] = []
  const forTests: Edit[] = []
  const silenced: Diagnostic[] = []
  const found = (at: number, message: string): void => {
    silenced.push({ file, ...place(at), code: 'silenced', message })
  }
  for (let at = 0; at < lexed.tokens.length; at++) {
    const attribute = attributeAt(lexed, at)
    if (attribute !== null) {
      const start = lexed.tokens[attribute.first]?.start ?? 0
      const end = lexed.tokens[attribute.last]?.end ?? start
      const taken = hushing(lexed, attribute)
      if (taken !== null) {
        found(start, `silences the linter: ${shown(source.slice(start, end))}`)
        edits.push(...taken)
      }
      const sets = attribute.inner ? setBy(lexed, attribute) : ''
      if (OF_THE_CRATE.has(sets)) edits.push(blanked(source, start, end))
      else if (WITHOUT_STD.has(sets)) forTests.push(blanked(source, start, end))
      at = attribute.last
    } else if (textOf(lexed, at) === 'cfg' && textOf(lexed, at + 1) === '!') {
      const taken = aboutClippy(lexed, at + 2, lexed.partner[at + 2] ?? -1)
      if (taken.length > 0)
        found(lexed.tokens[at]?.start ?? 0, 'tells the linter apart from the compiler')
      edits.push(...taken)
    } else if (isHandedOn(lexed, at)) {
      found(lexed.tokens[at]?.start ?? 0, 'silences the linter through a macro')
      edits.push(...withoutCounted(lexed, at + 1, lexed.partner[at + 1] ?? at).edits)
    }
  }
  return {
    text: edited(source, edits),
    withStd: edited(source, [...edits, ...forTests]),
    silenced,
  }
}

/**
 * True if an attribute's text is an argument of a macro, as in `hush!(allow(clippy::all))`. The macro could turn it
 * into an attribute.
 */
function isHandedOn(lexed: Lexed, at: number): boolean {
  const word = textOf(lexed, at)
  if ((word !== 'allow' && word !== 'expect') || textOf(lexed, at + 1) !== '(') return false
  if ((lexed.partner[at + 1] ?? -1) < at) return false
  const lint = textOf(lexed, at + 2)
  return (
    textOf(lexed, at - 1) !== '.' &&
    (lint === 'warnings' || (lint === 'clippy' && textOf(lexed, at + 3) === '::'))
  )
}

const shown = (text: string): string => {
  const line = text.replaceAll(/\s+/gu, ' ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

/**
 * Returns the name of the attribute, also if it is inside `cfg_attr`. Returns an empty text if `cfg_attr` sets
 * several attributes, because one might have to be removed for the tests while another must stay.
 */
function setBy(lexed: Lexed, { name, first, last }: Attribute): string {
  if (name !== 'cfg_attr') return last === first + 4 || textOf(lexed, first + 4) === '=' ? name : ''
  const open = first + 4
  const close = lexed.partner[open] ?? -1
  const second = pastComma(lexed, open + 1, close)
  return close === last - 1 && second === close - 1 ? textOf(lexed, second) : ''
}

/** Returns the edits that remove silencing from an attribute, or null if it does not silence anything. */
function hushing(lexed: Lexed, attribute: Attribute): Edit[] | null {
  const edits: Edit[] = []
  let hushes = false
  for (let at = attribute.first; at < attribute.last; at++) {
    const word = textOf(lexed, at)
    const close = lexed.partner[at + 1] ?? -1
    if ((word !== 'allow' && word !== 'expect') || textOf(lexed, at + 1) !== '(') continue
    hushes = true
    const { kept, edits: taken } = withoutCounted(lexed, at + 1, close)
    // An attribute that allows nothing would itself cause a warning, so the whole attribute is removed.
    edits.push(...(kept === 0 && attribute.name === word ? [wholeOf(lexed, attribute)] : taken))
    at = Math.max(at, close)
  }
  const clippy = /^cfg(_attr)?$/u.test(attribute.name)
    ? aboutClippy(lexed, attribute.first, attribute.last)
    : []
  return hushes || clippy.length > 0 ? [...edits, ...clippy] : null
}

const wholeOf = ({ source, tokens }: Lexed, { first, last }: Attribute): Edit =>
  blanked(source, tokens[first]?.start ?? 0, tokens[last]?.end ?? 0)

/**
 * Returns edits that keep only the names of the compiler's own lints. A `reason` is kept only if one of these
 * lints is kept.
 */
function withoutCounted(
  lexed: Lexed,
  open: number,
  close: number,
): { readonly edits: readonly Edit[]; readonly kept: number } {
  const { source, tokens } = lexed
  const edits: Edit[] = []
  let kept = 0
  for (let at = open + 1; at < close;) {
    const next = pastComma(lexed, at, close)
    const last = textOf(lexed, next - 1) === ',' ? next - 2 : next - 1
    const name = textOf(lexed, at)
    const isReason = name === 'reason' && textOf(lexed, at + 1) === '='
    const stays = last === at && tokens[at]?.kind === 'word' && !COUNTED.has(name)
    if (stays) kept++
    else if (!isReason)
      edits.push(blanked(source, tokens[at]?.start ?? 0, tokens[next - 1]?.end ?? 0))
    at = next
  }
  const all = blanked(source, tokens[open]?.end ?? 0, tokens[close]?.start ?? 0)
  return { edits: kept > 0 ? edits : [all], kept }
}

/**
 * The compiler's own lints that a solution may not allow. `warnings` would also silence Clippy. `unsafe_code` would
 * allow unsafe code, which is refused.
 */
const COUNTED = new Set(['warnings', 'unsafe_code'])

/**
 * Replaces the condition `clippy` by a word that is never set. Clippy sets this condition (formerly `feature =
 * "cargo-clippy"`), so a solution could show one program to Clippy and another to the compiler.
 */
function aboutClippy(lexed: Lexed, from: number, end: number): Edit[] {
  const edits: Edit[] = []
  for (let at = from; at < end; at++) {
    const token = lexed.tokens[at]
    const text = textOf(lexed, at)
    if (token === undefined) continue
    if (text === 'clippy' && textOf(lexed, at + 1) !== '::')
      edits.push({ start: token.end - 6, end: token.end, text: 'clipp_' })
    else if (token.kind === 'literal' && text.includes('cargo-clippy'))
      edits.push({ ...token, text: text.replace('cargo-clippy', 'cargo-clipp_') })
  }
  return edits
}
