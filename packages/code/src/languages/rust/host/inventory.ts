/**
 * Reads hidden tests and rewrites them so that they run in our harness instead of the compiler's. The list of tests
 * comes from their source alone: every `#[test]` function, with the path that the compiler's harness would give it,
 * or `main` if there are none. The rewritten source differs only in two ways: each module gets a function that
 * registers its tests with the harness, and comparisons in `assert!` are handled like `assert_eq!`.
 */
import {
  attributeAt,
  isKept,
  itemsOf,
  pastComma,
  type Attribute,
  type Item,
} from './source/items.ts'
import { refusal } from './silence.ts'
import {
  blanked,
  edited,
  lex,
  placesIn,
  read,
  textOf,
  type Edit,
  type Lexed,
} from './source/lex.ts'

export interface Inventory {
  /** In the order of the source, without ignored tests. */
  readonly names: readonly string[]
  /** Names of ignored tests. */
  readonly ignored: readonly string[]
  /**
   * The rewritten source. `mark` is the name of the registering functions, and `cfg` replaces `test` in conditions.
   */
  readonly text: string
  /** Why the tests cannot be run at all; null if they can. */
  readonly refused: string | null
}

interface Found {
  readonly item: Item
  readonly panics: string | null
}

/** `harness` is the name of the library that the tests are built with. */
export function inventoryOf(source: string, mark: string, harness: string): Inventory {
  const why = refusal(source)
  if (why !== null) return { names: [], ignored: [], text: '', refused: `the tests: ${why}` }
  const lexed = read(source)
  const items = itemsOf(lexed)
  const place = placesIn(source)
  const edits: Edit[] = []
  const dropped = new Set<Item>()
  const tests: Found[] = []
  const skipped: Item[] = []
  const told = new Set<number>()
  for (const item of items) {
    const { parent, attributes, kind } = item
    if ((parent !== null && dropped.has(parent)) || isKept(lexed, attributes, true) === false) {
      dropped.add(item)
      continue
    }
    if (kind !== 'fn' || !attributes.some(({ name }) => name === 'test')) continue
    const ignored = attributes.some(({ name }) => name === 'ignore')
    if (ignored) skipped.push(item)
    else tests.push({ item, panics: panicsOf(lexed, attributes) })
    for (const attribute of attributes)
      if (MARKS.has(attribute.name)) {
        told.add(attribute.first)
        edits.push(blank(lexed, attribute))
      }
  }
  // For a plain program, `main` is the only test, like a script in other languages.
  const main = items.find(
    (item) =>
      item.kind === 'fn' && item.name === 'main' && item.parent === null && !dropped.has(item),
  )
  const isPlain = !items.some(({ attributes }) => attributes.some(({ name }) => name === 'test'))
  if (main !== undefined && isPlain) tests.push({ item: main, panics: null })
  const begin = firstItem(lexed)
  let refused: string | null = null
  for (let at = 0; at < lexed.tokens.length; at++) {
    const attribute = attributeAt(lexed, at)
    if (attribute === null) edits.push(...comparisonsAt(lexed, at, harness))
    else if (attribute.name === 'test' && !told.has(at) && !isDropped(dropped, at))
      refused = `line ${place(lexed.tokens[at]?.start ?? 0).line}: a test inside a macro or a function cannot be run: write it as a function of a module`
    else if (attribute.inner && at < begin) edits.push(blank(lexed, attribute))
    else if (attribute.name === 'cfg' || attribute.name === 'cfg_attr')
      edits.push(...conditioned(lexed, attribute, mark))
  }
  edits.push(...leadingDocs(source), ...tellers(lexed, tests, mark, harness))
  return {
    names: tests.map(({ item }) => pathOf(item)),
    ignored: skipped.map(pathOf),
    text: edited(source, edits),
    refused,
  }
}

