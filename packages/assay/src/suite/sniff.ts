/**
 * Which syntax a text is in, from its beginning. A name's ending is a hint where content alone cannot tell
 * (an empty TOML file is also an empty YAML file), never a proof: JSON rows are often called `.json`.
 */
import path from 'node:path'
import { isSample, rowFormat } from './code-rows.ts'
import { isRecord } from './plain.ts'
import type { Syntax } from './read-document.ts'

export interface Head {
  readonly text: string
  /** The head is the whole file. */
  readonly whole: boolean
}

export function sniff(file: string, head: Head): Syntax | 'rows' {
  const name = path.basename(file).toLowerCase().replace(/\.gz$/, '')
  const text = head.text.replace(/^\uFEFF/, '').trimStart()
  if (/\.(?:jsonl|ndjson)$/.test(name)) return 'rows'
  if (text.startsWith('{') && isRows(text, head.whole)) return 'rows'
  if (name.endsWith('.json')) return 'json'
  if (name.endsWith('.toml')) return 'toml'
  if (/\.ya?ml$/.test(name)) return 'yaml'
  if (text.startsWith('{') || /^\[\s*[\]{]/.test(text)) return 'json'
  return looksLikeToml(text) ? 'toml' : 'yaml'
}

/** One object per line: the first line is a whole object, and the next begins another. */
function isRows(text: string, whole: boolean): boolean {
  const end = text.indexOf('\n')
  // A first line longer than the head can only be told by its first key.
  if (end === -1 && !whole) return /^\{\s*"(?:task_id|name)"\s*:/.test(text)
  const first = end === -1 ? text : text.slice(0, end)
  const rest = end === -1 ? '' : text.slice(end).trimStart()
  const row = parsed(first)
  if (!isRecord(row)) return false
  return rest.startsWith('{') || rowFormat(row) !== null || isSample(row)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The first line that says anything is a table header or `key = value`. */
function looksLikeToml(text: string): boolean {
  const line = text.split('\n').find((each) => each.trim() !== '' && !each.trim().startsWith('#'))
  return (
    line !== undefined && /^\s*(?:\[|(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*\S+)*\s*=)/.test(line)
  )
}

/** Keys by which a text looks like a suite, right or wrong. A schema of suites has them too, but no list. */
const MARKS =
  /^\s*(?:\[\[\s*cases\s*\]\]|\[\s*eval_set\s*\]|(?:cases|stimuli)\s*[:=])|\b(?:cases|stimuli)"?\s*:\s*\[/m

/** Whether a file found in a folder is meant to be a suite; it may still be a broken one. */
export function looksLikeSuite(file: string, head: Head): boolean {
  if (sniff(file, head) !== 'rows') return MARKS.test(head.text) || isRowList(head.text)
  const line = head.text.trimStart().split('\n')[0] ?? ''
  return rowFormat(parsed(line)) !== null || /^\{\s*"task_id"[^}]{0,2000}"prompt"\s*:/.test(line)
}

const isRowList = (text: string): boolean =>
  /^\s*\[\s*\{/.test(text) && /"task_id"\s*:/.test(text) && /"test_list"\s*:/.test(text)
