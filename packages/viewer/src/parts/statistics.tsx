/**
 * Shows costs and times, the figures for every k, what the letter grades are based on, and the statistics that the
 * metrics-formulas specification defines over all trials.
 */
import {
  COST_TIME_TITLES,
  costTimeRow,
  gradeBasis,
  K_NOTE,
  K_TITLES,
  kRows,
  letterText,
  STATISTIC_TITLES,
  statisticsRows,
  TIME_NOTE,
} from 'assay/view-data'
import type { ViewReport, ViewSubject } from '../data/source.ts'
import { Name } from '../text/shown.tsx'
import { hasFigures, PlainTable } from './plain-table.tsx'

interface StatisticsProps {
  readonly report: ViewReport
  readonly rows: readonly ViewSubject[]
}

export function Statistics({ report, rows }: StatisticsProps) {
  const { scoring } = report.provenance
  const graded = rows
    .map((row) => ({ row, basis: gradeBasis(row, scoring) }))
    .filter(({ basis }) => basis !== '')
  const costs = rows.map((row) => [row.subject, ...costTimeRow(row)])
  const ofK = rows.flatMap((row) =>
    kRows(row, row.passToTheK).map((cells) => [row.subject, ...cells]),
  )
  const statistics = rows.flatMap((row) =>
    row.statistics === null
      ? []
      : statisticsRows(row.statistics).map((cells) => [row.subject, ...cells]),
  )
  // A run without a scored trial has no statistics at all.
  if (![costs, ofK, statistics].some(hasFigures)) return null
  return (
    <section aria-labelledby="statistics">
      <h2 id="statistics">Statistics</h2>
      <PlainTable label="Costs and times" titles={['subject', ...COST_TIME_TITLES]} rows={costs} />
      {hasFigures(costs) && <p class="muted small">{TIME_NOTE}</p>}
      <PlainTable label="Every k" titles={['subject', ...K_TITLES]} rows={ofK} />
      {hasFigures(ofK) && <p class="muted small">{K_NOTE}</p>}
      {graded.map(({ row, basis }) => (
        <p>
          <Name text={row.subject} />: grade {letterText(row.grade)}, {basis}
        </p>
      ))}
      <PlainTable
        label="Statistics over all trials"
        titles={['subject', 'metric', ...STATISTIC_TITLES]}
        rows={statistics}
      />
      {statistics.length > 0 && (
        <p class="muted small">
          Over all trials of a subject, as metrics-formulas defines them; the standard deviation is
          that of the population.
        </p>
      )}
    </section>
  )
}
