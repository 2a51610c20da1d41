/**
 * The problems in a file that the user wrote, and the error that contains all of them. A problem says where it is
 * (file, line, column and the path of keys), what was found, and what was expected. For a misspelt name, it also
 * suggests the nearest valid name. Text from the file is quoted with control characters escaped, so that a hostile
 * suite cannot control the terminal.
 */
import { UsageError } from '@assay/contract'

/** The path to a value inside a document: keys and list indexes from the top. */
export type Path = readonly (string | number)[]

export interface Problem {
  /** The path of the file as the user typed it. */
  readonly file: string
  /** The line number, from 1. Null if the file has no text to point at, as for a module. */
  readonly line: number | null
  readonly column: number | null
  readonly found: string
  readonly expected: string
  readonly nearest?: string
  /** The complete sentence for the user, without the location. */
  readonly message: string
}

/** A part of a file that has no effect or is probably a mistake. */
export interface Warning {
  readonly file: string
  readonly line?: number
  readonly text: string
}

/** The maximum number of problems that are listed. If there are more, the others are only counted. */
const MOST_LISTED = 50

export class SuiteError extends UsageError {
  override readonly name: string = 'SuiteError'
  readonly problems: readonly Problem[]

  /** `more` is the number of problems that were found but are not in the list. */
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

/** Returns an error about a whole file: the file cannot be read, or it is too large. */
export function fileError(file: string, found: string, expected: string): SuiteError {
  return new SuiteError([
    { file, line: null, column: null, found, expected, message: `${found}; expected ${expected}` },
  ])
}

const MOST_STEPS = 12

/** Formats a path: `cases[2].graders[0].weight`. */
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

/**
 * Returns text from the file in a form that is safe to show: quoted, cut to a limit, and with control characters
 * escaped.
 */
export function quote(text: string): string {
  const cut = text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED).toWellFormed()}…` : text
  return `"${escapeControls(cut.toWellFormed()).replaceAll('"', String.raw`\"`)}"`
}

/** Replaces control, bidirectional and line separator characters by visible escapes. */
export function escapeControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    if (character === '\n') return String.raw`\n`
    if (character === '\t') return String.raw`\t`
    return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Describes a value of the file in a few words: its text if it is short, otherwise its type. */
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
