/**
 * Lines of trials in the order of the plan, whatever order they were recorded in, in bounded memory. The
 * report says which trials there are, so each has a number. Going through the trials, lines are held as long
 * as there is room; then those with the highest numbers go, and are the first of the next time through.
 */
import type { Identity, Trial } from '@assay/contract'
import type { ReportSource } from './format.ts'
import type { Report } from '../schema/report.ts'

/** Characters held at a time. */
const ROOM = 64_000_000

/** By suite and subject as the report has them, then by case, then by index. */
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
    /** Numbers from here on are for the next time; the first is always taken, however long. */
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

/** One text for one subject on one case. */
export const cellKey = ({ suite, case: id, subject }: Omit<Identity, 'index'>): string =>
  JSON.stringify([suite, id, subject])
