/** Makes a table of the trials of a run folder. Pages are made from this table. */
import type { RunReport } from '../report/index.ts'
import type { TableCell, TrialTable } from '../report/view-data/index.ts'

type Cell = RunReport['tally']['plan']['cells'][number]

const tableCell = ({ suite, case: one, subject, first, trials }: Cell): TableCell => ({
  ...{ suite: suite.id, case: one.id, subject: subject.id, first, trials },
})

export function trialTable({ tally }: Pick<RunReport, 'tally'>): TrialTable {
  const { plan } = tally
  return {
    size: plan.planned,
    *cells() {
      for (const cell of plan.cells) yield tableCell(cell)
    },
    cellAt: (at) => tableCell(plan.cellAt(at)),
    indexAt: (at) => at - plan.cellAt(at).first,
    outcome: tally.outcome,
    score: (at) => tally.score.at(at),
    cost: (at) => tally.answerUsd.at(at),
    time: (at) => tally.answerMs.at(at),
    reason: (at) => tally.reasonText(at),
  }
}
