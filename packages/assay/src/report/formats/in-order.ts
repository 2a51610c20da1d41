/**
 * Writes a line per trial in the order of the plan, whatever the order of recording, in bounded memory. The
 * report lists all planned trials, so each has a number. One pass over the trials holds as many lines as fit.
 * When the room is used up, the lines with the highest numbers are dropped, and the next pass starts with
 * them.
 */
import type { Identity, Trial } from '@assay/contract'
import type { ReportSource } from './format.ts'
import type { Report } from '../schema/report.ts'

/** Maximum number of characters held at a time. */
const ROOM = 64_000_000

/** Calls `put` for each line: by suite and subject in the report's order, then by case, then by index. */
export async function inOrder(
  { report, trials }: Pick<ReportSource, 'report' | 'trials'>,
  lineOf: (trial: Trial) => string,
  put: (line: string) => void,
  room: number = ROOM,
): Promise<void> {
  const { cells, planned } = numberCells(report)
  for (let from = 0; from < planned;) {
    const start = from
    const held: (string | undefined)[] = []
    /** Trials from this number on wait for the next pass. The first is always taken, however long. */
    let end = planned
    let used = 0
    await trials((trial) => {
      const cell = cells.get(cellKey(trial))
      if (cell === undefined || trial.index < 0 || trial.index >= cell.planned) return
      const number = cell.first + trial.index
      if (number < start || number >= end) return
      const line = lineOf(trial)
      held[number - start] = line
      used += line.length
      while (used > room && end > start + 1) {
        end--
        used -= held[end - start]?.length ?? 0
        if (held.length > end - start) held.length = end - start
      }
    })
    for (const line of held) if (line !== undefined) put(line)
    from = end
  }
}

interface NumberedCell {
  readonly first: number
  readonly planned: number
}

function numberCells({ subjects }: Report): {
  cells: ReadonlyMap<string, NumberedCell>
  planned: number
} {
  const cells = new Map<string, NumberedCell>()
  let first = 0
  for (const { suite, subject, cases } of subjects)
    for (const { case: id, counts } of cases) {
      cells.set(cellKey({ suite, case: id, subject }), { first, planned: counts.planned })
      first += counts.planned
    }
  return { cells, planned: first }
}

/** A map key for one subject on one case. */
export const cellKey = ({ suite, case: id, subject }: Omit<Identity, 'index'>): string =>
  JSON.stringify([suite, id, subject])
