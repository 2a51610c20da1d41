/**
 * Checks from the tokens of Rust tests whether the tests assert anything or call the solution. Calls cannot be
 * counted reliably at run time, because the tests run in the solution's process. If tests call functions of the same
 * file, these functions are checked too. A macro that does more than print counts as a possible assertion. A call of
 * a function that the file does not define counts as a possible call of the solution.
 */
import type { Look } from '../../../language.ts'
import { inventoryOf, pathOf } from './tests/inventory.ts'
import { hasUnknownCrate } from './tests/undeclared.ts'
import { itemsOf, type Item } from './source/items.ts'
import { read, textOf, type Lexed } from './source/lex.ts'
import { refusal } from './silence.ts'

const PRINTS = new Set(['print', 'println', 'eprint', 'eprintln', 'dbg', 'format', 'vec', 'concat'])
/** Functions that only construct or drop values, so calling them does not count as calling the solution. */
const MAKES = new Set(['Some', 'Ok', 'Err', 'Box', 'String', 'Vec', 'new', 'from', 'drop'])
const KEYWORDS = new Set('if while for match return in let mut ref move else loop fn as'.split(' '))

export function look(tests: string): Look {
  // This source is refused when the tests are run, and that run reports why. So it needs no check here.
  if (refusal(tests) !== null) return 'active'
  const { names, ignored, refused, unlisted } = inventoryOf(tests, 'mark', 'harness')
  // Either only the compiler can list these tests, or they cannot be run. In both cases, a run shows more.
  if (refused !== null || unlisted || hasUnknownCrate(tests)) return 'unclear'
  if (names.length === 0 && ignored.length > 0) return 'skipped'
  // More tests are ignored than run. A run reports how many are left.
  if (ignored.length > names.length) return 'unclear'
  const lexed = read(tests)
  // `mod name;` refers to another file of the case, which is not available here.
  if (itemsOf(lexed).some(({ kind, body }) => kind === 'mod' && body === null)) return 'unclear'
  // If brackets do not match, it is not known where functions end.
  if (!isBalanced(lexed)) return 'unclear'
  const functions = itemsOf(lexed).filter(({ kind, body }) => kind === 'fn' && body !== null)
  const waiting = functions.filter((item) => names.includes(pathOf(item)))
  const seen = new Set(waiting)
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    if (item.attributes.some(({ name }) => name === 'should_panic')) return 'active'
    const found = doneIn(lexed, item, functions)
    if (found === 'active') return 'active'
    for (const one of found) {
      if (!seen.has(one)) waiting.push(one)
      seen.add(one)
    }
  }
  return 'idle'
}

const isBalanced = ({ tokens, partner }: Lexed): boolean =>
  tokens.every(({ kind }, at) => (kind !== 'open' && kind !== 'close') || partner[at] !== -1)

/**
 * Returns `active` if the body asserts something or calls the solution. Otherwise returns the functions of the same
 * file that it mentions.
 */
function doneIn(lexed: Lexed, { body }: Item, functions: readonly Item[]): 'active' | Item[] {
  const mentioned: Item[] = []
  const [begin, end] = body ?? [0, 0]
  for (let at = begin + 1; at < end; at++) {
    const text = textOf(lexed, at)
    const next = textOf(lexed, at + 1)
    if (text === '?') return 'active'
    if (!/^[\p{L}_]/u.test(text) || KEYWORDS.has(text)) continue
    const own = functions.filter(({ name }) => name === text)
    mentioned.push(...own)
    if (next === '!' && textOf(lexed, at + 2) !== '=' && !PRINTS.has(text)) return 'active'
    if (next === '(' && own.length === 0 && !MAKES.has(text)) return 'active'
  }
  return mentioned
}
