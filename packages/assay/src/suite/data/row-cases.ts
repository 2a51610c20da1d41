/**
 * Makes cases from the rows of data files. It finds the files, reads and selects their rows, gives each row an id
 * and renders the suite's template with it. Every problem names the file, the row and the column or key.
 */
import type { Json } from '@assay/contract'
import {
  escapeControls,
  quote,
  type Notes,
  type Path,
  type Warning,
} from '../../documents/index.ts'
import { counted, nearest } from '../../text/index.ts'
import type { SuiteFrame } from '../native/schema.ts'
import type { SuiteFiles } from '../native/suite-files.ts'
import { findDataFiles, type DataFile } from './data-files.ts'
import { compileValue } from './render-case.ts'
import type { TableRow } from './row.ts'
import { Rows, type Chosen, type RowCase } from './rows.ts'
import { matchesRow, Sample, type Wanted } from './select-rows.ts'
import { readTable } from './table.ts'
import { openTemplates } from './template.ts'

export interface RowCases {
  /** Whether the graders of the template are the same for every row. */
  readonly hasFixedGraders: boolean
  /**
   * Calls `read` for each row that becomes a case. Waits for it only if it returns a promise: waiting for each of
   * many thousand rows takes long and leaves much garbage. Returns the warnings of all rows. Throws a `SuiteError`
   * with the problems of the rows.
   */
  each(read: (one: RowCase) => void | Promise<void>): Promise<readonly Warning[]>
}

const DEFAULT_SEED = 1

/**
 * Prepares the cases of a suite with `data`. Returns null if the suite has a problem. The problem is then already
 * noted.
 */
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
      const [only] = files
      const source =
        files.length === 1 && only !== undefined ? escapeControls(only.name) : 'the data'
      const rows = new Rows(renderers, template, notes, source)
      for await (const batch of choose(frame, files, rows, notes, signal))
        for (const row of batch) {
          signal?.throwIfAborted()
          const reading = rows.read(row, read)
          if (reading !== undefined) await reading
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

/** The keys of a template that may name a file whose text is a template too. */
const ASKED = ['prompt', 'system'] as const

/** Replaces `prompt = { file = "…" }` with the text of the file. That text is a template, too. */
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
    // A path with an expression names another file for each row. The content of such a file is data and not a
    // template.
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

/**
 * Yields the rows that become cases, in batches. Without a sample, each row is yielded as soon as it is read, and no
 * row is kept in memory.
 */
async function* choose(
  frame: SuiteFrame,
  files: readonly DataFile[],
  rows: Rows,
  notes: Notes,
  signal: AbortSignal | undefined,
): AsyncGenerator<Iterable<Chosen>> {
  const where: Wanted = frame.where ?? {}
  const { sample: asked, limit = Infinity } = frame
  const { count, seed = DEFAULT_SEED } = typeof asked === 'object' ? asked : { count: asked }
  const sample = count === undefined ? null : new Sample<Chosen>(count, seed)
  let all = 0
  let taken = 0
  const chosenOf = function* (batch: Iterable<TableRow>, file: DataFile): Generator<Chosen> {
    for (const one of batch) {
      all++
      rows.see(one.row)
      if (!matchesRow(one.row, where)) continue
      const id = rows.nameOf(one, file)
      if (rows.isFull) return
      if (id === null) continue
      const chosen = { row: one.row, number: one.number, line: one.line, id, file }
      if (sample !== null) sample.add(chosen)
      else {
        taken++
        yield chosen
        if (taken >= limit) return
      }
    }
  }
  reading: for (const file of files)
    for await (const batch of readTable(file, signal)) {
      yield chosenOf(batch, file)
      if (rows.isFull) return
      if (taken >= limit) break reading
    }
  if (sample !== null) {
    const items = sample.items().slice(0, limit)
    taken += items.length
    yield items
  }
  if (taken === 0 && !rows.hasProblems) noteNone(where, rows.columns, all, notes)
}

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
