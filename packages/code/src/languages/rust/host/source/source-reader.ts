/** Reads Rust source, partly by its tokens and partly with regular expressions. */
import type { Definition, ImportedModule, SourceReader } from '../../../../language.ts'
import { lex } from './lex.ts'

function bare(source: string): { text: string; isOpen: boolean } {
  const parts = lex(source).map(({ kind, start, end }) => {
    const text = source.slice(start, end)
    if (kind !== 'comment' && kind !== 'literal') return text
    return `${kind === 'comment' ? ' ' : "''"}${'\n'.repeat(text.split('\n').length - 1)}`
  })
  return { text: parts.join(''), isOpen: false }
}

const DEFINED =
  /^(?:pub(?:\([^)\n]*\))?[ \t]+)?(?:(?:default|async|unsafe|extern[ \t]*''|const)[ \t]+)*(fn|struct|enum|trait|union|type|mod|static|const|macro_rules!)[ \t]+(?:mut[ \t]+)?([\p{L}_][\p{L}\p{N}_]*)/gmu
const KINDS: Readonly<Record<string, Definition['kind']>> = {
  fn: 'function',
  'macro_rules!': 'function',
  static: 'value',
  const: 'value',
}

const defined = (source: string): Definition[] =>
  [...bare(source).text.matchAll(DEFINED)].map(([, word = '', name = '']) => ({
    name,
    kind: KINDS[word] ?? 'type',
  }))

const IMPL = /^impl\b([^{\n]*)/gmu

/** Returns the types to which impl blocks add methods: `Type` for `impl<T> Trait for Type<T>`. */
function extended(source: string): string[] {
  return [...bare(source).text.matchAll(IMPL)].flatMap(([, head = '']) => {
    const type = head.split(/\bfor\b/u).at(-1) ?? head
    const [, name] = /^\s*(?:<[^{]*?>\s*)?&?\s*([\p{L}_][\p{L}\p{N}_]*)/u.exec(type) ?? []
    return name === undefined ? [] : [name]
  })
}

/** Words at the start of a path that are never the name of the solution's crate. */
const KNOWN = new Set(
  'std core alloc proc_macro test crate self super Self bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize'.split(
    ' ',
  ),
)
const USE = /\buse\s+(?:::)?([a-z_][a-z\d_]*)\s*(?:::([^;]{0,4000})|as\s+(\w+)\s*)?;/gu
const EXTERN = /\bextern\s+crate\s+([a-z_][a-z\d_]*)\s*(?:as\s+(\w+)\s*)?;/gu
const PATH = /(?<![\p{L}\p{N}_:]|::\s{0,8})([a-z_][a-z\d_]*)::([\p{L}_][\p{L}\p{N}_]*)/gu

function imports(tests: string): ImportedModule[] {
  const { text } = bare(tests)
  const own = new Set([...text.matchAll(/\bmod\s+([a-z_][a-z\d_]*)/gu)].map(([, name]) => name))
  const used = [...text.matchAll(USE)]
  // A name that `use` brings in may begin a path without being a crate: `hash_map::` after `use
  // std::collections::hash_map;`. Such names are excluded. A name that equals its crate is not excluded, because a
  // function may have the name of its crate: `use raindrops::raindrops;`.
  const brought = new Set(
    used.flatMap(([, crate, list = '']) => leaves(list).filter((name) => name !== crate)),
  )
  // A crate may be imported under another name: `use word_count as words;` or `extern crate word_count as words;`.
  const crates = [...text.matchAll(EXTERN)].map(([, name = '', alias]) => ({ name, alias }))
  for (const [, name = '', , alias] of used) crates.push({ name, alias })
  const renamed = new Map(crates.flatMap(({ name, alias }) => (alias ? [[alias, name]] : [])))
  const isCrate = (name: string): boolean =>
    !KNOWN.has(name) && !own.has(name) && !brought.has(name)
  const found: ImportedModule[] = crates
    .filter(({ name }) => isCrate(name) && !renamed.has(name))
    .map(({ name }) => ({ name, names: [] }))
  for (const [, name = '', list = ''] of used)
    if (isCrate(name)) found.push({ name, names: leaves(list).map((one) => [one]) })
  for (const [, path = '', item = ''] of text.matchAll(PATH)) {
    const name = renamed.get(path) ?? path
    if (isCrate(name)) found.push({ name, names: [[item]] })
  }
  return found
}

/** Returns the last names in a tree of `use` paths: A, C and D for `{A, b::{C, D as E}}`. */
function leaves(list: string): string[] {
  return list
    .split(/[{},]/u)
    .map((part) => part.replace(/\s+as\s.*$/u, '').trim())
    .map((part) => part.split('::').at(-1)?.trim() ?? '')
    .filter((name) => /^[\p{L}_]/u.test(name) && name !== 'self')
}

const BOUND =
  /\b(?:fn|struct|enum|trait|mod|const|static|let(?:\s+mut)?|macro_rules!)\s+([\p{L}_][\p{L}\p{N}_]*)/gu
const NAME = /(?<![.\p{L}\p{N}_])[\p{L}_][\p{L}\p{N}_]*/gu

function mentioned(tests: string): ReadonlySet<string> {
  const { text } = bare(tests)
  const names = new Set([...text.matchAll(NAME)].map(([name]) => name))
  for (const [, name = ''] of text.matchAll(BOUND)) names.delete(name)
  return names
}

const INSIDE =
  /^[ \t]*(?:pub(?:\([^)\n]*\))?[ \t]+)?(?:(?:async|unsafe|const)[ \t]+)*(?:fn|struct|enum|trait|type|mod)[ \t]+([\p{L}_][\p{L}\p{N}_]*)/gmu

export const rustSource: SourceReader = {
  bare,
  defined,
  definedInside: (source) => [...bare(source).text.matchAll(INSIDE)].map(([, name = '']) => name),
  afterPrompt: (_, answer) => answer,
  extended,
  imports,
  mentioned,
  isImport: (line) => /^(?:pub\s+)?use\s.*;\s*$/.test(line),
  moduleOf: (path) =>
    (
      path
        .replace(/\/mod\.rs$/, '')
        .split('/')
        .at(-1) ?? path
    )
      .replace(/\.rs$/, '')
      .replaceAll('-', '_'),
}
