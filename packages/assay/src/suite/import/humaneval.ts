/**
 * Reads the data sets of the HumanEval family, with one JSON object per line: HumanEval, HumanEval+, HumanEval-X and
 * HumanEvalPack, MBPP, MBPP+ and MBXP, and MultiPL-E. The fields of a row show its format and its language.
 * Reference solutions, tests, entry points and stop tokens are passed to the code grader. One warning lists each
 * unused field.
 */
import { languageByName } from '@assay/code'
import type { Case, Json } from '@assay/contract'
import { withCodeGrader } from '../native/code-grading.ts'
import {
  type Document,
  type Position,
  isRecord,
  takeNotes,
  type Notes,
  fileError,
  type Path,
} from '../../documents/index.ts'
import { bareCase, comparableId, finish, sealCase, type LoadedSuite } from '../native/finish.ts'
import type { CaseContent } from '../native/case-content.ts'
import { languageName } from '../language.ts'
import { rowLanguage } from './row-language.ts'
import { idSchema } from '../native/schema.ts'

export type RowFormat = 'humaneval' | 'humaneval+' | 'mbpp' | 'mbpp+' | 'multipl-e'

/** One row, with a function that returns the location of its keys and values in the file. */
export interface Row {
  readonly value: Json
  /** Set if the row is not valid JSON. The value is then null, and `locate` returns the position of the error. */
  readonly fault?: { readonly found: string; readonly expected: string }
  locate(path: Path, at: 'key' | 'value'): Position | null
}

type Fields = Readonly<Record<string, unknown>>

/** Returns the format of a row, or null if it is unknown. */
export function rowFormat(row: unknown): RowFormat | null {
  if (!isRecord(row)) return null
  const has = (...keys: string[]): boolean => keys.every((key) => Object.hasOwn(row, key))
  if (has('task_id', 'test_list') && (has('text') || has('prompt')))
    return has('test') ? 'mbpp+' : 'mbpp'
  if (has('task_id', 'prompt') && (has('entry_point') || has('test'))) {
    if (!has('base_input') && !has('plus_input') && !has('contract')) return 'humaneval'
    return String(row['task_id']).startsWith('Mbpp/') ? 'mbpp+' : 'humaneval+'
  }
  if (has('name', 'language', 'prompt', 'tests')) return 'multipl-e'
  return null
}

/** Whether a row is a recorded answer to a case, and not a case. */
export const isRecordedAnswer = (row: unknown): boolean =>
  isRecord(row) &&
  Object.hasOwn(row, 'task_id') &&
  (Object.hasOwn(row, 'completion') || Object.hasOwn(row, 'solution'))

const KNOWN =
  'HumanEval (task_id, prompt, entry_point, test), MBPP (task_id, text, test_list) ' +
  'or MultiPL-E rows (name, language, prompt, tests)'

export async function readRows(
  rows: AsyncIterable<Row> | Iterable<Row>,
  path: string,
  id: string,
): Promise<LoadedSuite> {
  const current = { file: path, value: null as Json, locate: (() => null) as Document['locate'] }
  const notes = takeNotes({
    file: path,
    get value() {
      return current.value
    },
    locate: (at, what) => current.locate(at, what),
  })
  const cases: Case[] = []
  const seen = new Map<string, readonly [row: Row, key: string]>()
  const keys = new Set<string>()
  let format: RowFormat | null = null

  for await (const row of rows) {
    current.value = row.value
    current.locate = (at, what) => row.locate(at, what)
    if (row.fault !== undefined) {
      notes.problem([], row.fault)
      continue
    }
    const found = rowFormat(row.value)
    if (found === null) {
      notes.problem([], {
        found: isRecordedAnswer(row.value)
          ? 'an answer (task_id with completion)'
          : 'another kind of row',
        expected: isRecordedAnswer(row.value)
          ? 'a suite; grade answers with `--model replay:FILE`'
          : KNOWN,
      })
      continue
    }
    format ??= found
    const fields = new FieldReader(row.value as Fields, notes)
    const group = fields.text('group')
    const content = {
      ...READERS[found](fields),
      ...(group === null || isEmpty(group) ? {} : { group }),
    }
    const known = comparableId(content.id)
    if (keys.has(known))
      notes.problem([idKey(found)], { expected: 'an id that no other row has, white space apart' })
    keys.add(known)
    seen.set(content.id, [row, testsKey(row.value as Fields)])
    cases.push(sealCase(withCodeGrader(content)))
  }
  if (format === null) {
    notes.done()
    throw fileError(path, 'no rows', KNOWN)
  }
  const locateTests = (caseId: string): Position | null => {
    const [row, key] = seen.get(caseId) ?? []
    return row?.locate(key === undefined ? [] : [key], 'key') ?? null
  }
  const suite = { id, name: id, description: '', path, format, threshold: null, cases, locateTests }
  return finish(suite, notes)
}

const testsKey = (row: Fields): string =>
  ['test', 'tests'].find((key) => typeof row[key] === 'string') ?? 'test_list'

const idKey = (format: RowFormat): string => (format === 'multipl-e' ? 'name' : 'task_id')

const READERS: Readonly<Record<RowFormat, (fields: FieldReader) => CaseContent>> = {
  humaneval: readHumanEval,
  'humaneval+': readHumanEval,
  mbpp: readMbpp,
  // MBPP+ is published in two formats: one has `test_list` as in MBPP, the other is like HumanEval+.
  'mbpp+': (fields) => (fields.has('test_list') ? readMbpp(fields) : readHumanEval(fields)),
  'multipl-e': readMultiplE,
}

/**
 * Fields of HumanEval+, HumanEval-X and HumanEvalPack that Assay does not need, because it runs the tests of the row.
 * The warning about unused fields gives this reason for them.
 */
