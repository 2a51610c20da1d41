/**
 * Reads hidden tests and rewrites them so that they run in Assay's harness instead of the compiler's. The list of
 * tests is read from their source alone: every `#[test]` function, with the path that the compiler's harness would
 * give it. If there are none, `main` is the only test. If macros create tests or conditions remove them, the compiler
 * provides the list (`made-tests.ts`). The rewritten source differs from the original in only two ways: each module
 * gets a function that registers its tests with the harness, and comparisons in `assert!` are handled like
 * `assert_eq!`.
 */
import { comparisonsAt } from './comparisons.ts'
import { inMacro, type InMacro } from './macro-tests.ts'
import { attributeAt, isKept, itemsOf, type Attribute, type Item } from '../source/items.ts'
import { refusal } from '../silence.ts'
import { blanked, edited, lex, read, textOf, type Edit, type Lexed } from '../source/lex.ts'
import { isOwnMacro, unsupportedIn } from './unsupported.ts'

export interface Inventory {
  /** Names of the tests to run, in the order of the source, without ignored tests. */
  readonly names: readonly string[]
  /** Names of ignored tests. */
  readonly ignored: readonly string[]
  /**
   * The source of the tests, rewritten so that the tests register themselves. The argument `mark` is the name of the
   * functions that register them. In `#[cfg(…)]` conditions, `test` is replaced by the argument `cfg`.
   */
  readonly text: string
  /** Why the tests cannot be run at all; null if they can. */
  readonly refused: string | null
  /** True if only the compiler can list the tests and `made` was not given. The other fields are then unknown. */
  readonly unlisted: boolean
}

/** A test as the compiler lists it. */
export interface MadeTest {
  /** The name of the test with its modules, for example `tests::parse::empty`. */
  readonly name: string
  readonly ignored: boolean
  /** The text that the panic message must contain, as a literal of the source; null if the test must not panic. */
  readonly panics: string | null
}

export interface InventoryOptions {
  /** The compiler's list; undefined if the compiler has not been asked. */
  readonly made?: readonly MadeTest[] | undefined
  /** True if the tests import the solution by its crate name. Then `crate` in the tests means the tests' own crate. */
  readonly isCrate?: boolean
  /** Whether ignored tests are run as well. */
  readonly includeIgnored?: boolean
}

interface Found {
  readonly name: string
  /** The innermost module of the source that contains the test. A macro may create further modules inside it. */
  readonly module: Item | null
  /** The path of the test, relative to `module`. */
  readonly path: string
  readonly panics: string | null
  readonly ignored: boolean
}

/** Reads and rewrites the tests in `source`. `harness` is the name of the library that the tests are built with. */
export function inventoryOf(
  source: string,
  mark: string,
  harness: string,
  { made, isCrate = false, includeIgnored = false }: InventoryOptions = {},
): Inventory {
  const nothing = { names: [], ignored: [], text: '', refused: null, unlisted: false }
  const why = refusal(source)
  if (why !== null) return { ...nothing, refused: `the tests: ${why}` }
  const lexed = read(source)
  const items = itemsOf(lexed)
  const unsupported = unsupportedIn(lexed, items)
  if (unsupported !== null) return { ...nothing, refused: unsupported }
  const edits: Edit[] = []
  const dropped = new Set<Item>()
  const written: Found[] = []
  const told = new Set<number>()
  let isCertain = true
  for (const item of items) {
    const { parent, attributes, kind, name } = item
    const kept = isKept(lexed, attributes, true)
    if ((parent !== null && dropped.has(parent)) || kept === false) {
      dropped.add(item)
      continue
    }
    if (kept === null || (kind === 'macro' && !isOwnMacro(name))) isCertain = false
    if (kind !== 'fn') continue
    const isTest = attributes.some((one) => one.name === 'test')
    if (attributes.some((one) => !isPlain(one, isTest))) isCertain = false
    if (!isTest) continue
    written.push({
      name: pathOf(item),
      module: parent,
      path: `r#${name}`,
      panics: panicsOf(lexed, attributes),
      ignored: attributes.some((one) => one.name === 'ignore'),
    })
    for (const attribute of attributes)
      if (MARKS.has(attribute.name)) {
        told.add(attribute.first)
        edits.push(blank(lexed, attribute))
      }
  }
  // If the source has no tests but a `main`, it is a plain program. `main` is then the only test.
  const main = items.find(
    (item) =>
      item.kind === 'fn' && item.name === 'main' && item.parent === null && !dropped.has(item),
  )
  const begin = firstItem(lexed)
  const top = new Set(items.filter(({ parent }) => parent === null).map(({ name }) => name))
  const hidden: InMacro[] = []
  const opened: number[] = []
  for (let at = 0; at < lexed.tokens.length; at++) {
    const attribute = attributeAt(lexed, at)
    const other = lexed.partner[at] ?? -1
    if (other > at) opened.push(at)
    else if (other !== -1) opened.pop()
    if (attribute === null) {
      edits.push(...comparisonsAt(lexed, at, harness))
      if (isCrate) edits.push(...ownRoot(lexed, at, top, mark))
    } else if (MARKS.has(attribute.name) && !told.has(at) && !isDropped(dropped, at))
      hidden.push(inMacro(lexed, attribute, opened))
    else if (attribute.inner && at < begin) edits.push(blank(lexed, attribute))
    else if (attribute.name === 'cfg' || attribute.name === 'cfg_attr')
      edits.push(...conditioned(lexed, attribute, mark))
  }
  const refused = hidden.find((one) => one.refused !== null)?.refused ?? null
  if (refused !== null) return { ...nothing, refused }
  const hasMade = hidden.some(({ isTest }) => isTest)
  if ((hasMade || !isCertain) && made === undefined) return { ...nothing, unlisted: true }
  edits.push(...hidden.flatMap((one) => one.edits))
  const tests = made === undefined ? [...written] : listed(made, written, items)
  const extra = tests.find(({ name }) => !written.some((one) => one.name === name))
  if (extra !== undefined && !hasMade)
    return {
      ...nothing,
      refused: `the test ${extra.name} is made by a macro or an attribute of another crate, which cannot be run: write it as a function with #[test]`,
    }
  if (main !== undefined && tests.length === 0 && !hasMade && !hasAttribute(items))
    tests.push({ name: 'main', module: null, path: 'r#main', panics: null, ignored: false })
  const run = tests.filter(({ ignored }) => includeIgnored || !ignored)
  edits.push(...leadingDocs(source), ...tellers(lexed, run, mark, harness))
  return {
    names: run.map(({ name }) => name),
    ignored: tests.filter((one) => !run.includes(one)).map(({ name }) => name),
    text: edited(source, edits),
    refused: null,
    unlisted: false,
  }
}

