/**
 * What the compiler and the linter say, one JSON object a line. Lint codes that begin with `clippy::` count,
 * at whatever level the sample has set them; everything else of level error is why it does not compile.
 */
import type { Diagnostic } from '../../../language.ts'

export interface Said {
  readonly errors: readonly Diagnostic[]
  readonly lints: readonly Diagnostic[]
  readonly notes: readonly Diagnostic[]
  /** Whether unsafe code was refused. */
  readonly unsafe: boolean
  /** What was no diagnostic: last words of a compiler that broke down. */
  readonly rest: string
}

/** More of a kind is not of use to anyone. */
const MOST = 200
const MOST_REST = 2000

export const UNSAFE =
  'unsafe code is refused here: the case does not allow it (the compiler says: usage of unsafe code)'

/** `nameOf` tells the file that people know under the name that the compiler has for it. */
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
    // "aborting due to 2 previous errors", "1 warning emitted".
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
  const text = typeof message === 'string' ? message : ''
  return text.length > 1000 ? `${text.slice(0, 999)}…` : text
}

const NEEDED = /\b(?:Rust|edition) (20\d\d)\b/u

/** What the compiler says about a newer edition, in the message or in what it adds to it. */
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

/** Where it is about; for what a macro made, where that was called. */
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
