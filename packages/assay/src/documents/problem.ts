/**
 * What can be wrong with a file the user wrote, and the error that carries all of it at once. A problem
 * says where (file, line, column and the path of keys), what was found, what was expected and, for a
 * misspelt name, the nearest valid one. Texts from the file are quoted with control characters escaped, so
 * that a hostile suite cannot write to the terminal.
 */
import { UsageError } from '@assay/contract'

/** A place inside a document: keys and list positions from the top. */
export type Path = readonly (string | number)[]

export interface Problem {
  /** As the user named it. */
  readonly file: string
  /** From 1; null where the file has no text to point at (a module). */
  readonly line: number | null
  readonly column: number | null
  readonly found: string
  readonly expected: string
  readonly nearest?: string
  /** The whole sentence for people, without the place. */
  readonly message: string
}

/** What a file holds that is not acted on, or that is probably not meant. */
export interface Warning {
  readonly file: string
  readonly line?: number
  readonly text: string
}

/** Problems beyond this many are counted, not listed. */
const MOST_LISTED = 50

export class SuiteError extends UsageError {
  override readonly name: string = 'SuiteError'
  readonly problems: readonly Problem[]

  /** `more`: how many problems were found beyond those listed. */
  constructor(problems: readonly Problem[], more = 0) {
    const lines = problems.slice(0, MOST_LISTED).map(formatProblem)
    const unlisted = problems.length - lines.length + more
    if (unlisted > 0) lines.push(`… and ${unlisted} more`)
    super(lines.join('\n'))
    this.problems = problems
  }
}

export function formatProblem(problem: Problem): string {
  return `${place(problem.file, problem.line, problem.column)}: ${problem.message}`
}

export function formatWarning(warning: Warning): string {
  return `${place(warning.file, warning.line ?? null, null)}: warning: ${warning.text}`
}

function place(file: string, line: number | null, column: number | null): string {
  const name = escapeControls(file)
  if (line === null) return name
  return column === null ? `${name}:${line}` : `${name}:${line}:${column}`
}

/** One problem of a file as a whole: it cannot be read, it is too large. */
export function fileError(file: string, found: string, expected: string): SuiteError {
  return new SuiteError([
    { file, line: null, column: null, found, expected, message: `${found}; expected ${expected}` },
  ])
}

const MOST_STEPS = 12

/** `cases[2].graders[0].weight` */
export function formatPath(path: Path): string {
  let text = path.length > MOST_STEPS ? '…' : ''
  for (const step of path.slice(-MOST_STEPS)) {
    if (typeof step === 'number') text += `[${step}]`
    else if (/^[\w$-]{1,60}$/.test(step)) text += text === '' ? step : `.${step}`
    else text += `[${quote(step)}]`
  }
  return text
}

const MOST_QUOTED = 60

/** Text of the file as it may be shown: quoted, cut, without control characters. */
export function quote(text: string): string {
  const cut = text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED).toWellFormed()}…` : text
  return `"${escapeControls(cut.toWellFormed()).replaceAll('"', String.raw`\"`)}"`
}

/** Control, bidirectional and line separator characters as visible escapes. */
export function escapeControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    if (character === '\n') return String.raw`\n`
    if (character === '\t') return String.raw`\t`
    return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** A value of the file in a few words: its text where it is short, its kind where it is not. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (typeof value === 'string') return value.trim() === '' ? 'blank text' : quote(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'bigint') return `${value}`.slice(0, MOST_QUOTED)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'a table'
  return `a ${typeof value}`
}