const hasAttribute = (items: readonly Item[]): boolean =>
  items.some(({ attributes }) => attributes.some(({ name }) => name === 'test'))

/**
 * Attributes of the language whose effect on tests is known here. Most have none, and this file reads `test`, `ignore` and
 * `cfg` itself. Any other attribute may be a macro that creates or removes tests.
 */
const PLAIN = new Set(
  'test should_panic ignore cfg allow warn deny forbid expect must_use inline cold doc deprecated track_caller rustfmt::skip no_mangle target_feature'.split(
    ' ',
  ),
)

const isPlain = ({ name }: Attribute, isTest: boolean): boolean =>
  PLAIN.has(name) || name.startsWith('clippy::') || (name === 'cfg_attr' && !isTest)

/** Combines the compiler's list of tests with the test functions found in the source. */
function listed(
  made: readonly MadeTest[],
  written: readonly Found[],
  items: readonly Item[],
): Found[] {
  const modules = new Map(
    items
      .filter(({ kind, body }) => kind === 'mod' && body !== null)
      .map((item) => [pathOf(item), item]),
  )
  return made.map(({ name, panics, ignored }) => {
    const known = written.find((one) => one.name === name)
    if (known !== undefined) return { ...known, panics, ignored }
    const parts = name.split('::')
    let length = parts.length - 1
    while (length > 0 && !modules.has(parts.slice(0, length).join('::'))) length--
    return {
      name,
      module: modules.get(parts.slice(0, length).join('::')) ?? null,
      path: parts
        .slice(length)
        .map((part) => `r#${part}`)
        .join('::'),
      panics,
      ignored,
    }
  })
}

/**
 * Redirects `crate::helper` to the module of the tests. Tests that were written as a separate crate use this path for
 * their own functions.
 */
function ownRoot(lexed: Lexed, at: number, top: ReadonlySet<string>, mark: string): Edit[] {
  const token = lexed.tokens[at]
  if (token === undefined || textOf(lexed, at) !== 'crate' || textOf(lexed, at + 1) !== '::')
    return []
  if (!top.has(textOf(lexed, at + 2))) return []
  return [{ start: token.end, end: token.end, text: `::${mark}::${mark}_source` }]
}

/**
 * Turns documentation comments of the file (`//!`) into plain comments. The tests become a module inside another
 * file, where `//!` is not allowed.
 */
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

/** Returns the position after the inner attributes at the top of the source. */
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

/** Returns the path that the compiler's harness gives a test as its name. */
export function pathOf(item: Item): string {
  const names: string[] = []
  for (let one: Item | null = item; one !== null; one = one.parent) names.unshift(one.name)
  return names.join('::')
}

/**
 * Returns the text that the panic message of a test must contain, as a quoted string of the source. Null if the test
 * must not panic.
 */
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
 * Returns edits that add a function at the end of every module that contains tests, directly or in a submodule.
 * The function registers these tests with the harness.
 */
function tellers(lexed: Lexed, tests: readonly Found[], mark: string, harness: string): Edit[] {
  const lines = new Map<Item | null, string[]>([[null, []]])
  const linesOf = (module: Item | null): string[] => {
    const known = lines.get(module)
    if (known !== undefined) return known
    const made: string[] = []
    lines.set(module, made)
    if (module !== null) linesOf(module.parent).push(`r#${module.name}::${mark}(${mark}_table);`)
    return made
  }
  tests.forEach(({ module, path, panics }, index) => {
    const expected = panics === null ? 'None' : `Some(${panics})`
    const run = `|| ::${harness}::Outcome::fault(${path}())`
    linesOf(module).push(
      `${mark}_table.add(${index}, ::${harness}::std::option::Option::${expected}, ${run});`,
    )
  })
  return [...lines].map(([module, told]) => {
    const close = module === null ? undefined : lexed.tokens[module.body?.[1] ?? -1]
    const at = close?.start ?? lexed.source.length
    const text = ` pub fn ${mark}(${mark}_table: &mut ::${harness}::Table) { ${told.join(' ')} } `
    return { start: at, end: at, text: module === null ? `\n${text}` : text }
  })
}
