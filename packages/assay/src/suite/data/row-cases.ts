/**
 * Makes cases from the rows of data files, for suites that have such files. It finds the files, reads and chooses
 * their rows, gives each row a name and renders the template with it. Every problem names the file, the row and the
 * column or key.
 */
import { hashOf } from '@assay/contract/hash'
import type { Json } from '@assay/contract'
import {
  quote,
  SuiteError,
  takeNotes,
  type Document,
  type Notes,
  type Path,
  type Problem,
  type Warning,
} from '../../documents/index.ts'
import { counted, nearest } from '../../text/index.ts'
import { comparableId } from '../native/finish.ts'
import type { SuiteFrame } from '../native/schema.ts'
import type { SuiteFiles } from '../native/suite-files.ts'
import { findDataFiles, type DataFile } from './data-files.ts'
import { compileValue, missingColumn, RenderProblem, type Renderer } from './render-case.ts'
import { matchesRow, Sample, type Wanted } from './select-rows.ts'
import type { Row, TableRow } from './row.ts'
import { readTable } from './table.ts'
import { openTemplates } from './template.ts'

/** One row as a case: the keys of `[template]`, rendered. */
export interface RowCase {
  readonly row: Row
  readonly item: Readonly<Record<string, Json>>
  /** The graders of the item, with the numbers and truth values of the row as texts. */
  textGraders(): Json
  /** Where the problems of this case are noted. Paths begin with `template`. */
  readonly notes: Notes
  /** Other notes for the same row, for an attempt whose problems may be dropped. */
  attempt(): Notes
}

export interface RowCases {
  /** True if the graders of the template are the same for every row. */
  readonly hasFixedGraders: boolean
  /**
   * Calls `read` for each row that becomes a case. Returns the warnings of all rows. Throws a `SuiteError` with the
   * problems of the rows.
   */
  each(read: (one: RowCase) => Promise<void>): Promise<readonly Warning[]>
}

/** After this many problems in rows, no further rows are read. */
const MOST_PROBLEMS = 100
/** Digits of the hash that names a row. Two of a million rows get the same name with a chance of 3 in 100 million. */
const HASH_DIGITS = 16
const DEFAULT_SEED = 1
const ID_COLUMN = 'id'

/** Keys of a case that hold a number or true or false. In other keys, such a value of a row becomes text. */
const TYPED = new Set([
  ...['trials', 'timeout', 'maxTokens', 'threshold'],
  ...['continuation', 'allowUnsafe', 'includeIgnored'],
])

interface Chosen extends TableRow {
  readonly id: string
  readonly file: DataFile
}

/** Prepares the cases of a suite with `data`. Returns null if the suite has a problem that it has noted. */
export async function openRowCases(
  frame: SuiteFrame,
  beside: SuiteFiles,
  notes: Notes,
  signal?: AbortSignal,
): Promise<RowCases | null> {
  const files = await filesOf(frame, beside, notes)
  const template = await withTemplateFiles(frame.template ?? {}, beside, notes)
  if (frame.template === undefined)
    notes.problem([], {
      found: 'nothing',
      expected: 'the table template, which says what a row asks',
      message: 'a suite with data needs [template], which says what each row asks',
    })
  const engine = await openTemplates()
  const problem = (path: Path, message: string): void =>
    notes.problem(path, { expected: 'a template', message: `not a template: ${message}` })
  const renderers = new Map(
    Object.entries(template).map(([key, value]) => [
      key,
      compileValue(value as Json, ['template', key], engine, problem),
    ]),
  )
  if (files === null || notes.failed) return null
  const hasFixedGraders = renderers.get('graders')?.isFixed ?? true
  return {
    hasFixedGraders,
    async each(read) {
      const rows = new Rows(renderers, template)
      for await (const row of choose(frame, files, rows, notes, signal)) {
        signal?.throwIfAborted()
        await rows.read(row, read)
      }
      return rows.done()
    },
  }
}

async function filesOf(
  { data = [] }: SuiteFrame,
  beside: SuiteFiles,
  notes: Notes,
): Promise<readonly DataFile[] | null> {
  const files: DataFile[] = []
  const names = [data].flat()
  for (const [index, name] of names.entries()) {
    const found = await findDataFiles(name, beside, notes.file)
    const path: Path = Array.isArray(data) ? ['data', index] : ['data']
    if (!('refusal' in found)) files.push(...found)
    else
      notes.problem(path, {
        found: `${quote(name)} (${found.refusal.found})`,
        expected: found.refusal.expected,
      })
  }
  return notes.failed ? null : files
}

/** The keys of a template whose file, if they name one, is a template too. */
const ASKED = ['prompt', 'system'] as const

