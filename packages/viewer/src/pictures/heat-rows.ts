/** Selects and sorts the rows of the heat map, which shows the pass rate of each case on each tier. */
import type { ViewCell } from '../data/source.ts'
import { NONE } from '../figures.ts'
import { visible } from '../text/visible.ts'
import type { ChartData } from './chart-data.ts'
import type { ShownTiers } from './tiers.ts'

/** The highest number of rows. A heat map with more rows would not be readable. */
export const MOST_CASES = 40

export interface HeatRow {
  readonly name: string
  readonly cells: readonly ViewCell[]
  /** The pass rate of the best tier minus that of the worst. */
  readonly spread: number
}

export const rateOf = ({ n, c }: ViewCell): number => (n === 0 ? 0 : c / n)

/**
 * Returns the cases that have a scored trial on at least one tier. Cases with the largest difference between
 * tiers come first.
 */
export function heatRows({ group }: ShownTiers, cells: readonly ViewCell[]): HeatRow[] {
  const scored = cells.filter(({ subject, n }) => n > 0 && group.order.includes(subject))
  return [...Map.groupBy(scored, (cell) => cell.case)]
    .map(([name, own]) => {
      const rates = own.map(rateOf)
      return { name, cells: own, spread: Math.max(...rates) - Math.min(...rates) }
    })
    .toSorted((a, b) => b.spread - a.spread)
}

/** Returns the figures of the chart as a table. The table also has cases for which the chart has no space. */
export const heatData = ({ group }: ShownTiers, rows: readonly HeatRow[]): ChartData => ({
  titles: ['case', ...group.order.map(visible)],
  rows: rows.slice(0, MOST_DATA).map(({ name, cells }) => [
    name,
    ...group.order.map((subject) => {
      const cell = cells.find((one) => one.subject === subject)
      return cell === undefined ? NONE : `${cell.c}/${cell.n}`
    }),
  ]),
  leftOut: Math.max(0, rows.length - MOST_DATA),
})

/** The highest number of cases in the table. It can show more cases than the chart. */
const MOST_DATA = 1000

export function heatNote(rows: readonly HeatRow[]): string {
  const left = rows.length - MOST_CASES
  return `How often each case passed, those first that differ most between tiers.${left > 0 ? ` ${left} more are not in the picture.` : ''}`
}
