/**
 * Finds out where a request differs from a recorded one. Values that are new in every run are not compared: ids, dates,
 * times, and the trial's own address. A difference in the result of a tool is marked as such. It comes from the machine
 * on which the agent works, such as the duration of a test, and not from the question that the agent got.
 */
import { isRecord } from '../../json.ts'

export interface Difference {
  /** Where the difference is, such as `messages[0].content`. */
  readonly path: string
  readonly recorded: string
  readonly now: string
  /** Whether the difference is in the result of a tool. */
  readonly isResult: boolean
}

/**
 * Returns the first difference that is not in the result of a tool. If there is none, returns the first difference in
 * such a result. Returns null if the requests are equal.
 */
export function requestDifference(recorded: unknown, now: unknown): Difference | null {
  let inResult: Difference | null = null
  for (const difference of differences(recorded, now, '', false, 0)) {
    if (!difference.isResult) return difference
    inResult ??= difference
  }
  return inResult
}

/** Keys at the top level of a request that identify a session or a user. They differ between trials, so they are not compared. */
const OF_SESSION = new Set([
  'metadata',
  'user',
  'prompt_cache_key',
  'client_metadata',
  'safety_identifier',
])

/** The text that stands for a secret in recordings. Recorded texts that contain it are not compared. */
const MASKED = '[secret]'
const DEEPEST = 200

function* differences(
  recorded: unknown,
  now: unknown,
  path: string,
  isResult: boolean,
  depth: number,
): Generator<Difference> {
  const differs = (): Difference => ({
    path: path === '' ? 'the body' : path,
    ...excerpts(recorded, now),
    isResult,
  })
  if (Array.isArray(recorded) && Array.isArray(now)) {
    for (let i = 0; i < Math.max(recorded.length, now.length); i++)
      yield* differences(recorded[i], now[i], `${path}[${i}]`, isResult, depth + 1)
  } else if (isRecord(recorded) && isRecord(now)) {
    if (depth > DEEPEST) return
    const keys = new Set([...Object.keys(recorded), ...Object.keys(now)])
    const isTools = isResult || isToolResult(recorded) || isToolResult(now)
    for (const key of keys) {
      if (path === '' && OF_SESSION.has(key)) continue
      const at = path === '' ? key : `${path}.${key}`
      const isIn = isTools || key === 'functionResponse'
      yield* differences(recorded[key], now[key], at, isIn, depth + 1)
    }
  } else if (typeof recorded === 'string' && typeof now === 'string') {
    if (recorded !== now && !recorded.includes(MASKED) && steady(recorded) !== steady(now))
      yield differs()
  } else if (recorded !== now && !(isTime(recorded) && isTime(now))) {
    if (Array.isArray(recorded) || isRecord(recorded) || Array.isArray(now) || isRecord(now)) {
      const hasResult = isResult || isToolResult(recorded) || isToolResult(now)
      yield { ...differs(), isResult: hasResult }
    } else yield differs()
  }
}

/** Whether a number is a time between 2010 and 2060, in seconds or milliseconds since 1970. */
const isTime = (value: unknown): boolean =>
  typeof value === 'number' &&
  ((value > 1.26e9 && value < 2.84e9) || (value > 1.26e12 && value < 2.84e12))

const isToolResult = (value: unknown): boolean =>
  isRecord(value) &&
  (value['role'] === 'tool' || /(?:tool_result|_call_output)$/u.test(String(value['type'])))

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
const CHANGING = new RegExp(
  [
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
    'sk-assay-[0-9a-f]+',
    '127\\.0\\.0\\.1:\\d+/[0-9a-f]{24}',
    '\\d{4}-\\d\\d-\\d\\d(?:[T ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?:Z|[+-]\\d\\d:?\\d\\d)?)?',
    `(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? )?(?:${MONTHS})[a-z]* \\d{1,2}(?:,? \\d{4})?`,
    '\\b\\d{1,2}:\\d\\d(?::\\d\\d)?\\b(?: [AP]M)?',
    '\\b1\\d{12}\\b',
  ].join('|'),
  'giu',
)

/** Replaces everything in a text that changes from run to run. */
const steady = (text: string): string => text.replaceAll(CHANGING, '…')

const AROUND = 40

/** Returns short parts of both texts that begin where they differ. */
function excerpts(recorded: unknown, now: unknown): Pick<Difference, 'recorded' | 'now'> {
  const [a, b] = [shown(recorded), shown(now)]
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at++
  const from = Math.max(0, at - AROUND)
  const part = (text: string): string =>
    `${from > 0 ? '…' : ''}${text.slice(from, at + AROUND)}${text.length > at + AROUND ? '…' : ''}`
  return { recorded: part(a), now: part(b) }
}

const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : (JSON.stringify(value) ?? 'nothing').toWellFormed()
