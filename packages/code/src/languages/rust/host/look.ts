/**
 * Inspects what Rust tests do, by their tokens: the tests run in the solution's process, where calls cannot be
 * counted reliably. Functions of the same file that tests call are followed. Any macro that does not just print may
 * assert, and any call of a function that the file does not define may reach the solution.
 */
import type { Look } from '../../../language.ts'
import { inventoryOf, pathOf } from './inventory.ts'
import { itemsOf, type Item } from './source/items.ts'
import { read, textOf, type Lexed } from './source/lex.ts'
import { refusal } from './silence.ts'

const PRINTS = new Set(['print', 'println', 'eprint', 'eprintln', 'dbg', 'format', 'vec', 'concat'])
/** Calls that only construct values, so they do not count. */
const MAKES = new Set(['Some', 'Ok', 'Err', 'Box', 'String', 'Vec', 'new', 'from', 'drop'])
const KEYWORDS = new Set('if while for match return in let mut ref move else loop fn as'.split(' '))

export function look(tests: string): Look {
  // Source that cannot be read is reported when the tests are run.
  if (refusal(tests) !== null) return 'active'
  const { names, ignored, refused } = inventoryOf(tests, 'mark', 'harness')
  if (refused !== null) return 'active'
  if (names.length === 0 && ignored.length > 0) return 'skipped'
  const lexed = read(tests)
  // It is not known where functions end.
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

/** Returns `active` if the body asserts or calls the solution, else the functions of the file that it mentions. */
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
