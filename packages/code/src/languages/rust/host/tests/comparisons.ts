/**
 * Rewrites the comparisons in assertions, so that the harness gets both operands of `assert!(a == b)`, as it does
 * for `assert_eq!`.
 */
import { pastComma } from '../source/items.ts'
import { textOf, type Edit, type Lexed } from '../source/lex.ts'

const ASSERTS = new Set(['assert', 'debug_assert'])
const COMPARES = new Set(['==', '!=', '<=', '>='])
const JOINS = new Set(['&&', '||'])
/**
 * Tokens that make a condition unclear. If one of them is at the top level of a condition, the condition is not
 * rewritten, because tokens alone do not show where the operands end.
 */
const UNCLEAR = new Set([
  '<',
  '>',
  '=',
  '|',
  '..',
  '..=',
  '=>',
  'if',
  'match',
  'let',
  'move',
  'return',
  'unsafe',
])

/**
 * Rewrites the comparisons in `assert!(a == b && c)`, so that the harness gets both operands. Any other form is
 * not changed.
 */
export function comparisonsAt(lexed: Lexed, at: number, harness: string): Edit[] {
  const { tokens, partner, source } = lexed
  const open = at + 2
  const close = partner[open] ?? -1
  if (!ASSERTS.has(textOf(lexed, at)) || textOf(lexed, at + 1) !== '!' || close < open) return []
  if (textOf(lexed, at - 1) === '::') return []
  const past = pastComma(lexed, open + 1, close)
  const end = textOf(lexed, past - 1) === ',' && past > open + 1 ? past - 1 : past
  const edits: Edit[] = []
  let from = open + 1
  let sign = -1
  for (let here = from; here <= end; here++) {
    const text = textOf(lexed, here)
    if (here === end || JOINS.has(text)) {
      const [first, operator, last] = [tokens[from], tokens[sign], tokens[here - 1]]
      if (sign > from && here > sign + 1 && first && operator && last)
        edits.push(
          { start: first.start, end: first.start, text: `::${harness}::compared!(` },
          { start: operator.start, end: operator.end, text: `, ${textOf(lexed, sign)}, ` },
          { start: last.end, end: last.end, text: ')' },
        )
      from = here + 1
      sign = -1
    } else if (UNCLEAR.has(text)) return []
    else if (COMPARES.has(text)) {
      if (sign !== -1) return []
      sign = here
    } else if (tokens[here]?.kind === 'open') here = Math.max(here, partner[here] ?? here)
  }
  const [first, last] = [tokens[open + 1], tokens[end - 1]]
  if (edits.length === 0 || !first || !last) return []
  const written = JSON.stringify(source.slice(first.start, last.end).replaceAll(/\s+/gu, ' '))
  return [{ start: first.start, end: first.start, text: `@ ${rustString(written)} ` }, ...edits]
}

/** Converts a JSON string literal to a Rust string literal. The two differ in how they escape control characters. */
const rustString = (json: string): string =>
  json
    .replaceAll(/\\u([0-9a-f]{4})/gu, '\\u{$1}')
    .replaceAll('\\b', '\\u{8}')
    .replaceAll('\\f', '\\u{c}')
