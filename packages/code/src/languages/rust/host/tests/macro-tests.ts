/**
 * Rewrites tests that a macro of the test source creates. The compiler lists these tests (`made-tests.ts`). Their
 * `#[test]` is not just removed, because the macro may expect an attribute there. It is replaced by an attribute
 * without effect. If the macro also creates modules, the tests are made visible outside of these modules.
 */
import type { Attribute } from '../source/items.ts'
import { attributeAt } from '../source/items.ts'
import { placesIn, textOf, type Edit, type Lexed } from '../source/lex.ts'

export interface InMacro {
  readonly edits: readonly Edit[]
  readonly isTest: boolean
  /** Why a test that a macro creates cannot be run; null if it can. */
  readonly refused: string | null
}

const NOTHING = '#[cfg(all())]'
const VISIBLE = 'pub(crate) '

/**
 * Returns how to rewrite an attribute inside a macro. `around` contains the indexes of the opening brackets around
 * the attribute, outermost first.
 */
export function inMacro(
  lexed: Lexed,
  { first, last, name }: Attribute,
  around: readonly number[],
): InMacro {
  const { tokens, source } = lexed
  const isTest = name === 'test'
  const [start, end] = [tokens[first]?.start ?? 0, tokens[last]?.end ?? 0]
  const edits: Edit[] = [{ start, end, text: withLines(NOTHING, source.slice(start, end)) }]
  if (!isTest) return { edits, isTest, refused: null }
  const macro = around.findIndex((open) => isMacro(lexed, open))
  if (macro === -1) {
    const { line } = placesIn(source)(start)
    const refused = `line ${line}: a test inside a function is never run: write it as a function of a module`
    return { edits, isTest, refused }
  }
  const inMade = around
    .slice(macro + 1)
    .map((open) => moduleBefore(lexed, open))
    .filter((at) => at !== -1)
  // Make the inner modules and the test function public. The outermost module is already visible where the macro is
  // called.
  const hidden = [...inMade.slice(1), ...(inMade.length === 0 ? [] : [functionAfter(lexed, last)])]
  for (const at of hidden) {
    const from = tokens[at]?.start
    const before = textOf(lexed, at - 1)
    if (from !== undefined && before !== 'pub' && before !== ')')
      edits.push({ start: from, end: from, text: VISIBLE })
  }
  return { edits, isTest, refused: null }
}

const withLines = (text: string, before: string): string =>
  `${text}${'\n'.repeat(before.split('\n').length - 1)}`

/** True if the bracket contains the rules or the arguments of a macro. */
const isMacro = (lexed: Lexed, open: number): boolean =>
  textOf(lexed, open - 1) === '!' || textOf(lexed, open - 2) === '!'

/** Returns the position of `mod` in `mod name {` or `mod $name {`, or −1. */
function moduleBefore(lexed: Lexed, open: number): number {
  if (textOf(lexed, open) !== '{') return -1
  if (textOf(lexed, open - 2) === 'mod') return open - 2
  return textOf(lexed, open - 2) === '$' && textOf(lexed, open - 3) === 'mod' ? open - 3 : -1
}

/**
 * Returns the position of the function after an attribute, or −1. Skips further attributes, also repetitions such
 * as `$(#[$m])*`.
 */
function functionAfter(lexed: Lexed, last: number): number {
  let at = last + 1
  for (;;) {
    const attribute = attributeAt(lexed, at)
    if (attribute !== null) at = attribute.last + 1
    else if (textOf(lexed, at) === '$' && textOf(lexed, at + 1) === '(')
      at = (lexed.partner[at + 1] ?? at) + 2
    else return /^(?:fn|async|const|unsafe|extern)$/u.test(textOf(lexed, at)) ? at : -1
  }
}
