/**
 * Hidden tests, read and rewritten so that they run in our harness instead of the compiler's. What they are
 * is told by their source alone: every `#[test]` function, by the path that the compiler's own harness would
 * give it, or `main` where there is none. The rewritten source is the same but for its marks: a function in each module tells the harness
 * its tests, and comparisons in `assert!` go the way of `assert_eq!`.
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
  /** In the order of the source; ignored ones are not among them. */
  readonly names: readonly string[]
  /** Those that are ignored. */
  readonly ignored: readonly string[]
  /** The source with `mark` as the name of the functions that tell, and `cfg` for `test` in conditions. */
  readonly text: string
  /** Why they cannot be run at all. */
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
  // A plain program: its `main` is the one test, as a script is in other languages.
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

/** Documentation of the file, which the tests are no longer: `//!` becomes `// `. */
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

/** Behind the attributes that the source begins with. */
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

/** By which the compiler's own harness names a test. */
export function pathOf(item: Item): string {
  const names: string[] = []
  for (let one: Item | null = item; one !== null; one = one.parent) names.unshift(one.name)
  return names.join('::')
}

/** What a test has to panic with; null where it must not. The text as source, quotes and all. */
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

/** At the end of every module that holds tests, or a module that does: a function that tells of them. */
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
/** With one of these at its top a condition is left as it is: where its sides end is not for tokens to say. */
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
 * `assert!(a == b && c)` with its comparisons marked, so that the harness sees both sides. Whatever is not
 * plainly of that form stays as it is.
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

/** JSON escapes control characters in a way of its own. */
const rustString = (json: string): string =>
  json
    .replaceAll(/\\u([0-9a-f]{4})/gu, '\\u{$1}')
    .replaceAll('\\b', '\\u{8}')
    .replaceAll('\\f', '\\u{c}')
