/**
 * Detects two ways in which a solution can fake the results of comparisons in the tests, although it is safe Rust.
 * The first is an equality between its own type and a foreign one (`Liar == 3`). The second is its own trait with a
 * method that shadows a standard one (`contains` for `String`), which tests import through `use super::*`. Honest
 * solutions do not need these, so if a solution contains one, all of its tests fail. A macro cannot construct the
 * names, so checking tokens is enough. If it is unclear whether code fakes results, it counts as faking.
 */
import { read, textOf, type Lexed } from './source/lex.ts'

/** Returns why the solution's results in these tests cannot be trusted, or null if they can. */
export function lieIn(sample: string, tests: string): string | null {
  const lexed = read(sample)
  const own = namesAfter(lexed, OWN_TYPES)
  return lyingEquality(lexed, own) ?? lyingMethod(lexed, own, read(tests))
}

const OWN_TYPES = new Set(['struct', 'enum', 'union'])
const COMPARING = new Set(['PartialEq', 'PartialOrd'])

function namesAfter(lexed: Lexed, keywords: ReadonlySet<string>): Set<string> {
  const names = new Set<string>()
  for (let at = 0; at < lexed.tokens.length; at++)
    if (keywords.has(textOf(lexed, at)) && lexed.tokens[at + 1]?.kind === 'word')
      names.add(textOf(lexed, at + 1))
  return names
}

// ── Equality ─────────────────────────────────────────────────────────────────────────────────────────

function lyingEquality(lexed: Lexed, own: ReadonlySet<string>): string | null {
  const { tokens, partner } = lexed
  const opened: number[] = []
  for (let at = 0; at < tokens.length; at++) {
    const kind = tokens[at]?.kind
    if (kind === 'open') opened.push(at)
    else if (kind === 'close' && partner[at] !== -1) opened.pop()
    else if (COMPARING.has(textOf(lexed, at)) && !isHonest(lexed, at, opened, own))
      return `${textOf(lexed, at)} between a type of the sample's own and another one is not believed: it could say anything`
  }
  return null
}

function isHonest(
  lexed: Lexed,
  at: number,
  opened: readonly number[],
  own: ReadonlySet<string>,
): boolean {
  const inner = opened.at(-1)
  if (inner !== undefined && textOf(lexed, inner - 1) === 'derive') return true
  // A macro may add any tokens before and after this word, so it is not known what the word becomes.
  if (opened.some((open) => isMacro(lexed, open))) return false
  if (textOf(lexed, at + 1) === 'as') return textOf(lexed, at + 2) === '_'
  let first = at
  while (textOf(lexed, first - 1) === '::') first -= 2
  const before = textOf(lexed, first - 1)
  if (before !== 'impl' && before !== '>') return true
  if (textOf(lexed, at + 1) !== '<') return true
  const end = pastAngles(lexed, at + 1)
  if (textOf(lexed, end) !== 'for') return true
  const other = typeName(lexed, at + 2, end - 1)
  return other === 'Self' || own.has(other)
}

const isMacro = (lexed: Lexed, open: number): boolean =>
  textOf(lexed, open - 1) === '!' ||
  (textOf(lexed, open - 2) === '!' && textOf(lexed, open - 3) === 'macro_rules')

/** Returns the position after the `>` that closes the `<` at `open`. */
function pastAngles(lexed: Lexed, open: number): number {
  let depth = 0
  for (let at = open; at < lexed.tokens.length; at++) {
    const text = textOf(lexed, at)
    if (text === '<') depth++
    else if (text === '>' && --depth === 0) return at + 1
    else if (text === '{' || text === ';') return at
  }
  return lexed.tokens.length
}

/** Returns the last name of a type's path: `Foo` for `&'a crate::Foo<T>`. */
function typeName(lexed: Lexed, from: number, end: number): string {
  let name = ''
  for (let at = from; at < end; at++) {
    const text = textOf(lexed, at)
    if (lexed.tokens[at]?.kind === 'word' && text !== 'mut' && text !== 'dyn') name = text
    else if (text === '<') break
    else if (text !== '&' && text !== '::' && lexed.tokens[at]?.kind !== 'lifetime') return ''
  }
  return name
}

