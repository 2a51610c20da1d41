/**
 * Detects what a file is from its beginning. The keys of a JSON text show its format. The extension is only a hint
 * for content that is ambiguous (an empty TOML file is also an empty YAML file), never a proof: JSON rows are often
 * in a `.json` file, and a suite may be one line of a `.jsonl` file.
 */
import path from 'node:path'
import { rowFormat } from './import/humaneval.ts'
import { firstObject, type FirstObject } from './first-object.ts'
import { type Syntax, readHead, type Head } from '../documents/index.ts'

export interface Recognised {
  /** `rows`: one JSON object per line. */
  readonly syntax: Syntax | 'rows'
  readonly head: Head
}

/** How many bytes of a file are read first, and at most, to find a key that shows the format. */
const FIRST_BYTES = 64 * 1024
const MOST_BYTES = 32 * 1024 * 1024

/** Reads as much of the beginning as is needed to know what the file is. */
export async function recognise(file: string): Promise<Recognised> {
  for (let bytes = FIRST_BYTES; ; bytes *= 32) {
    const head = await readHead(file, Math.min(bytes, MOST_BYTES))
    const isLast = head.whole || bytes >= MOST_BYTES
    const syntax = sniff(file, head, isLast)
    if (syntax !== null) return { syntax, head }
  }
}

/** Returns null if the beginning is ambiguous and reading more may help. It never does so if `isLast`. */
function sniff(file: string, head: Head, isLast: boolean): Recognised['syntax'] | null {
  const byName = endingOf(file)
  const text = textOf(head)
  const document = byName === 'yaml' ? 'yaml' : 'json'
  if (text.startsWith('{')) {
    const first = firstObject(text)
    if (isRow(first)) return first.isOneLine ? 'rows' : document
    if (isDocument(first)) return document
    if (first.isOneLine && first.rest.startsWith('{')) return 'rows'
    if (first.state === 'open' && !isLast) return null
  } else if (/^\[\s*[\]{]/.test(text) && byName !== 'toml') return document
  if (byName !== null) return byName
  if (text.startsWith('{')) return 'json'
  return looksLikeToml(text) ? 'toml' : 'yaml'
}

function endingOf(file: string): Recognised['syntax'] | null {
  const name = path.basename(file).toLowerCase().replace(/\.gz$/, '')
  if (/\.(?:jsonl|ndjson)$/.test(name)) return 'rows'
  if (name.endsWith('.json')) return 'json'
  if (name.endsWith('.toml')) return 'toml'
  return /\.ya?ml$/.test(name) ? 'yaml' : null
}

const textOf = ({ text }: Head): string => text.replace(/^\uFEFF/, '').trimStart()

/** Every format of rows has one of these keys at its top level, and no document has them. */
const isRow = ({ keys }: FirstObject): boolean =>
  keys.includes('task_id') || keys.includes('prompt')

/** Every native suite, eval-set, eval YAML and experiment has one of these keys. */
const isDocument = ({ keys }: FirstObject): boolean =>
  ['cases', 'stimuli', 'eval_set', 'suites'].some((key) => keys.includes(key))

/** Whether the first line with content is a table header or `key = value`. */
function looksLikeToml(text: string): boolean {
  const line = text.split('\n').find((each) => each.trim() !== '' && !each.trim().startsWith('#'))
  return (
    line !== undefined && /^\s*(?:\[|(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*\S+)*\s*=)/.test(line)
  )
}

/**
 * Matches keys that make a text look like a suite, valid or not. A JSON Schema of suites has the same keys, but
 * without a list.
 */
const MARKS =
  /^\s*(?:\[\[\s*cases\s*\]\]|\[\s*eval_set\s*\]|(?:cases|stimuli)\s*[:=])|\b(?:cases|stimuli)"?\s*:\s*\[/m

/** Whether a file found in a folder is meant as a suite. It may still be broken. */
export function looksLikeSuite({ syntax, head }: Recognised): boolean {
  const text = textOf(head)
  if (text.startsWith('{') && isCase(firstObject(text))) return true
  return syntax !== 'rows' && (MARKS.test(head.text) || isRowList(text))
}

/** Matches files that Assay writes: their first key says so. */
const OWN = /^\{\s*"assay"\s*:\s*"(?:run|trials|report|comparison|baseline)"\s*,/

export const isOwnRecord = ({ head }: Recognised): boolean => OWN.test(textOf(head))

/** Whether a row is a case, judged by its keys. For a row that is cut off, `task_id` and `prompt` are enough. */
function isCase({ keys, state }: FirstObject): boolean {
  if (rowFormat(Object.fromEntries(keys.map((key) => [key, '']))) !== null) return true
  return state === 'open' && keys.includes('task_id') && keys.includes('prompt')
}

const isRowList = (text: string): boolean =>
  /^\[\s*\{/.test(text) && isCase(firstObject(text.slice(1).trimStart()))