const UNUSED = [
  ...['contract', 'base_input', 'plus_input', 'atol', 'declaration', 'example_test', 'import'],
  ...['bug_type', 'failure_symptoms', 'signature', 'docstring', 'instruction', 'description'],
]

/**
 * Reads a HumanEval row. The prompt is the beginning of the program. Python tests define `check(candidate)`. Tests in
 * other languages call the function by its name.
 */
function readHumanEval(fields: FieldReader): CaseContent {
  const prompt = fields.prompt('prompt')
  const entryPoint = fields.text('entry_point')
  const reference = fields.text('canonical_solution')
  const buggy = fields.text('buggy_solution')
  const tests = fields.text('test')
  const setup = fields.text('test_setup')
  const language = fields.language()
  const content: CaseContent = {
    ...bareCase(fields.id('task_id'), [prompt]),
    language,
    format: formatOf(language),
    tests: tests === null || isEmpty(setup) ? tests : `${setup}\n${tests}`,
    entryPoint,
    // In MBPP+, the prompt is only a comment and the solution is a complete program, so the answer does not continue
    // the prompt.
    continuation: !(defines(reference, entryPoint) && !defines(prompt, entryPoint)),
    reference,
    faulty: buggy === null || buggy.trim() === '' ? [] : [buggy],
  }
  const later = 'is not acted on: the tests of the row are what is run'
  fields.finish(UNUSED, later)
  return content
}

/**
 * Reads an MBPP row. The task is prose, and the function's name occurs only in the tests. So the tests are added to the
 * prompt, as the authors of MBPP do it.
 */
function readMbpp(fields: FieldReader): CaseContent {
  const task = fields.has('text') ? fields.prompt('text') : fields.prompt('prompt')
  const list = fields.list('test_list')
  const shown = list.join('\n')
  const setup = [...fields.list('test_imports'), fields.text('test_setup_code') ?? '']
  const built = [...setup, ...list].filter((line) => line.trim() !== '').join('\n')
  const content = {
    ...bareCase(fields.id('task_id'), [
      shown === '' ? task : `${task}\n\nYour code should pass these tests:\n\n${shown}`,
    ]),
    language: fields.language(),
    tests: fields.text('test') ?? (built === '' ? null : `${built}\n`),
    reference: fields.text('code'),
  }
  fields.finish([], '')
  return content
}

function readMultiplE(fields: FieldReader): CaseContent {
  const tests = fields.text('tests')
  const language = languageName(fields.text('language') ?? '')
  const content: CaseContent = {
    ...bareCase(fields.id('name'), [fields.prompt('prompt')]),
    language,
    format: formatOf(language),
    // In languages with braces, MultiPL-E ends an answer before the function's closing brace, so its tests begin with
    // that brace. The code grader adds the brace to the program itself, so it is removed from the tests here.
    tests: tests?.replace(/^\s*\}(?=\s)/, '') ?? null,
    continuation: true,
    stop: fields.list('stop_tokens').filter((token) => token !== ''),
  }
  fields.finish([], '')
  return content
}

/**
 * Returns the module format of a program. These data sets run JavaScript as plain files, and Node treats such files
 * as scripts and not as modules.
 */
const formatOf = (language: string | null): 'script' | null =>
  languageByName(language ?? '')?.caseKeys.includes('format') === true ? 'script' : null

const DEFINED = /\b(?:def|function\*?|const|let|var|fn)\s+([\p{L}_$][\p{L}\p{N}_$]*)\s*[=(<:]/gu

function defines(source: string | null, name: string | null): boolean {
  if (source === null || name === null) return false
  for (const [, found] of source.matchAll(DEFINED)) if (found === name) return true
  return false
}

/** Reads the fields of one row by name and type, and remembers which fields were read. */
class FieldReader {
  readonly #row: Fields
  readonly #notes: Notes
  readonly #asked = new Set<string>()

  constructor(row: Fields, notes: Notes) {
    this.#row = row
    this.#notes = notes
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#row, key)
  }

  text(key: string): string | null {
    this.#asked.add(key)
    const value = this.has(key) ? this.#row[key] : undefined
    if (value === undefined || value === null) return null
    if (typeof value !== 'string') {
      this.#notes.problem([key], { expected: 'text' })
      return null
    }
    if (!value.isWellFormed()) this.#notes.problem([key], { expected: 'valid Unicode text' })
    return value
  }

  prompt(key: string): string {
    const text = this.text(key) ?? ''
    if (text.trim() === '') this.#notes.problem([key], { expected: 'a prompt that is not blank' })
    return text
  }

  language(): string {
    const { language, field } = rowLanguage(this.#row, this.#notes)
    if (field !== null) this.#asked.add(field)
    return language
  }

  /** Returns the task's id from this field of the row. In MBPP the id is a number, in the other formats a text. */
  id(key: string): string {
    this.#asked.add(key)
    const value = this.#row[key]
    const id = typeof value === 'number' ? String(value) : value
    const result = idSchema.safeParse(id)
    if (result.success) return result.data
    this.#notes.problem([key], { expected: 'an id: short text without line breaks' })
    return ''
  }

  list(key: string): string[] {
    this.#asked.add(key)
    const value = this.has(key) ? this.#row[key] : undefined
    if (value === undefined || value === null) return []
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
    this.#notes.problem([key], { expected: 'a list of texts' })
    return []
  }

  /**
   * Warns about fields that were never read. The fields in `later` are known but not used, and `why` is the reason.
   */
  finish(later: readonly string[], why: string): void {
    for (const [key, value] of Object.entries(this.#row)) {
      if (this.#asked.has(key) || isEmpty(value)) continue
      this.#notes.unread([key], later.includes(key) ? why : undefined)
    }
  }
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)
