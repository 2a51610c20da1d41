/**
 * Reads the output of the compiler and of Clippy, which is one JSON object per line. Each lint whose code begins with
 * `clippy::` lowers the score, whatever level the solution has set for it. Any other message of level error is a
 * compile error.
 */
import type { Diagnostic } from '../../../language.ts'
import { shortened } from '../../../shortened.ts'

export interface Said {
  readonly errors: readonly Diagnostic[]
  readonly lints: readonly Diagnostic[]
  readonly notes: readonly Diagnostic[]
  /** Whether the compiler refused unsafe code. */
  readonly unsafe: boolean
  /** Output lines that are not diagnostics, such as the last message of a crashed compiler. */
  readonly rest: string
}

/** The most diagnostics of one kind that are kept. Nobody reads more. */
const MOST = 200
const MOST_REST = 2000

export const UNSAFE =
  'unsafe code is refused here: the case does not allow it (the compiler says: usage of unsafe code)'

/** Parses compiler output. `nameOf` maps the compiler's file name to the file name in the solution. */
export function readDiagnostics(text: string, nameOf: (file: string) => string): Said {
  const errors: Diagnostic[] = []
  const lints: Diagnostic[] = []
  const notes: Diagnostic[] = []
  let rest = ''
  let unsafe = false
  for (const line of text.split('\n')) {
    const one = line.startsWith('{') ? asObject(line) : null
    if (one === null) {
      if (line.trim() !== '' && rest.length < MOST_REST) rest += `${line}\n`
      continue
    }
    const level = one['level']
    const code = (one['code'] as { code?: unknown } | null)?.code
    const named = typeof code === 'string' ? code : null
    const span = primarySpan(one['spans'])
    // A summary is a line such as "aborting due to 2 previous errors" or "1 warning emitted".
    const isSummary = level !== 'error' || String(one['message']).startsWith('aborting due to ')
    if (span === null && named === null && isSummary) continue
    const refused = named === 'unsafe_code'
    const found: Diagnostic = {
      file: nameOf(typeof span?.['file_name'] === 'string' ? span['file_name'] : ''),
      line: countOf(span?.['line_start']),
      column: countOf(span?.['column_start']),
      code: named,
      message: refused ? UNSAFE : `${textOfMessage(one['message'])}${editionHint(one)}`,
    }
    unsafe ||= refused
    const list = named?.startsWith('clippy::') ? lints : isError(level) ? errors : notes
    if (list.length < MOST) list.push(found)
  }
  return { errors, lints, notes, unsafe, rest: rest.trim() }
}

const isError = (level: unknown): boolean => typeof level === 'string' && level.startsWith('error')

const countOf = (value: unknown): number => (typeof value === 'number' ? value : 1)

function textOfMessage(message: unknown): string {
  return shortened(typeof message === 'string' ? message : '', 1000)
}

const NEEDED = /\b(?:Rust|edition) (20\d\d)\b/u

/** Returns the compiler's hint about a newer edition, from the message or its notes. */
function editionHint(one: Record<string, unknown>): string {
  if (!isError(one['level'])) return ''
  const added = Array.isArray(one['children']) ? (one['children'] as { message?: unknown }[]) : []
  for (const text of [one['message'], ...added.map(({ message }) => message)]) {
    const [, edition] = NEEDED.exec(typeof text === 'string' ? text : '') ?? []
    if (edition !== undefined)
      return ` (edition ${edition} allows it: the case's key edition says which one is used)`
  }
  return ''
}

function asObject(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return null
  }
}

/** Returns the source position of a message. For code from a macro, this is where the macro was called. */
function primarySpan(spans: unknown): Record<string, unknown> | null {
  if (!Array.isArray(spans)) return null
  const list = spans as Record<string, unknown>[]
  let span = list.find((one) => one['is_primary'] === true) ?? list[0] ?? null
  for (let steps = 0; span !== null && steps < 50; steps++) {
    const outer = (span['expansion'] as { span?: Record<string, unknown> } | null)?.span
    if (outer === undefined) break
    span = outer
  }
  return span
}
