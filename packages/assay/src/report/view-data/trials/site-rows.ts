/**
 * Writes the table of all trials of a static site to files of a moderate size, and reads it again. A row has no long
 * texts. If a run has more trials than the size limit allows, trials that did not pass are kept first, and the page
 * says how many trials are missing.
 */
import { OUTCOME_CODES, type TableCell, type TrialTable } from './trial-page.ts'

/** The kept trials of one subject on one case. Each list has one entry per trial. */
interface RowCell {
  readonly suite: string
  readonly case: string
  readonly subject: string
  /** The positions of the trials in the cell. Absent if they are 0, 1, 2 and so on. */
  readonly at?: readonly number[]
  readonly outcomes: string
  readonly score: readonly (number | null)[]
  readonly cost: readonly (number | null)[]
  readonly time: readonly (number | null)[]
  /** For each trial, the position of its reason in the list of reasons. −1 if it has none. */
  readonly reason: readonly number[]
}

/** The content of one file. A reason that several trials share is written once. */
export interface RowFile {
  readonly reasons: readonly string[]
  readonly cells: readonly RowCell[]
}

export interface KeptRows {
  readonly files: readonly RowFile[]
  readonly leftOut: ReadonlyMap<string, number>
}

/** About how many bytes a row takes without its reason, and a cell without its names. */
const ROW_BYTES = 34
const CELL_BYTES = 110
const FILE_BYTES = 200_000
/** The maximum length of a reason, in characters. */
const MOST_REASON = 300

export function keptRows(table: TrialTable, bytes: number): KeptRows {
  const isKept = chosenTrials(table, bytes)
  const files: RowFile[] = []
  const leftOut = new Map<string, number>()
  let file = newFile()
  for (const cell of table.cells()) {
    const kept: number[] = []
    for (let at = cell.first; at < cell.first + cell.trials; at++)
      if (isKept[at] === 1) kept.push(at)
    if (kept.length < cell.trials)
      leftOut.set(cell.suite, (leftOut.get(cell.suite) ?? 0) + cell.trials - kept.length)
    if (kept.length === 0) continue
    file.add(table, cell, kept)
    if (file.bytes < FILE_BYTES) continue
    files.push(file.data)
    file = newFile()
  }
  if (file.bytes > 0) files.push(file.data)
  return { files, leftOut }
}

/**
 * Returns an array with a 1 for each trial that is kept. Trials that did not pass are chosen first, then the others,
 * each in the order of the plan.
 */
function chosenTrials(table: TrialTable, bytes: number): Uint8Array {
  const isKept = new Uint8Array(table.size)
  const cellsWithRows = new Set<number>()
  const reasons = new Set<string>()
  const passed = OUTCOME_CODES.indexOf('p')
  let room = bytes
  for (const takesPassed of [false, true])
    for (const cell of table.cells())
      for (let at = cell.first; at < cell.first + cell.trials; at++) {
        if (room <= 0) return isKept
        if ((table.outcome[at] === passed) !== takesPassed) continue
        const reason = shortReason(table.reason(at))
        if (reason !== null && !reasons.has(reason)) room -= reason.length * 2
        if (reason !== null) reasons.add(reason)
        if (!cellsWithRows.has(cell.first))
          room -= CELL_BYTES + (cell.suite.length + cell.case.length + cell.subject.length) * 2
        cellsWithRows.add(cell.first)
        room -= ROW_BYTES
        isKept[at] = 1
      }
  return isKept
}

const shortReason = (reason: string | null): string | null =>
  reason === null || reason.length <= MOST_REASON ? reason : `${reason.slice(0, MOST_REASON)}…`

function newFile() {
  const reasons = new Map<string, number>()
  const cells: RowCell[] = []
  return {
    bytes: 0,
    get data(): RowFile {
      return { reasons: [...reasons.keys()], cells }
    },
    add(table: TrialTable, { suite, case: one, subject, trials }: TableCell, kept: number[]): void {
      const reasonAt = (at: number): number => {
        const reason = shortReason(table.reason(at))
        if (reason === null) return -1
        const known = reasons.get(reason)
        if (known !== undefined) return known
        reasons.set(reason, reasons.size)
        this.bytes += reason.length * 2
        return reasons.size - 1
      }
      const places = kept.map((at) => table.indexAt(at))
      cells.push({
        ...{ suite, case: one, subject },
        ...(kept.length < trials && { at: places }),
        outcomes: kept.map((at) => OUTCOME_CODES[table.outcome[at] ?? 0] ?? 'c').join(''),
        score: kept.map((at) => rounded(table.score(at))),
        cost: kept.map((at) => rounded(table.cost(at))),
        time: kept.map((at) => rounded(table.time(at))),
        reason: kept.map(reasonAt),
      })
      this.bytes += CELL_BYTES + kept.length * ROW_BYTES
    },
  }
}

/** Rounds a value to five digits, which is more than the page shows. */
const rounded = (value: number): number | null =>
  Number.isNaN(value) ? null : Number(value.toPrecision(5))

/** Converts files back to a table. */
export function rowsTable(files: readonly RowFile[]): TrialTable {
  const size = files.reduce(
    (sum, { cells }) => sum + cells.reduce((more, { outcomes }) => more + outcomes.length, 0),
    0,
  )
  const outcome = new Uint8Array(size)
  const cellOf = new Uint32Array(size)
  const values = {
    score: new Float64Array(size),
    cost: new Float64Array(size),
    time: new Float64Array(size),
  }
  const cells: (TableCell & { readonly row: RowCell; readonly reasons: readonly string[] })[] = []
  let first = 0
  for (const { reasons, cells: rows } of files)
    for (const row of rows) {
      const { suite, case: one, subject, outcomes } = row
      for (let i = 0; i < outcomes.length; i++) {
        outcome[first + i] = OUTCOME_CODES.indexOf(outcomes[i] ?? 'c')
        cellOf[first + i] = cells.length
        for (const name of ['score', 'cost', 'time'] as const)
          values[name][first + i] = row[name][i] ?? Number.NaN
      }
      cells.push({ suite, case: one, subject, first, trials: outcomes.length, row, reasons })
      first += outcomes.length
    }
  const at = (place: number) => {
    const cell = cells[cellOf[place] ?? 0]
    if (cell === undefined) throw new Error('This site is damaged: a row has no case.')
    return cell
  }
  return {
    size,
    cells: () => cells,
    cellAt: at,
    indexAt: (place) => {
      const { row, first: start } = at(place)
      return row.at?.[place - start] ?? place - start
    },
    outcome,
    score: (place) => values.score[place] ?? Number.NaN,
    cost: (place) => values.cost[place] ?? Number.NaN,
    time: (place) => values.time[place] ?? Number.NaN,
    reason: (place) => {
      const { row, first: start, reasons } = at(place)
      return reasons[row.reason[place - start] ?? -1] ?? null
    },
  }
}
