/**
 * Reads the tests of a promptfoo configuration. They are in the configuration itself, in other files, or in a table
 * that has columns for the expectations.
 */
import type { Json } from '@assay/contract'
import { fileError } from '../../../documents/index.ts'
import { readCsvRows } from '../../data/csv-rows.ts'
import type { Row } from '../../data/row.ts'
import { isTable, textOf, type Findings, type Table } from './convert-asserts.ts'

/** Reads other files that the configuration names, as text or as the value of a YAML or JSON file. */
export interface Files {
  /** Returns the real path of a file. Throws if the file is outside of the configuration's folder. */
  readonly path: (path: string) => string
  readonly text: (path: string) => Promise<string>
  readonly value: (path: string) => Promise<Json>
}

export const filePath = (text: string): string => text.replace(/^file:\/\//, '')

function tableIn(line: string, where: string): Table {
  let value: Json = null
  try {
    value = JSON.parse(line) as Json
  } catch {
    // The error is thrown below, because the message of `JSON.parse` would quote the line.
  }
  if (!isTable(value)) throw fileError(where, 'no JSON object', 'a test on each line')
  return value
}

/** Returns the tests as tables, each with its location. */
export async function readTests(
  given: Json | undefined,
  files: Files,
  findings: Findings,
): Promise<{ readonly where: string; readonly test: Table }[]> {
  const all = given === undefined ? [] : Array.isArray(given) ? given : [given]
  const found: { where: string; test: Table }[] = []
  for (const [at, one] of all.entries()) {
    if (isTable(one) && typeof one['path'] !== 'string')
      found.push({ where: `tests[${at}]`, test: one })
    else if (typeof one === 'string') found.push(...(await fromFile(one, files, findings)))
    else findings.lost(`tests[${at}]`, 'tests that a program makes')
  }
  return found
}

async function fromFile(
  given: string,
  files: Files,
  findings: Findings,
): Promise<{ where: string; test: Table }[]> {
  const path = filePath(given)
  if (/\*/.test(path) || /^\w+:\/\//.test(path) || /\.(?:[cm]?[jt]s|py)(?::\w+)?$/.test(path)) {
    findings.lost(given, 'tests that are found by a pattern, an address or a program')
    return []
  }
  if (/\.csv$/i.test(path)) return await csvTests(path, files, findings)
  if (/\.(?:jsonl|ndjson)$/i.test(path))
    return (await files.text(path))
      .split('\n')
      .map((line, at) => ({ where: `${path}:${at + 1}`, line }))
      .filter(({ line }) => line.trim() !== '')
      .map(({ where, line }) => ({ where, test: tableIn(line, where) }))
  const value = await files.value(path)
  return (Array.isArray(value) ? value : [value])
    .filter(isTable)
    .map((test, at) => ({ where: `${path}[${at}]`, test }))
}

async function csvTests(
  path: string,
  files: Files,
  findings: Findings,
): Promise<{ where: string; test: Table }[]> {
  const found: { where: string; test: Table }[] = []
  const data = { name: path, path: files.path(path) }
  for await (const rows of readCsvRows(data, undefined))
    for (const { row, line } of rows) {
      const where = `${path}:${line ?? ''}`
      found.push({ where, test: testOf(row, where, findings) })
    }
  return found
}

function testOf(row: Row, where: string, findings: Findings): Table {
  const test: Table = {}
  const vars: Table = {}
  const asserts: Json[] = []
  for (const [name, cell] of Object.entries(row)) {
    const value = textOf(cell)
    if (/^__expected\d*$/.test(name)) {
      if (value.trim() !== '') asserts.push(expectation(value))
    } else if (name === '__description') test['description'] = value
    else if (name === '__threshold' && value !== '') test['threshold'] = Number(value)
    else if (name.startsWith('__')) {
      if (value !== '') findings.lost(where, `the column ${name}`)
    } else vars[name] = value
  }
  return { ...test, vars, assert: asserts }
}

/** Parses an expectation: `contains: x`, `similar(0.8): x`, `is-json`, or a text that the answer must equal. */
function expectation(text: string): Table {
  const [, type = '', threshold, value = ''] =
    /^((?:not-)?[a-z]+(?:-[a-z]+)*|fn|eval)(?:\(([\d.]+)\))?(?::\s*([^]*))?$/.exec(text.trim()) ??
    []
  const isKnown =
    /^(?:not-)?(?:is-json|is-xml|is-sql|is-html|contains-json|contains-html|contains-xml|contains-sql)$/.test(
      type,
    ) ||
    (value !== '' && type !== '')
  if (!isKnown) return { type: 'equals', value: text }
  const named =
    type === 'fn' || type === 'eval' ? 'javascript' : type === 'grade' ? 'llm-rubric' : type
  return {
    type: named,
    ...(value === '' ? {} : { value }),
    ...(threshold === undefined ? {} : { threshold: Number(threshold) }),
  }
}