/** Turns `//!` into `// `: the tests are no longer a file, so file-level documentation is not allowed. */
function leadingDocs(source: string): Edit[] {
  const edits: Edit[] = []
  for (const { kind, start } of lex(source)) {
    if (kind !== 'space' && kind !== 'comment') break
    if (kind === 'comment' && /^\/[/*]!/u.test(source.slice(start, start + 3)))
      edits.push({ start: start + 2, end: start + 3, text: ' ' })
  }
  return edits
}

const MARKS = new Set(['test', 'should_panic', 'ignore'])

function blank({ tokens, source }: Lexed, { first, last }: Attribute): Edit {
  return blanked(source, tokens[first]?.start ?? 0, tokens[last]?.end ?? 0)
}

/** Returns the position after the leading inner attributes. */
function firstItem(lexed: Lexed): number {
  let at = 0
  for (let one = attributeAt(lexed, 0); one?.inner === true; one = attributeAt(lexed, at))
    at = one.last + 1
  return at
}

function isDropped(dropped: ReadonlySet<Item>, at: number): boolean {
  for (const { attributes, body } of dropped) {
    if (body === null) continue
    if (at >= (attributes[0]?.first ?? body[0]) && at <= body[1]) return true
  }
  return false
}

/** Returns the name that the compiler's harness gives a test. */
export function pathOf(item: Item): string {
  const names: string[] = []
  for (let one: Item | null = item; one !== null; one = one.parent) names.unshift(one.name)
  return names.join('::')
}

/** Returns what a test must panic with, as a quoted source string, or null if it must not panic. */
function panicsOf(lexed: Lexed, attributes: readonly Attribute[]): string | null {
  const one = attributes.find(({ name }) => name === 'should_panic')
  if (one === undefined) return null
  for (let at = one.first; at < one.last; at++)
    if (lexed.tokens[at]?.kind === 'literal' && textOf(lexed, at - 1) === '=')
      return textOf(lexed, at)
  return '""'
}

function conditioned(lexed: Lexed, { first, last }: Attribute, mark: string): Edit[] {
  const edits: Edit[] = []
  for (let at = first + 3; at < last; at++) {
    const token = lexed.tokens[at]
    if (token !== undefined && textOf(lexed, at) === 'test' && textOf(lexed, at - 1) !== '=')
      edits.push({ start: token.start, end: token.end, text: mark })
  }
  return edits
}

/**
 * Adds a function that registers tests to the end of every module that contains tests, directly or in a submodule.
 */
function tellers(lexed: Lexed, tests: readonly Found[], mark: string, harness: string): Edit[] {
  const lines = new Map<Item | null, string[]>([[null, []]])
  const linesOf = (module: Item | null): string[] => {
    const known = lines.get(module)
    if (known !== undefined) return known
    const made: string[] = []
    lines.set(module, made)
    if (module !== null) linesOf(module.parent).push(`r#${module.name}::${mark}(table);`)
    return made
  }
  tests.forEach(({ item, panics }, index) => {
    const expected = panics === null ? 'None' : `Some(${panics})`
    const run = `|| ::${harness}::Outcome::fault(r#${item.name}())`
    linesOf(item.parent).push(
      `table.add(${index}, ::${harness}::std::option::Option::${expected}, ${run});`,
    )
  })
  return [...lines].map(([module, told]) => {
    const close = module === null ? undefined : lexed.tokens[module.body?.[1] ?? -1]
    const at = close?.start ?? lexed.source.length
    const text = ` pub fn ${mark}(table: &mut ::${harness}::Table) { ${told.join(' ')} } `
    return { start: at, end: at, text: module === null ? `\n${text}` : text }
  })
}

// ── Comparisons ──────────────────────────────────────────────────────────────────────────────────────

const ASSERTS = new Set(['assert', 'debug_assert'])
const COMPARES = new Set(['==', '!=', '<=', '>='])
const JOINS = new Set(['&&', '||'])
/** A condition with one of these at its top level is not changed, because tokens do not show where its sides end. */
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
 * Marks the comparisons in `assert!(a == b && c)`, so that the harness sees both sides. Any other form is not
 * changed.
 */
function comparisonsAt(lexed: Lexed, at: number, harness: string): Edit[] {
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

/** Converts a JSON string to a Rust string, since JSON escapes control characters differently. */
const rustString = (json: string): string =>
  json
    .replaceAll(/\\u([0-9a-f]{4})/gu, '\\u{$1}')
    .replaceAll('\\b', '\\u{8}')
    .replaceAll('\\f', '\\u{c}')
