/**
 * Turns rows into cases: gives each row an id, renders the template with it, and collects the problems of all rows.
 */
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

/** One row as a case: the keys of the suite's `[template]`, filled in with the row. */
export interface RowCase {
  readonly row: Row
  readonly item: Readonly<Record<string, Json>>
  /** Returns the graders of the template. Numbers and booleans that come from the row are texts in them. */
  textGraders(): Json
  /** Collects the problems of this case. Their paths begin with `template`. */
  readonly notes: Notes
  /** Returns separate notes for the same row. They are for an attempt whose problems may be dropped. */
  attempt(): Notes
  /** Notes that the row lacks a column that the text at this path of the suite uses. */
  lacks(path: Path, column: string): void
}

/** After this many problems in rows, no further rows are read. */
const MOST_PROBLEMS = 100
/**
 * The digits of the hash that is the id of a row without one. Among a million rows, the chance that two get the same
 * id is 3 in 100 million.
 */
const HASH_DIGITS = 16
const ID_COLUMN = 'id'
/**
 * The limit on the column names that are remembered. They are used to suggest the nearest name for a misspelt
 * column.
 */
const MOST_COLUMNS = 1000
/** The limit on the columns that a message lists. */
const MOST_LISTED = 20

/**
 * The keys of a case whose value is a number or a boolean. For all other keys, a number or boolean of a row becomes
 * text.
 */
const TYPED = new Set([
  ...['trials', 'timeout', 'maxTokens', 'threshold'],
  ...['continuation', 'allowUnsafe', 'includeIgnored'],
])

export interface Chosen extends TableRow {
  readonly id: string
  readonly file: DataFile
}

/** A problem with filling in a text of the suite. */
interface RenderFault {
  readonly path: Path
  /** The column that the row lacks. Null if the fault has another cause. */
  readonly column: string | null
  readonly problem: Problem
  count: number
}

export type Renderers = ReadonlyMap<
  string,
  { readonly render: Renderer; readonly isFixed: boolean }
>

/** Returns the first digits of a hash as a new string. A slice would keep the whole hash in memory, for every row. */
const firstDigits = (hash: string): string =>
  Buffer.from(hash.slice(0, HASH_DIGITS), 'latin1').toString('latin1')

/** Gives ids to rows, renders them, and collects their problems. */
export class Rows {
  readonly #renderers: Renderers
  readonly #template: Readonly<Record<string, unknown>>
  /** The notes of the suite itself, for a column that no row has. */
  readonly #notes: Notes
  /** The name of the data, for messages. */
  readonly #source: string
  readonly #columns = new Set<string>()
  readonly #problems: Problem[] = []
  /**
   * Faults by their text. If many rows have the same fault, such as a misspelt column, it is reported once with the
   * number of rows.
   */
  readonly #rendering = new Map<string, RenderFault>()
  readonly #warnings = new Map<string, { readonly first: Warning; count: number }>()
  /** The number of the row that has an id. A table can have many rows, so a row's file is kept only if it needs to be. */
  readonly #named = new Map<string, number>()
  /** The files of the rows that are not in the first file. */
  readonly #otherFiles = new Map<string, DataFile>()
  #firstFile: DataFile | null = null

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

  /** Remembers the columns of a row, even if the row does not become a case. */
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
   * Returns the id of a row: the template's `id`, otherwise the column `id`, otherwise a hash of the row. Notes a
   * problem and returns null if the id is not a text or if another row has the same id.
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
    this.#firstFile ??= file
    if (earlier === undefined) {
      this.#named.set(comparable, one.number)
      if (file !== this.#firstFile) this.#otherFiles.set(comparable, file)
      return text
    }
    const earlierFile = this.#otherFiles.get(comparable) ?? this.#firstFile
    const place = `row ${earlier}${earlierFile === file ? '' : ` of ${earlierFile.name}`}`
    const isHash = own === undefined && !Object.hasOwn(one.row, ID_COLUMN)
    this.#problem(
      one,
      file,
      isHash ? 'a row that differs from all others' : 'an id that no other row has',
      isHash ? `the same as ${place}` : `${quote(text)}, which ${place} has too`,
    )
    return null
  }

  /** Reads a row as a case. Returns a promise only if `read` does. */
  read(one: Chosen, read: (one: RowCase) => void | Promise<void>): void | Promise<void> {
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
    const reading = read({
      row: one.row,
      item,
      notes,
      textGraders,
      attempt: () => takeNotes(document),
      lacks: (path, column) =>
        this.#fault(path, column, missingColumn(column, one.row), one, one.file),
    })
    if (reading === undefined) this.#take(notes, one)
    else return reading.then(() => this.#take(notes, one))
  }

  /** Takes over the warnings and problems of a row. */
  #take(notes: Notes, one: Chosen): void {
    for (const warning of notes.warnings()) {
      const seen = this.#warnings.get(warning.text)
      if (seen === undefined) this.#warnings.set(warning.text, { first: warning, count: 1 })
      else seen.count++
    }
    for (const problem of problemsOf(notes)) this.#problems.push(this.#placed(problem, one))
  }

  /** Returns the warnings of all rows. If there are problems, throws them in a `SuiteError` instead. */
  done(): readonly Warning[] {
    if (this.hasProblems) throw new SuiteError([...this.#renderProblems(), ...this.#problems])
    return [...this.#warnings.values()].map(({ first, count }) =>
      count === 1 ? first : { ...first, text: `${first.text} (${count} rows, the first is here)` },
    )
  }

  /**
   * Returns the problems with filling in the template. If no row has a column, the suite is at fault, and the
   * problem names the suite. If only some rows lack it, the problem names the first of these rows.
   */
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

  /** Adds the number of the row to a problem. Adds the column too, if the wrong value comes from one column. */
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

/** Returns a rendered value of the template. Numbers and booleans become text if the key of the case needs text. */
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

/** Returns a sentence for the user about a column that a row lacks. */
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
