/**
 * Computes the figures that the metrics-formulas specification defines for each single run (trial), before anything is
 * averaged.
 */
import { costOfPass } from '@assay/metrics'
import type { Cell, Tally } from '../../../log/index.ts'
import type { RunFigures } from '../../schema/run-schema.ts'
import { eachScored } from '../cell-figures.ts'
import { compositeAt, implRateAt, type TierScoring } from '../composite.ts'

/** Returns the figures of the scored trials of one subject on one case (a cell), in order. */
export function runFigures(tally: Tally, cell: Cell, scoring: TierScoring): RunFigures[] {
  const list: RunFigures[] = []
  eachScored(tally, cell, (ordinal) =>
    list.push({ index: ordinal - cell.first, ...figuresAt(tally, ordinal, scoring) }),
  )
  return list
}

function figuresAt(tally: Tally, i: number, scoring: TierScoring): Omit<RunFigures, 'index'> {
  const passRate = tally.outcomeAt(i) === 'passed' ? 1 : 0
  const costUsd = known(tally.answerUsd.at(i))
  const perPass = costUsd === null ? null : costOfPass(costUsd, passRate)
  return {
    pass_rate: passRate,
    impl_rate: implRateAt(tally, i, scoring),
    cost_usd: costUsd,
    duration_seconds: inSeconds(tally.durationMs.at(i)),
    answer_seconds: inSeconds(tally.answerMs.at(i)),
    wait_seconds: inSeconds(tally.waitMs.at(i)),
    grade_seconds: inSeconds(tally.gradeMs.at(i)),
    cost_of_pass: perPass === Infinity ? null : perPass,
    composite: compositeAt(tally, i, scoring),
    ...(perPass === Infinity ? { infinite: ['cost_of_pass'] } : {}),
  }
}

const known = (value: number): number | null => (Number.isNaN(value) ? null : value)

const inSeconds = (ms: number): number | null => (Number.isNaN(ms) ? null : ms / 1000)
