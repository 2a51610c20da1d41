/**
 * Distinguishes tables of judgments from tables of runs. A table of judgments has a column that names the judge. A file
 * with such a column counts as a table of judgments only if another file has runs. In a single table, such a column can
 * also say who judged each run.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { isRecord } from '../formats/record-rows.ts'
import { namesJudge } from './map-judgments.ts'

export interface SortedFiles {
  readonly runs: readonly string[]
  readonly judgments: readonly string[]
}

export function sortFiles(
  paths: readonly string[],
  named: readonly string[],
  judge: string | undefined,
): SortedFiles {
  const others = paths.filter((path) => !named.includes(path))
  if (judge === 'none') return { runs: others, judgments: named }
  const found = others.filter((path) => namesJudge(titlesOf(path)))
  return found.length === others.length
    ? { runs: others, judgments: named }
    : { runs: others.filter((path) => !found.includes(path)), judgments: [...found, ...named] }
}

const HEAD = 64 * 1024

/** Returns the column titles in the first line of a file. For a JSON file, returns the keys of its first object. */
function titlesOf(path: string): string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return []
  const fd = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(HEAD)
    const head = bytes.toString('utf8', 0, readSync(fd, bytes, 0, HEAD, 0)).replace(/^\uFEFF/, '')
    const [line = ''] = head.split(/\r\n|\n|\r/, 1)
    if (!/^\s*[{[]/.test(line))
      return line.split(/[,;\t]/).map((title) => title.replaceAll('"', '').trim())
    return keysOf(head, line)
  } finally {
    closeSync(fd)
  }
}

function keysOf(head: string, line: string): string[] {
  try {
    const value: unknown = JSON.parse(line)
    const first: unknown = Array.isArray(value) ? value[0] : value
    return isRecord(first) ? Object.keys(first) : []
  } catch {
    // The file is a document over several lines. The keys of its first object are those before the first closing brace.
    const object = head.slice(0, head.indexOf('}'))
    return [...object.matchAll(/"([^"\\]{1,100})"\s*:/g)].map(([, key]) => key as string)
  }
}
