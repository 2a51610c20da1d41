/**
 * Detects kinds of tests that Assay cannot run. They are refused with a message. Otherwise these tests would be left
 * out without notice.
 */
import { attributeAt, isKept, type Attribute, type Item } from '../source/items.ts'
import { placesIn, textOf, type Lexed } from '../source/lex.ts'

/** Attributes of other crates that create tests. Assay cannot run such tests. */
const MAKERS = new Set(
  'rstest test_case test_matrix quickcheck parameterized tokio_test wasm_bindgen_test apply'.split(
    ' ',
  ),
)

/**
 * Macros that create no tests. If the test source calls any other macro at top level, only the compiler can list the
 * tests.
 */
const OWN_MACROS = new Set(['macro_rules', 'thread_local', 'lazy_static', 'compile_error'])

export const isOwnMacro = (name: string): boolean => OWN_MACROS.has(name)

const isMaker = (name: string): boolean =>
  (name !== 'test' && /(?:^|::)test$/u.test(name)) || MAKERS.has(name.split('::').at(-1) ?? name)

/** Returns the unsupported feature that these tests need, with its line; null if there is none. */
export function unsupportedIn(lexed: Lexed, items: readonly Item[]): string | null {
  const place = placesIn(lexed.source)
  const line = (at: number): string => `line ${place(lexed.tokens[at]?.start ?? 0).line}`
  for (let at = 0; at < lexed.tokens.length; at++) {
    const attribute = attributeAt(lexed, at)
    if (attribute === null) {
      const why = wordAt(lexed, at)
      if (why !== null) return `${line(at)}: ${why}`
      continue
    }
    const why = attribute.inner ? innerFault(lexed, attribute) : null
    if (why !== null) return `${line(at)}: ${why}`
    at = attribute.last
  }
  for (const { kind, attributes } of items) {
    if (kind !== 'fn' || isKept(lexed, attributes, true) === false) continue
    for (const { name, first } of attributes) {
      if (name === 'bench')
        return `${line(first)}: #[bench] needs a nightly compiler, and tests are compiled as stable Rust`
      if (isMaker(name))
        return `${line(first)}: tests made by #[${name}] cannot be run: write them as functions with #[test]`
    }
  }
  return null
}

function innerFault(lexed: Lexed, attribute: Attribute): string | null {
  const { name, first, last } = attribute
  for (let at = first; at < last; at++)
    if (textOf(lexed, at) === 'feature' && textOf(lexed, at + 1) === '(')
      return '#![feature(…)] needs a nightly compiler, and tests are compiled as stable Rust'
  // An inner attribute (`#![…]`) has an extra `!`, so its condition begins one token later than that of an outer
  // attribute (`#[…]`).
  const isOut =
    name === 'cfg' && isKept(lexed, [{ ...attribute, first: first + 1 }], true) === false
  return isOut ? 'this #![cfg(…)] leaves out the tests, because its condition does not hold' : null
}

/** Returns a message if the code at this token needs cargo or a nightly compiler. */
function wordAt(lexed: Lexed, at: number): string | null {
  const word = textOf(lexed, at)
  if (word === 'extern' && textOf(lexed, at + 1) === 'crate' && textOf(lexed, at + 2) === 'test')
    return 'extern crate test needs a nightly compiler, and tests are compiled as stable Rust'
  if (word !== 'env' || textOf(lexed, at + 1) !== '!') return null
  const [, name] = /^"(CARGO_\w+)"$/u.exec(textOf(lexed, at + 3)) ?? []
  return name === undefined
    ? null
    : `env!("${name}") is set by cargo, which does not build the tests`
}
