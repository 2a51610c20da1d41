/**
 * Joins hidden tests that were written as a separate crate (`tests/*.rs`) into one source. A module in another file
 * (`mod common;`) is replaced by its content, and so are included texts. `extern crate` for the solution's crate is
 * removed, because the tests are compiled as a module of that crate.
 */
import { posix } from 'node:path'
import type { Sources } from '../../../../language.ts'
import { attributeAt, type Attribute } from '../source/items.ts'
import { edited, placesIn, read, textOf, type Edit, type Lexed } from '../source/lex.ts'

export interface Origin {
  /** The path of a file of the case; null for the test source itself. */
  readonly file: string | null
  readonly line: number
}

export interface WholeTests {
  readonly text: string
  /** Why the tests cannot be run; null if they can. */
  readonly refused: string | null
  /** Returns the file and line that a line of `text` comes from. */
  readonly originOf: (line: number) => Origin
}

const MOST_NESTED = 20
/**
 * The folders in which a test file's modules are searched. Cargo searches them in `tests`, but the paths of a case's
 * files may omit that folder.
 */
const FOLDERS = ['tests/', '']

/**
 * Joins the tests into one source. `module` is the name that the tests use for the solution's crate; null if they do
 * not name it.
 */
export function wholeTests(source: string, files: Sources, module: string | null): WholeTests {
  const own = new Set(['solution', ...(module === null ? [] : [module])])
  const refusals: string[] = []
  const { text, origins } = joined({ source, file: null, folders: FOLDERS, depth: 0 })
  return {
    text,
    refused: refusals[0] ?? null,
    originOf: (line) => origins[line - 1] ?? { file: null, line },
  }

  function joined({ source: given, file, folders, depth }: Part): Joined {
    const lexed = read(given)
    const place = placesIn(given)
    const where = (at: number): string =>
      `${file === null ? 'line ' : `${file}:`}${place(lexed.tokens[at]?.start ?? 0).line}`
    const edits: (Edit & { readonly inner?: Joined })[] = []
    for (const found of declarationsIn(lexed)) {
      const { kind, start, end } = found
      if (kind === 'crate')
        edits.push({ start, end, text: withoutCrate(found, own, given.slice(start, end)) })
      else if (kind === 'include') {
        const path = pick(folders, [found.path])
        if (path === null)
          refusals.push(
            `${where(found.at)}: ${found.macro}! of "${found.path}", which is not one of the files of the case`,
          )
        else edits.push({ start, end, text: literalOf(files[path] ?? '', found.macro) })
      } else {
        const inside = found.modules.map((name) => `${name}/`).join('')
        const tried = found.path === null ? modulePaths(inside + found.name) : [found.path]
        const path = pick(folders, tried)
        if (path === null || depth >= MOST_NESTED) {
          const names = tried.map((one) => `${folders[0] ?? ''}${one}`).join(' or ')
          refusals.push(
            `${where(found.at)}: the module ${found.name} is in another file, and the files of the case have no ${names}`,
          )
          continue
        }
        const within =
          found.path === null ? path.replace(/(?:\/mod)?\.rs$/u, '/') : `${posix.dirname(path)}/`
        const inner = joined({
          source: files[path] ?? '',
          file: path,
          folders: [within],
          depth: depth + 1,
        })
        edits.push({ start, end, text: `{\n${inner.text}\n}`, inner })
      }
    }
    return { text: edited(given, edits), origins: originsOf(given, file, edits) }
  }

  function pick(folders: readonly string[], names: readonly string[]): string | null {
    for (const folder of folders)
      for (const name of names) {
        const path = posix.normalize(`${folder}${name}`)
        if (Object.hasOwn(files, path)) return path
      }
    return null
  }
}

interface Part {
  readonly source: string
  readonly file: string | null
  /** The folders in which the file's modules are searched. */
  readonly folders: readonly string[]
  readonly depth: number
}

interface Joined {
  readonly text: string
  /** The origin of each line of the text. */
  readonly origins: readonly Origin[]
}

const modulePaths = (name: string): string[] => [`${name}.rs`, `${name}/mod.rs`]

function originsOf(
  source: string,
  file: string | null,
  edits: readonly (Edit & { readonly inner?: Joined })[],
): Origin[] {
  const place = placesIn(source)
  const origins: Origin[] = []
  const lines = source.split('\n').length
  let line = 1
  const upTo = (end: number): void => {
    for (; line <= end; line++) origins.push({ file, line })
  }
  for (const { start, end, inner } of edits) {
    upTo(place(start).line)
    if (inner === undefined) continue
    // The last line contains the closing brace and the rest of the line after the declaration.
    origins.push(...inner.origins, { file, line: place(end).line })
  }
  upTo(lines)
  return origins
}

