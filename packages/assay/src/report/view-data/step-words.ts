/** Describes an agent's steps in a few words. The terminal and the viewer use the same words. */
import type { FileChange, Json, Usage } from '@assay/contract'
import { count, counted, dollars } from '../../text/index.ts'
import { jsonOf } from './read-trajectory.ts'
import type { ViewTrajectory } from './view-data.ts'

/** The maximum number of characters of a text that is shown in one line. */
const MOST_GIST = 200

/**
 * The names of tool arguments that best show what a call does, over all agents. The first of these names that a call
 * has is used.
 */
const TELLING = [
  ...['command', 'cmd', 'script', 'file_path', 'absolute_path', 'path', 'notebook_path'],
  ...['pattern', 'query', 'url', 'skill', 'name', 'description', 'prompt', 'input'],
]

/** Returns the most informative argument of a tool call, in one line. */
export function gistOf(args: Json): string {
  if (args === null) return ''
  if (typeof args !== 'object') return oneLine(String(args))
  if (Array.isArray(args)) return oneLine(wordsOf(args) ?? jsonOf(args))
  const fields = new Map(Object.entries(args))
  for (const key of [...TELLING, ...fields.keys()]) {
    const words = wordsOf(fields.get(key))
    if (words !== null && words.trim() !== '') return oneLine(words)
  }
  return fields.size === 0 ? '' : oneLine(jsonOf(args))
}

/** Returns a string as it is, and a list of strings joined by spaces. Returns null for anything else. */
function wordsOf(value: Json | undefined): string | null {
  if (typeof value === 'string') return value
  const isCommand = Array.isArray(value) && value.every((word) => typeof word === 'string')
  return isCommand ? value.join(' ') : null
}

/** Returns the beginning of a text as one line. */
export function oneLine(text: string): string {
  const start = text.slice(0, 4 * MOST_GIST).trim()
  const line = start.slice(0, MOST_GIST).replaceAll(/\s+/g, ' ')
  return start.length > MOST_GIST || text.length > 4 * MOST_GIST
    ? `${line.toWellFormed().trimEnd()}…`
    : line
}

/** Formats token counts: `1,200 in, 30,000 read from cache, 900 out (200 reasoning)`. */
export const tokenWords = ({ input, cacheRead, cacheWrite, output, reasoning }: Usage): string =>
  [
    `${count(input)} in`,
    ...(cacheRead > 0 ? [`${count(cacheRead)} read from cache`] : []),
    ...(cacheWrite > 0 ? [`${count(cacheWrite)} written to cache`] : []),
    `${count(output)} out${reasoning > 0 ? ` (${count(reasoning)} reasoning)` : ''}`,
  ].join(', ')

/** Returns a note about files that an agent wrote but that Assay could not store. */
export const unkeptWords = (n: number): string =>
  n === 1
    ? '1 file with an unreadable name or of a special kind is not part of the result'
    : `${count(n)} files with unreadable names or of a special kind are not part of the result`

/** Formats a count in short form for narrow columns, such as `12.3k`. */
export function shortCount(n: number): string {
  if (n < 1000) return String(Math.round(n))
  if (n < 999_500) return `${(n / 1000).toFixed(n < 9950 ? 1 : 0)}k`
  return `${(n / 1_000_000).toFixed(1)}M`
}

/** Formats the time since the start of the trial: `+12.3s`, `+2:05`. */
export function offset(ms: number): string {
  if (ms < 59_950) return `+${(ms / 1000).toFixed(1)}s`
  const whole = Math.round(ms / 1000)
  return `+${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** Returns the totals that are shown above a trajectory. */
export function totalWords(
  trajectory: Pick<
    ViewTrajectory,
    'turns' | 'toolCalls' | 'failedCalls' | 'usd' | 'usdFrom' | 'firstTokenMs' | 'ms'
  >,
  time: (ms: number) => string,
): string[] {
  const { turns, toolCalls, failedCalls, usd, usdFrom, firstTokenMs, ms } = trajectory
  const priced = usdFrom === 'priced' ? 'priced from the tokens' : 'reported by the agent'
  return [
    counted(turns, 'turn'),
    `${counted(toolCalls, 'tool call')}${failedCalls > 0 ? ` (${count(failedCalls)} failed)` : ''}`,
    usd === null ? 'cost unknown' : `${dollars(usd)}${usdFrom === null ? '' : ` ${priced}`}`,
    ...(firstTokenMs === null ? [] : [`first token after ${time(firstTokenMs)}`]),
    `took ${time(ms)}`,
  ]
}

// ── Changes ──────────────────────────────────────────────────────────────────────────────────────────

const LINK = '120000'

const MODE_WORDS = {
  '100644': 'a file',
  '100755': 'an executable file',
  '120000': 'a link',
} as const

/** Counts the lines that a patch adds and removes. */
export function linesOf(patch: string): { added: number; removed: number } {
  let [added, removed] = [0, 0]
  for (let at = 0; at !== -1 && at < patch.length; at = after(patch, at)) {
    if (patch[at] === '+') added++
    if (patch[at] === '-') removed++
  }
  return { added, removed }
}

/** Returns the offset of the next line, or -1 if there is none. */
function after(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? -1 : end + 1
}

/** Returns notes about properties of a change that the patch does not show, such as file modes. */
export function changeNotes(change: FileChange): string[] {
  const { modeBefore, mode, text, base64, patch } = change
  const isOther = modeBefore !== undefined && mode !== undefined && modeBefore !== mode
  const notes = [
    ...(isOther ? [`was ${MODE_WORDS[modeBefore]}, is ${MODE_WORDS[mode]}`] : []),
    ...(change.change === 'added' && mode === '100755' ? ['executable'] : []),
    ...(mode === LINK && text !== undefined ? [`link to ${text.slice(0, MOST_GIST)}`] : []),
    ...(base64 === undefined ? [] : [`binary, ${counted(bytesOf(base64), 'byte')}`]),
    ...(change.change === 'added' && text === '' ? ['empty'] : []),
  ]
  return notes.length === 0 && patch === undefined
    ? ['no lines to show: binary, empty or too large']
    : notes
}

const bytesOf = (base64: string): number => Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
