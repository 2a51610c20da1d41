/**
 * Detects the format of a file from its beginning. The keys of a JSON text show its format. The file name's
 * extension is only a hint for ambiguous content. For example, an empty TOML file is also an empty YAML file. The
 * extension proves nothing: JSON rows are often in a `.json` file, and a suite may be one line of a `.jsonl` file.
 */
import path from 'node:path'
import { rowFormat } from './import/humaneval.ts'
import { firstObject, type FirstObject } from './first-object.ts'
import { type Syntax, readHead, type Head } from '../documents/index.ts'

export interface Recognised {
  /** The syntax of the file. `rows` means one JSON object per line. */
  readonly syntax: Syntax | 'rows'
  readonly head: Head
}

/**
 * How many bytes of the file are searched first for signs of its format. If they do not show it, more bytes are
 * read, up to `MOST_BYTES`.
 */
const FIRST_BYTES = 64 * 1024
const MOST_BYTES = 32 * 1024 * 1024

/** Reads the beginning of a file, as far as is needed to know its format. */
export async function recognise(file: string): Promise<Recognised> {
  for (let bytes = FIRST_BYTES; ; bytes *= 32) {
    const head = await readHead(file, Math.min(bytes, MOST_BYTES))
    const isLast = head.whole || bytes >= MOST_BYTES
    const syntax = sniff(file, head, isLast)
    if (syntax !== null) return { syntax, head }
  }
}

/**
 * Returns the syntax of the file. Returns null if the beginning is ambiguous and reading more may help. If `isLast`
 * is true, no more can be read, and the result is never null.
 */
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

/**
 * Whether the object has a key that only rows have. Every format of rows has one of these keys at its top level, and
 * no document has one.
 */
const isRow = ({ keys }: FirstObject): boolean =>
  keys.includes('task_id') || keys.includes('prompt')

/**
 * Whether the object has a key that only documents have. Every native suite, eval-set, eval YAML file and experiment
 * has one of these keys.
 */
const isDocument = ({ keys }: FirstObject): boolean =>
  ['cases', 'stimuli', 'eval_set', 'suites'].some((key) => keys.includes(key)) ||
  (keys.includes('data') && keys.includes('template'))

/** Whether the first line that is neither blank nor a comment is a table header or `key = value`. */
function looksLikeToml(text: string): boolean {
  const line = text.split('\n').find((each) => each.trim() !== '' && !each.trim().startsWith('#'))
  return (
    line !== undefined && /^\s*(?:\[|(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*\S+)*\s*=)/.test(line)
  )
}

/**
 * Matches the keys of a suite, even if the suite has errors. A JSON Schema for suites has the same keys, but no list
 * follows them there, so it does not match.
 */
const MARKS =
  /^\s*(?:\[\[\s*cases\s*\]\]|\[\s*eval_set\s*\]|(?:cases|stimuli)\s*[:=])|\b(?:cases|stimuli)"?\s*:\s*\[/m

/**
 * `DATA` and `TEMPLATE` match the two top-level keys of a suite that takes its cases from data files. A file counts
 * as such a suite only if it has both keys.
 */
const DATA = /^(?:data\s*[:=]|\s*"data"\s*:\s*["[])/m
const TEMPLATE = /^(?:\[\s*template[\s.\]]|template\s*[:=]|\s*"template"\s*:\s*\{)/m

/** Whether a file in a folder is meant as a suite. It may still have errors. */
export function looksLikeSuite({ syntax, head }: Recognised): boolean {
  const text = textOf(head)
  if (text.startsWith('{') && isCase(firstObject(text))) return true
  return (
    syntax !== 'rows' &&
    (MARKS.test(text) || (DATA.test(text) && TEMPLATE.test(text)) || isRowList(text))
  )
}

/** Matches files that Assay itself writes. Their first key is `assay`. */
const OWN = /^\{\s*"assay"\s*:\s*"(?:run|trials|report|comparison|baseline)"\s*,/

export const isOwnRecord = ({ head }: Recognised): boolean => OWN.test(textOf(head))

/** Whether a row is a case, judged by its keys. If the row is cut off, `task_id` and `prompt` are enough. */
function isCase({ keys, state }: FirstObject): boolean {
  if (rowFormat(Object.fromEntries(keys.map((key) => [key, '']))) !== null) return true
  return state === 'open' && keys.includes('task_id') && keys.includes('prompt')
}

const isRowList = (text: string): boolean =>
  /^\[\s*\{/.test(text) && isCase(firstObject(text.slice(1).trimStart()))
