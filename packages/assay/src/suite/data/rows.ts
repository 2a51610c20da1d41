/** The rows that become cases: their names, what the template makes of each, and the problems of all of them. */
import { hashOf } from '@assay/contract/hash'
import type { Json } from '@assay/contract'
import {
  formatPath,
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
import type { DataFile } from './data-files.ts'
import { RenderProblem, type Renderer } from './render-case.ts'
import type { Row, TableRow } from './row.ts'

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
  /** Notes that the text at a path of the suite uses a column that the row does not have. */
  lacks(path: Path, column: string): void
}

/** After this many problems in rows, no further rows are read. */
const MOST_PROBLEMS = 100
/** Digits of the hash that names a row. Two of a million rows get the same name with a chance of 3 in 100 million. */
const HASH_DIGITS = 16
const ID_COLUMN = 'id'
/** Columns that are remembered, to name the nearest one for a misspelt column. */
const MOST_COLUMNS = 1000
/** Columns that a message lists. */
const MOST_LISTED = 20

/** Keys of a case that hold a number or true or false. In other keys, such a value of a row becomes text. */
const TYPED = new Set([
  ...['trials', 'timeout', 'maxTokens', 'threshold'],
  ...['continuation', 'allowUnsafe', 'includeIgnored'],
])

export interface Chosen extends TableRow {
  readonly id: string
  readonly file: DataFile
}

/** A text of the suite that cannot be filled in. */
interface RenderFault {
  readonly path: Path
  /** The column that the row lacks. Null if the fault is another one. */
  readonly column: string | null
  readonly problem: Problem
  count: number
}

export type Renderers = ReadonlyMap<
  string,
  { readonly render: Renderer; readonly isFixed: boolean }
>

/** The digits as a text of their own: a slice would keep the whole hash in memory, and every row has one. */
const firstDigits = (hash: string): string =>
  Buffer.from(hash.slice(0, HASH_DIGITS), 'latin1').toString('latin1')

/** Names and renders rows, and collects their problems. */
export class Rows {
  readonly #renderers: Renderers
  readonly #template: Readonly<Record<string, unknown>>
  /** The suite's own notes, for what no row has. */
  readonly #notes: Notes
  /** What the rows are read from, for messages. */
  readonly #source: string
  readonly #columns = new Set<string>()
  readonly #problems: Problem[] = []
  /** The same fault in many rows, such as a misspelt column, is one problem with the number of rows. */
  readonly #rendering = new Map<string, RenderFault>()
  readonly #warnings = new Map<string, { readonly first: Warning; count: number }>()
  readonly #named = new Map<string, { readonly file: DataFile; readonly number: number }>()

  constructor(
    renderers: Renderers,
    template: Readonly<Record<string, unknown>>,
    notes: Notes,
    source: string,
  ) {
    this.#renderers = renderers
    this.#template = template
    this.#notes = notes
    this.#source = source
  }

  /** Remembers the columns of a row, whether it becomes a case or not. */
  see(row: Row): void {
    if (this.#columns.size < MOST_COLUMNS)
      for (const column of Object.keys(row)) this.#columns.add(column)
  }

  get columns(): ReadonlySet<string> {
    return this.#columns
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
    else id = firstDigits(hashOf(one.row))
    const text = typeof id === 'number' || typeof id === 'boolean' ? String(id) : id
    if (typeof text !== 'string' || text.trim() === '') {
      this.#problem(one, file, 'an id', text === '' ? 'nothing' : 'no text')
      return null
    }
    const comparable = comparableId(text)
    const earlier = this.#named.get(comparable)
    if (earlier === undefined) {
      this.#named.set(comparable, { file, number: one.number })
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
    await read({
      row: one.row,
      item,
      notes,
      textGraders,
      attempt: () => takeNotes(document),
      lacks: (path, column) =>
        this.#fault(path, column, missingColumn(column, one.row), one, one.file),
    })
    for (const warning of notes.warnings()) {
      const seen = this.#warnings.get(warning.text)
      if (seen === undefined) this.#warnings.set(warning.text, { first: warning, count: 1 })
      else seen.count++
    }
    for (const problem of problemsOf(notes)) this.#problems.push(this.#placed(problem, one))
  }

  /** Returns the warnings. Throws the problems. */
  done(): readonly Warning[] {
    if (this.hasProblems) throw new SuiteError([...this.#renderProblems(), ...this.#problems])
    return [...this.#warnings.values()].map(({ first, count }) =>
      count === 1 ? first : { ...first, text: `${first.text} (${count} rows, the first is here)` },
    )
  }

  /** A column that no row has is a mistake of the suite. One that only some rows lack is a mistake of the first of these. */
  #renderProblems(): readonly Problem[] {
    const ofRows: Problem[] = []
    for (const { path, column, problem, count } of this.#rendering.values()) {
      if (column !== null && !this.#columns.has(column) && this.#columns.size < MOST_COLUMNS)
        this.#notes.problem(path, {
          found: quote(column),
          expected: 'a column of the data',
          message: `${this.#source} has no column ${quote(column)}${meant(column, [...this.#columns])}; it has ${listed([...this.#columns])}`,
        })
      else {
        const others = count === 1 ? '' : ` (and ${counted(count - 1, 'more row', 'more rows')})`
        ofRows.push({ ...problem, message: `${problem.message}${others}` })
      }
    }
    return [...problemsOf(this.#notes), ...ofRows]
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
      this.#fault(
        path,
        missing,
        missing === null ? message : missingColumn(missing, one.row),
        one,
        file,
      )
      return undefined
    }
  }

  #fault(path: Path, missing: string | null, what: string, one: TableRow, file: DataFile): void {
    const told = `${formatPath(path)}: ${what}`
    const seen = this.#rendering.get(told)
    if (seen !== undefined) seen.count++
    else
      this.#rendering.set(told, {
        path,
        column: missing?.split('.')[0] ?? null,
        problem: {
          ...placeOf(one, file),
          found: what,
          expected: 'a row that the template can be filled with',
          message: `row ${one.number}: ${told}`,
        },
        count: 1,
      })
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

/** What a person has to know about a row that a template cannot be rendered with. */
function missingColumn(column: string, row: Row): string {
  const [name = column] = column.split('.')
  if (Object.hasOwn(row, name) && row[name] === null) return `the column ${name} has no value`
  const columns = Object.keys(row)
  return `there is no column ${column}${meant(name, columns)}; the row has ${listed(columns)}`
}

function meant(column: string, columns: readonly string[]): string {
  const near = nearest(column, columns)
  return near === null ? '' : ` (did you mean ${near}?)`
}

const listed = (columns: readonly string[]): string => {
  const more = columns.length > MOST_LISTED ? ', …' : ''
  return `${columns.slice(0, MOST_LISTED).map(quote).join(', ')}${more}`
}

function problemsOf(notes: Notes): readonly Problem[] {
  try {
    notes.done()
    return []
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    return error.problems
  }
}
