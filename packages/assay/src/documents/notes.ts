/**
 * Collects the problems and warnings of one file with their locations, so that all of them are reported together. A
 * warning that occurs many times (such as the same unread key in a thousand cases) is reported once, with its count.
 */
import type { Document } from './document.ts'
import { counted, nearest } from '../text/index.ts'
import {
  describe,
  formatPath,
  quote,
  SuiteError,
  type Path,
  type Problem,
  type Warning,
} from './problem.ts'

const MOST_PROBLEMS = 100
/**
 * The maximum number of different unread keys that are listed. A hostile file can contain any number of unknown keys.
 */
const MOST_KINDS = 100

export interface Finding {
  readonly found?: string
  readonly expected: string
  readonly nearest?: string | null
  readonly at?: 'key' | 'value'
  /** A sentence that replaces the usual sentence, which is made from `expected` and `found`. */
  readonly message?: string
  /** Text to add after the sentence and the suggestion. */
  readonly also?: string
}

export interface Notes {
  readonly file: string
  readonly failed: boolean
  problem(path: Path, finding: Finding): void
  /** Notes a key that is not one of the valid keys. */
  unknownKey(path: Path, valid: readonly string[]): void
  warn(text: string, path?: Path): void
  /**
   * Notes a key that is not read, so that its value has no effect. If several list entries have the same unread key, it
   * is reported once, with the count.
   */
  unread(path: Path, why?: string): void
  warnings(): Warning[]
  /** Throws a `SuiteError` with all problems, if there are any. */
  done(): void
}

export interface NotesOptions {
  /** Returns whether the value at a path may be secret, so that messages must not show it. */
  readonly hide?: (path: Path) => boolean
}

interface Unread {
  readonly line: number | null
  count: number
}

export const takeNotes = (document: Document, options: NotesOptions = {}): Notes =>
  new DocumentNotes(document, options)

/**
 * A class, because notes are taken for every row of a table. An object with its own getter would be much larger, and
 * the engine would keep it until it collects all of its memory.
 */
class DocumentNotes implements Notes {
  readonly #document: Document
  readonly #options: NotesOptions
  readonly #problems: Problem[] = []
  readonly #warnings: Warning[] = []
  /** The unread keys. Null until there is one, to save memory: few rows have unread keys. */
  #unread: Map<string, Unread> | null = null
  #more = 0
  #moreUnread = 0

  constructor(document: Document, options: NotesOptions) {
    this.#document = document
    this.#options = options
  }

  get file(): string {
    return this.#document.file
  }

  get failed(): boolean {
    return this.#problems.length > 0
  }

  problem(path: Path, finding: Finding): void {
    if (this.#problems.length >= MOST_PROBLEMS) {
      this.#more += 1
      return
    }
    const { file, value } = this.#document
    const position = this.#document.locate(path, finding.at ?? 'value')
    const hidden = this.#options.hide?.(path) ?? false
    const found = hidden ? '(hidden)' : (finding.found ?? describe(valueAt(value, path)))
    const where = path.length === 0 ? '' : `${formatPath(path)}: `
    const near = finding.nearest ?? null
    const sentence = finding.message ?? `expected ${finding.expected}, found ${found}`
    this.#problems.push({
      file,
      line: position?.line ?? null,
      column: position?.column ?? null,
      found,
      expected: finding.expected,
      ...(near === null ? {} : { nearest: near }),
      message: `${where}${sentence}${near === null ? '' : `; did you mean ${near}?`}${finding.also ?? ''}`,
    })
  }

  unknownKey(path: Path, valid: readonly string[]): void {
    // Problems beyond the limit are only counted. So the slow search for the nearest key is skipped.
    if (this.#problems.length >= MOST_PROBLEMS) this.#more += 1
    else this.problem(path, unknownKeyFinding(String(path.at(-1)), valid))
  }

  warn(text: string, path?: Path): void {
    this.#warnings.push(this.#warning(path === undefined ? null : this.#lineOf(path), text))
  }

  unread(path: Path, why = 'is not acted on'): void {
    const kind = `${formatPath(path).replaceAll(/\[\d+\]/g, '[]')} ${why}`
    this.#unread ??= new Map()
    const seen = this.#unread.get(kind)
    if (seen !== undefined) seen.count += 1
    else if (this.#unread.size < MOST_KINDS)
      this.#unread.set(kind, { line: this.#lineOf(path), count: 1 })
    else this.#moreUnread += 1
  }

  warnings(): Warning[] {
    if (this.#warnings.length === 0 && this.#unread === null) return []
    const told = [...(this.#unread ?? [])].map(([kind, { line, count }]) =>
      this.#warning(line, count === 1 ? kind : `${kind} (${count} places, the first is here)`),
    )
    const inOrder = [...this.#warnings, ...told].sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
    const more = this.#moreUnread
    if (more > 0)
      inOrder.push(
        this.#warning(null, `${counted(more, 'more place is', 'more places are')} not acted on`),
      )
    return inOrder
  }

  done(): void {
    if (this.#problems.length === 0) return
    const inOrder = this.#problems.sort(
      (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
    )
    throw new SuiteError(inOrder, this.#more)
  }

  #lineOf(path: Path): number | null {
    return this.#document.locate(path, 'key')?.line ?? null
  }

  #warning(line: number | null, text: string): Warning {
    const { file } = this.#document
    return line === null ? { file, text } : { file, line, text }
  }
}

function unknownKeyFinding(key: string, valid: readonly string[]): Finding {
  const near = nearest(key, valid)
  const expected = `one of ${valid.join(', ')}`
  return {
    at: 'key',
    found: quote(key),
    expected,
    nearest: near,
    ...(near === null
      ? { message: `unknown key, expected ${expected}` }
      : { message: 'unknown key', also: ` Allowed are ${valid.join(', ')}` }),
  }
}

/** Returns the value at a path, or undefined. */
export function valueAt(value: unknown, path: Path): unknown {
  let here = value
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined
    here = (here as Record<string | number, unknown>)[step]
  }
  return here
}