/** Replaces `prompt = { file = "…" }` by the text of the file, which is a template as well. */
async function withTemplateFiles(
  template: Readonly<Record<string, unknown>>,
  beside: SuiteFiles,
  notes: Notes,
): Promise<Readonly<Record<string, unknown>>> {
  const read: Record<string, unknown> = { ...template }
  for (const key of ASKED) {
    const source = read[key]
    if (typeof source !== 'object' || source === null || !('file' in source)) continue
    const { file } = source
    // A path with an expression names a file for each row. What it holds is data.
    if (typeof file !== 'string' || file.includes('{{')) continue
    const found = await beside.text(file)
    if ('text' in found) read[key] = found.text.replaceAll('\r\n', '\n')
    else
      notes.problem(['template', key, 'file'], {
        found: `${quote(file)} (${found.refusal.found})`,
        expected: found.refusal.expected,
      })
  }
  return read
}

/** Yields the rows that become cases. Without a sample, each row is yielded as it is read, and none is kept. */
async function* choose(
  frame: SuiteFrame,
  files: readonly DataFile[],
  rows: Rows,
  notes: Notes,
  signal: AbortSignal | undefined,
): AsyncGenerator<Chosen> {
  const where: Wanted = frame.where ?? {}
  const { sample: asked, limit = Infinity } = frame
  const { count, seed = DEFAULT_SEED } = typeof asked === 'object' ? asked : { count: asked }
  const sample = count === undefined ? null : new Sample<Chosen>(count, seed)
  const columns = new Set<string>()
  let all = 0
  let taken = 0
  reading: for (const file of files)
    for await (const one of readTable(file, signal)) {
      all++
      if (columns.size < MOST_COLUMNS)
        for (const column of Object.keys(one.row)) columns.add(column)
      if (!matchesRow(one.row, where)) continue
      const id = rows.nameOf(one, file)
      if (rows.isFull) return
      if (id === null) continue
      if (sample !== null) sample.add({ ...one, id, file })
      else {
        taken++
        yield { ...one, id, file }
        if (taken >= limit) break reading
      }
    }
  for (const one of sample?.items().slice(0, limit) ?? []) {
    taken++
    yield one
  }
  if (taken === 0 && !rows.hasProblems) noteNone(where, columns, all, notes)
}

/** Columns that are remembered, to name the nearest one for a misspelt column. */
const MOST_COLUMNS = 1000

function noteNone(where: Wanted, columns: ReadonlySet<string>, all: number, notes: Notes): void {
  checkWhere(where, columns, notes)
  if (notes.failed) return
  notes.problem(['data'], {
    message:
      all === 0 ? 'the data has no rows' : `none of ${counted(all, 'row', 'rows')} matches where`,
    expected: 'at least one row',
  })
}

function checkWhere(where: object, columns: ReadonlySet<string>, notes: Notes): void {
  for (const column of Object.keys(where))
    if (!columns.has(column) && columns.size > 0)
      notes.problem(['where', column], {
        at: 'key',
        found: quote(column),
        expected: 'a column of the data',
        nearest: nearest(column, [...columns]),
        message: `no row has the column ${quote(column)}`,
      })
}

type Renderers = ReadonlyMap<string, { readonly render: Renderer; readonly isFixed: boolean }>

/** Names and renders rows, and collects their problems. */
class Rows {
  readonly #renderers: Renderers
  readonly #template: Readonly<Record<string, unknown>>
  readonly #problems: Problem[] = []
  /** The same fault in many rows, such as a misspelt column, is one problem with the number of rows. */
  readonly #rendering = new Map<string, { readonly problem: Problem; count: number }>()
  readonly #warnings = new Map<string, { readonly first: Warning; count: number }>()
  readonly #named = new Map<string, { readonly file: DataFile; readonly number: number }>()

  constructor(renderers: Renderers, template: Readonly<Record<string, unknown>>) {
    this.#renderers = renderers
    this.#template = template
  }

  get hasProblems(): boolean {
    return this.#problems.length > 0 || this.#rendering.size > 0
  }

  get isFull(): boolean {
    return this.#problems.length + this.#rendering.size >= MOST_PROBLEMS
  }

