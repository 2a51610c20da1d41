/**
 * Reads an envelope: JSON that a command can print instead of plain text, to give more information about its
 * answer:
 *
 *     { "text": "…", "usage": { "input": 812, "output": 96 }, "costUsd": 0.0031,
 *       "files": { "src/a.ts": "…" }, "stop": "end" }
 *
 * Only `text` is required. An unknown key is an error, because a misspelt `costUsd` would silently lose the
 * cost. An impossible amount does not make the answer invalid. The amount is ignored, and a remark on the trial
 * says so.
 */
import type { Answer, Stop, Usage } from '@assay/contract'
import { IMPOSSIBLE_COST, IMPOSSIBLE_USAGE, soundUsage, soundUsd } from '../amounts.ts'
import { isRecord } from '../json.ts'

/** The stop reasons that a command can report. Assay itself detects an exit with an error, and a timeout. */
const STOPS: readonly Stop[] = ['end', 'length', 'filter', 'refusal']
const CLASSES = ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning'] as const
const KEYS = ['text', 'usage', 'costUsd', 'files', 'stop', 'note']

const MOST_FILES = 1000

type Envelope = Pick<Answer, 'text' | 'files' | 'stop' | 'note' | 'usage' | 'usd' | 'remarks'>

/** Returns the answer in the envelope, or a message that says why the envelope is not valid. */
export function readEnvelope(printed: string): Envelope | { readonly wrong: string } {
  let value: unknown
  try {
    value = JSON.parse(printed)
  } catch {
    return { wrong: 'it is not JSON' }
  }
  if (!isRecord(value)) return { wrong: 'it is not an object' }
  const { text, usage, costUsd, files, stop, note } = value
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key))
  if (unknown !== undefined)
    return { wrong: `it has an unknown key "${unknown}" in addition to ${KEYS.join(', ')}` }
  if (typeof text !== 'string') return { wrong: 'text must be a text' }
  if (note !== undefined && typeof note !== 'string') return { wrong: 'note must be a text' }
  if (stop !== undefined && !STOPS.some((one) => one === stop))
    return { wrong: `stop must be one of ${STOPS.join(', ')}` }
  const tokens = isAbsent(usage) ? null : readUsage(usage)
  if (tokens === undefined)
    return { wrong: `usage must hold input and output, and at most ${CLASSES.join(', ')}` }
  if (files !== undefined && !isFiles(files))
    return { wrong: 'files must hold texts by relative path, without "..", at most 1000' }
  const usd = isAbsent(costUsd) ? null : soundUsd(costUsd)
  const counted = soundUsage(tokens)
  const remarks = [
    ...(tokens === null || counted !== null ? [] : [IMPOSSIBLE_USAGE]),
    ...(isAbsent(costUsd) || usd !== null ? [] : [IMPOSSIBLE_COST]),
  ]
  return {
    text,
    stop: (stop as Stop | undefined) ?? 'end',
    ...(note === undefined ? {} : { note }),
    ...(files === undefined ? {} : { files }),
    usage: counted,
    usd,
    ...(remarks.length === 0 ? {} : { remarks }),
  }
}

const isAbsent = (value: unknown): value is null | undefined =>
  value === undefined || value === null

/** Returns the usage, with 0 for missing token classes. Returns undefined if this is not a valid usage. */
function readUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined
  const known = Object.keys(usage).every((key) => CLASSES.some((one) => one === key))
  if (!known || !('input' in usage) || !('output' in usage)) return undefined
  const counts = CLASSES.map((key) => [key, Object.hasOwn(usage, key) ? usage[key] : 0])
  return Object.fromEntries(counts) as Usage
}

function isFiles(files: unknown): files is Readonly<Record<string, string>> {
  if (!isRecord(files)) return false
  const entries = Object.entries(files)
  return (
    entries.length <= MOST_FILES &&
    entries.every(([path, text]) => typeof text === 'string' && isInside(path))
  )
}

/** Whether the path of a file in the answer stays inside the answer's folder. */
const isInside = (path: string): boolean =>
  path !== '' &&
  path.length <= 1000 &&
  !/^[/\\]|^[A-Za-z]:|\0/.test(path) &&
  !path.split(/[/\\]/).includes('..')