/** Returns the text as a Rust literal on one line, of the type that the macro returns. */
function literalOf(text: string, macro: string): string {
  const escaped = (letters: Iterable<string>, hex: (code: number) => string): string =>
    [...letters]
      .map((one) => (/^[ !#-[\]-~]$/u.test(one) ? one : hex(one.codePointAt(0) ?? 0)))
      .join('')
  if (macro === 'include_str') return `"${escaped(text, (code) => `\\u{${code.toString(16)}}`)}"`
  const bytes = Buffer.from(text).toString('latin1')
  return `b"${escaped(bytes, (code) => `\\x${code.toString(16).padStart(2, '0')}`)}"`
}

function withoutCrate(
  { name, alias, imports }: CrateDeclaration,
  own: ReadonlySet<string>,
  written: string,
): string {
  if (own.has(name)) return alias === null || alias === name ? '' : `use crate as ${alias};`
  // `#[macro_use]` works only at the root of a crate, but the tests are a module here. So the macros are imported
  // with `use`.
  if (!imports) return written
  return `use ::${name}::*;${alias === null ? '' : ` use ::${name} as ${alias};`}`
}

// ── Declarations ─────────────────────────────────────────────────────────────────────────────────────

interface Declared {
  /** The index of the first token of the declaration, to report its line. */
  readonly at: number
  /** The part of the source to replace. */
  readonly start: number
  readonly end: number
}

interface CrateDeclaration extends Declared {
  readonly kind: 'crate'
  readonly name: string
  readonly alias: string | null
  /** Whether the declaration imports all macros of the crate (`#[macro_use]`). */
  readonly imports: boolean
}

interface ModuleDeclaration extends Declared {
  readonly kind: 'module'
  readonly name: string
  /** The path from `#[path = "…"]`; null if there is none. */
  readonly path: string | null
  /** The modules of the same file that contain the declaration. */
  readonly modules: readonly string[]
}

interface Include extends Declared {
  readonly kind: 'include'
  readonly macro: string
  readonly path: string
}

function* declarationsIn(lexed: Lexed): Generator<CrateDeclaration | ModuleDeclaration | Include> {
  const { tokens, partner } = lexed
  const around: { readonly name: string; readonly end: number }[] = []
  let attributes: Attribute[] = []
  const token = (at: number): { start: number; end: number } =>
    tokens[at] ?? { start: lexed.source.length, end: lexed.source.length }
  for (let at = 0; at < tokens.length; at++) {
    while (around.length > 0 && at > (around.at(-1)?.end ?? 0)) around.pop()
    const attribute = attributeAt(lexed, at)
    if (attribute !== null) {
      attributes.push(attribute)
      at = attribute.last
      continue
    }
    const word = textOf(lexed, at)
    if (word === 'pub') {
      if (textOf(lexed, at + 1) === '(') at = Math.max(at, partner[at + 1] ?? at)
      continue
    }
    const before = attributes
    attributes = []
    const name = textOf(lexed, at + 1)
    if (word === 'mod' && tokens[at + 1]?.kind === 'word') {
      if (textOf(lexed, at + 2) === '{' && (partner[at + 2] ?? -1) > at) {
        around.push({ name, end: partner[at + 2] ?? at })
        at += 2
      } else if (textOf(lexed, at + 2) === ';')
        yield {
          kind: 'module',
          name,
          at,
          start: token(at + 2).start,
          end: token(at + 2).end,
          path: pathIn(lexed, before),
          modules: around.map((one) => one.name),
        }
    } else if (word === 'extern' && name === 'crate') {
      const end = indexOf(lexed, ';', at, at + 6)
      const loads = before.find((one) => one.name === 'macro_use')
      const start = loads === undefined ? at : loads.first
      if (end === -1) continue
      yield {
        kind: 'crate',
        name: textOf(lexed, at + 2),
        alias: textOf(lexed, at + 3) === 'as' ? textOf(lexed, at + 4) : null,
        imports: loads !== undefined,
        at,
        start: token(start).start,
        end: token(end).end,
      }
      at = end
    } else if (/^include_(?:str|bytes)$/u.test(word) && name === '!') {
      const close = partner[at + 2] ?? -1
      const [, path] = /^"([^"\\]*)"$/u.exec(textOf(lexed, at + 3)) ?? []
      if (path === undefined || (close !== at + 4 && close !== at + 5)) continue
      const first = textOf(lexed, at - 1) === '::' ? at - 2 : at
      yield {
        kind: 'include',
        macro: word,
        path,
        at,
        start: token(first).start,
        end: token(close).end,
      }
    }
  }
}

function indexOf(lexed: Lexed, text: string, from: number, end: number): number {
  for (let at = from; at < end; at++) if (textOf(lexed, at) === text) return at
  return -1
}

function pathIn(lexed: Lexed, attributes: readonly Attribute[]): string | null {
  const one = attributes.find(({ name }) => name === 'path')
  if (one === undefined) return null
  const [, path = null] = /^"([^"\\]*)"$/u.exec(textOf(lexed, one.first + 4)) ?? []
  return path
}