// ── Methods ──────────────────────────────────────────────────────────────────────────────────────────

/**
 * Methods of the standard library whose results tests may rely on. A trait of the solution must not have methods of the
 * same names.
 */
const STANDARD = new Set(
  (
    'abs all any as_bytes as_deref as_mut as_ref as_slice as_str borrow bytes ceil chars checked_add ' +
    'checked_sub chunks clone cloned cmp collect concat contains contains_key copied count drain ' +
    'ends_with entry enumerate eq eq_ignore_ascii_case err expect expect_err filter find first floor ' +
    'fold ge get get_mut gt insert into into_iter is_alphabetic is_ascii is_digit is_empty is_err ' +
    'is_finite is_infinite is_nan is_negative is_none is_numeric is_ok is_positive is_some ' +
    'is_sorted is_subset is_superset iter iter_mut join keys kind last le len lines lt map matches ' +
    'max min ne next next_back nth ok ok_or parse partial_cmp peek pop position pow product push ' +
    'remove repeat replace rev round skip sort split split_whitespace sqrt starts_with strip_prefix ' +
    'strip_suffix sum take to_ascii_lowercase to_bits to_lowercase to_owned to_string to_uppercase ' +
    'to_vec total_cmp trim try_into unwrap unwrap_err unwrap_or unwrap_or_default values windows zip'
  ).split(' '),
)

function lyingMethod(lexed: Lexed, own: ReadonlySet<string>, tests: Lexed): string | null {
  const called = new Set<string>()
  for (let at = 1; at < tests.tokens.length; at++)
    if (textOf(tests, at - 1) === '.' && STANDARD.has(textOf(tests, at)))
      called.add(textOf(tests, at))
  for (const [trait, methods] of traitsOf(lexed)) {
    const shadowed = methods.find((method) => called.has(method))
    if (shadowed !== undefined && isForForeign(lexed, trait, own))
      return `a trait of the sample's own, ${trait}, puts a method ${shadowed} before the standard one, which the tests call: what it says is not believed`
  }
  return null
}

function traitsOf(lexed: Lexed): Map<string, string[]> {
  const traits = new Map<string, string[]>()
  for (let at = 0; at < lexed.tokens.length; at++) {
    if (textOf(lexed, at) !== 'trait' || lexed.tokens[at + 1]?.kind !== 'word') continue
    let open = at + 2
    while (open < lexed.tokens.length && !'{;'.includes(textOf(lexed, open))) open++
    const close = lexed.partner[open] ?? -1
    const methods: string[] = []
    for (let inside = open; inside < close; inside++)
      if (textOf(lexed, inside) === 'fn') methods.push(textOf(lexed, inside + 1))
    traits.set(textOf(lexed, at + 1), methods)
  }
  return traits
}

/** True if the trait is implemented for any type that the solution does not define. */
function isForForeign(lexed: Lexed, trait: string, own: ReadonlySet<string>): boolean {
  for (let at = 0; at < lexed.tokens.length; at++) {
    if (textOf(lexed, at) !== 'impl') continue
    let here = textOf(lexed, at + 1) === '<' ? pastAngles(lexed, at + 1) : at + 1
    let named = ''
    for (
      ;
      here < lexed.tokens.length && !['for', '{', ';', '<'].includes(textOf(lexed, here));
      here++
    )
      named = textOf(lexed, here)
    if (textOf(lexed, here) === '<') here = pastAngles(lexed, here)
    if (named !== trait || textOf(lexed, here) !== 'for') continue
    let end = here + 1
    while (end < lexed.tokens.length && !['{', 'where', ';'].includes(textOf(lexed, end))) end++
    if (!own.has(typeName(lexed, here + 1, end))) return true
  }
  return false
}
