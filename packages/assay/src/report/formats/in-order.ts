/**
 * Writes one line per trial in the order of the report, in bounded memory, whatever the order of recording. The report
 * lists all planned trials, so each trial has a number. One pass over the trials keeps as many lines as fit into
 * memory. When the memory limit is reached, the lines with the highest numbers are dropped, and the next pass collects
 * them.
 */
import type { Trial } from '@assay/contract'
import type { ReportSource } from './format.ts'
import type { Report } from '../schema/report.ts'
import { cellKey, positionsIn } from '../schema/trial-position.ts'

/** The maximum number of characters that are in memory at a time. */
const ROOM = 64_000_000

/**
 * Calls `put` for each line. Lines are sorted by suite and subject in the order of the report, then by case, then by
 * the trial's index.
 */
export async function inOrder(
  { report, trials }: Pick<ReportSource, 'report' | 'trials'>,
  lineOf: (trial: Trial) => string,
  put: (line: string) => void,
  room: number = ROOM,
): Promise<void> {
  const { firsts, planned } = numberCells(report)
  const positionOf = positionsIn(report)
  for (let from = 0; from < planned;) {
    const start = from
    const held: (string | undefined)[] = []
    /**
     * Trials from this number on are left for the next pass. The first line of a pass is always kept, even if it is
     * longer than the limit. Otherwise a pass could write nothing.
     */
    let end = planned
    let used = 0
    await trials((trial) => {
      const first = firsts.get(cellKey(trial))
      const position = positionOf(trial)
      if (first === undefined || position === null) return
      const number = first + position
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

/** Returns the number of the first trial of each cell (one subject on one case), and the number of all trials. */
function numberCells({ subjects }: Report): {
  firsts: ReadonlyMap<string, number>
  planned: number
} {
  const firsts = new Map<string, number>()
  let first = 0
  for (const { suite, subject, cases } of subjects)
    for (const { case: id, counts } of cases) {
      firsts.set(cellKey({ suite, case: id, subject }), first)
      first += counts.planned
    }
  return { firsts, planned: first }
}
