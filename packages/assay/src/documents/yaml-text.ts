/**
 * A YAML parser that keeps locations. The `yaml` library gives the range of every node. This module also refuses some
 * texts that the library would accept: duplicate keys, keys that are not text, unknown tags, and more aliases than a
 * person would write. (The library can check for duplicate keys too, but its check takes quadratic time.)
 */
import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import { SyntaxProblem } from './document.ts'
import { foundAt } from './json-text.ts'
import { escapeControls, quote, type Path } from './problem.ts'

let loaded: typeof Yaml | undefined

/** Loads the library only when the first YAML text is read, because most commands read none. */
const yaml = (): typeof Yaml => (loaded ??= createRequire(import.meta.url)('yaml') as typeof Yaml)

/**
 * The maximum number of aliases. Normal use, such as a shared list of graders in every case, needs far fewer. A file
 * that uses aliases to expand to an enormous value has far more.
 */
const MOST_ALIASES = 20_000

export interface ParsedYaml {
  readonly value: unknown
  /**
   * Returns the offset of a key or value. If nothing exists at the path, returns the offset of the nearest enclosing
   * value.
   */
  offsetOf(path: Path, at: 'key' | 'value'): number
}

/** An error that contains a list of syntax problems. */
export class YamlProblems extends Error {
  readonly problems: readonly SyntaxProblem[]

  constructor(problems: readonly SyntaxProblem[]) {
    super('the file is not valid YAML')
    this.problems = problems
  }
}

export function parseYaml(text: string): ParsedYaml {
  const { LineCounter, parseDocument } = yaml()
  const document = parseDocument(text, {
    stringKeys: true,
    merge: true,
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: new LineCounter(),
  })
  const errors = [...document.errors, ...document.warnings]
  // If the nesting is too deep, the library reports the same error for every enclosing level. Only one of them is
  // reported.
  const tooDeep = errors.find((error) => error.code === 'RESOURCE_EXHAUSTION')
  const bare = bareTemplates(text)
  const problems: SyntaxProblem[] = []
  for (const error of tooDeep === undefined ? errors : [tooDeep]) {
    const [at] = error.pos
    const template = bare.findLast(
      (one) => one.offset <= at + 1 && !text.slice(one.offset, at).includes('\n'),
    )
    if (template === undefined)
      problems.push(
        new SyntaxProblem(
          at,
          foundAt(text, at),
          `valid YAML (${expectation(error.code, error.message)})`,
        ),
      )
    else if (!problems.includes(template)) problems.push(template)
  }
  if (problems.length === 0) problems.push(...repeatedKeys(document.contents))
  if (problems.length > 0) throw new YamlProblems(problems)
  return {
    value: document.toJS({ maxAliasCount: MOST_ALIASES }),
    offsetOf: (path, at) => offsetOf(document, path, at),
  }
}

/**
 * Returns a problem for each value that begins with `{{` outside of quotes. This is how a template is written, but YAML
 * reads it as a table inside a table. The library's message for it names neither templates nor quotes.
 */
function bareTemplates(text: string): SyntaxProblem[] {
  return [...text.matchAll(/(?<=^[^\n#"']*[:-] +)\{\{[^\n]*/gm)].map(
    ({ 0: found, index }) =>
      new SyntaxProblem(
        index,
        quote(found.trimEnd()),
        'a text in quotes: YAML reads { outside of quotes as the beginning of a table',
      ),
  )
}

function expectation(code: string, message: string): string {
  if (code === 'RESOURCE_EXHAUSTION') return 'less deeply nested'
  if (code === 'MULTIPLE_DOCS') return 'one document'
  return escapeControls(message.split('\n')[0] ?? message)
}

/**
 * Returns a problem for each duplicate key in any map. The function does not recurse, because deep nesting could
 * overflow the stack.
 */
function repeatedKeys(root: Yaml.Node | null): SyntaxProblem[] {
  const { isMap, isScalar, isSeq } = yaml()
  const problems: SyntaxProblem[] = []
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (isSeq(node)) for (const item of node.items) waiting.push(item)
    if (!isMap(node)) continue
    const seen = new Set<string>()
    for (const pair of node.items) {
      waiting.push(pair.value)
      const key = pair.key
      if (!isScalar(key)) continue
      const name = String(key.value)
      // A map may have several merge keys (`<<`), so they do not count as duplicate keys.
      if (seen.has(name) && name !== '<<')
        problems.push(
          new SyntaxProblem(
            key.range?.[0] ?? 0,
            `the key ${quote(name)} a second time`,
            'each key once',
          ),
        )
      seen.add(name)
    }
  }
  return problems.sort((a, b) => a.offset - b.offset)
}

function offsetOf(document: Yaml.Document.Parsed, path: Path, at: 'key' | 'value'): number {
  let node: unknown = document.contents
  let key: unknown = null
  let whole = true
  for (const step of path) {
    const parent = yaml().isAlias(node) ? node.resolve(document) : node
    const next = child(parent, step)
    if (next === null) {
      whole = false
      break
    }
    key = next.key
    node = next.value
  }
  const value = start(node)
  return (at === 'key' || !whole ? (start(key) ?? value) : (value ?? start(key))) ?? 0
}

function child(node: unknown, step: string | number): { key: unknown; value: unknown } | null {
  const { isMap, isPair, isScalar, isSeq } = yaml()
  if (isSeq(node)) {
    const item = typeof step === 'number' ? node.items[step] : undefined
    return item === undefined ? null : { key: null, value: item }
  }
  if (!isMap(node)) return null
  const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === step)
  return pair === undefined || !isPair(pair) ? null : { key: pair.key, value: pair.value }
}

function start(node: unknown): number | null {
  if (typeof node !== 'object' || node === null || !('range' in node)) return null
  return Array.isArray(node.range) ? (node.range[0] as number) : null
}