  /**
   * Returns the id of a row: as the template says, or the column `id`, or a hash of the row. Notes a problem and returns
   * null if it has none, or if another row has the same.
   */
  nameOf(one: TableRow, file: DataFile): string | null {
    const own = this.#renderers.get('id')
    let id: Json
    if (own !== undefined) {
      const rendered = this.#rendered(() => own.render(one.row), one, file)
      if (rendered === undefined) return null
      id = rendered
    } else if (Object.hasOwn(one.row, ID_COLUMN)) id = one.row[ID_COLUMN] as Json
    else id = hashOf(one.row).slice(0, HASH_DIGITS)
    const text = typeof id === 'number' || typeof id === 'boolean' ? String(id) : id
    if (typeof text !== 'string' || text.trim() === '') {
      this.#problem(one, file, 'an id', text === '' ? 'nothing' : 'no text')
      return null
    }
    const earlier = this.#named.get(comparableId(text))
    if (earlier === undefined) {
      this.#named.set(comparableId(text), { file, number: one.number })
      return text
    }
    const place = `row ${earlier.number}${earlier.file === file ? '' : ` of ${earlier.file.name}`}`
    const isHash = own === undefined && !Object.hasOwn(one.row, ID_COLUMN)
    this.#problem(
      one,
      file,
      isHash ? 'a row that differs from all others' : 'an id that no other row has',
      isHash ? `the same as ${place}` : `${quote(text)}, which ${place} has too`,
    )
    return null
  }

  async read(one: Chosen, read: (one: RowCase) => Promise<void>): Promise<void> {
    if (this.isFull) return
    const item = this.#rendered(() => this.#item(one), one, one.file)
    if (item === undefined) return
    const document: Document = {
      file: one.file.name,
      value: { template: item },
      locate: () => (one.line === null ? null : { line: one.line, column: 1 }),
    }
    const notes = takeNotes(document)
    const textGraders = (): Json => this.#renderers.get('graders')?.render(one.row, true) ?? []
    await read({ row: one.row, item, notes, textGraders, attempt: () => takeNotes(document) })
    for (const warning of notes.warnings()) {
      const seen = this.#warnings.get(warning.text)
      if (seen === undefined) this.#warnings.set(warning.text, { first: warning, count: 1 })
      else seen.count++
    }
    try {
      notes.done()
    } catch (error) {
      if (!(error instanceof SuiteError)) throw error
      for (const problem of error.problems) this.#problems.push(this.#placed(problem, one))
    }
  }

  /** Returns the warnings. Throws the problems. */
  done(): readonly Warning[] {
    const rendering = [...this.#rendering.values()].map(({ problem, count }) =>
      count === 1
        ? problem
        : {
            ...problem,
            message: `${problem.message} (and ${counted(count - 1, 'more row', 'more rows')})`,
          },
    )
    if (this.hasProblems) throw new SuiteError([...rendering, ...this.#problems])
    return [...this.#warnings.values()].map(({ first, count }) =>
      count === 1 ? first : { ...first, text: `${first.text} (${count} rows, the first is here)` },
    )
  }

  #item({ row, id }: Chosen): Record<string, Json> {
    const item: Record<string, Json> = {}
    for (const [key, { render }] of this.#renderers) item[key] = asTexts(key, render(row))
    return { ...item, id }
  }

  #rendered<T>(render: () => T, one: TableRow, file: DataFile): T | undefined {
    try {
      return render()
    } catch (error) {
      if (!(error instanceof RenderProblem)) throw error
      const { path, message, missing } = error
      const what = missing === null ? message : missingColumn(missing, one.row)
      const key = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
      const told = `${key.slice(1)}: ${what}`
      const seen = this.#rendering.get(told)
      if (seen !== undefined) seen.count++
      else {
        const problem = {
          ...placeOf(one, file),
          found: what,
          expected: 'a row that the template can be filled with',
          message: `row ${one.number}: ${told}`,
        }
        this.#rendering.set(told, { problem, count: 1 })
      }
      return undefined
    }
  }

  #problem(one: TableRow, file: DataFile, expected: string, found: string): void {
    this.#problems.push({
      ...placeOf(one, file),
      found,
      expected,
      message: `row ${one.number}: expected ${expected}, found ${found}`,
    })
  }

  /** Adds the row and, if the value is that of one column, the column. */
  #placed(problem: Problem, one: Chosen): Problem {
    return {
      ...problem,
      message: `row ${one.number}: ${problem.message}${this.#columnsOf(problem)}`,
    }
  }

  #columnsOf({ message }: Problem): string {
    const key = /^template((?:\.[\w-]+|\[\d+\])+)/.exec(message)?.[1]
    let value: unknown = this.#template
    for (const [, name, index] of (key ?? '').matchAll(/\.([\w-]+)|\[(\d+)\]/g))
      value = (value as Record<string, unknown> | undefined)?.[name ?? index ?? '']
    const column = typeof value === 'string' ? /^\{\{-?\s*([\w.]+)/.exec(value)?.[1] : undefined
    return column === undefined ? '' : ` (column ${column})`
  }
}

const placeOf = ({ line }: TableRow, { name }: DataFile) => ({
  file: name,
  line,
  column: line === null ? null : 1,
})

/** Returns a value of the template with numbers as texts where the case needs text. */
function asTexts(key: string, value: Json): Json {
  if (typeof value === 'number' || typeof value === 'boolean')
    return TYPED.has(key) ? value : String(value)
  if (key === 'tags' && typeof value === 'string')
    return value
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '')
  if (key === 'turns' && Array.isArray(value))
    return (value as Json[]).map((turn) => asTexts('prompt', turn))
  return value
}
