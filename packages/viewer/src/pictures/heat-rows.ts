/** The rows of the heat map of cases and tiers: which cases, in which order, and how many fit. */
import type { ViewCell } from '../data/source.ts'
import type { ShownTiers } from './tiers.ts'

/** A heat map with more rows than this would not be readable. */
export const MOST_CASES = 40

export interface HeatRow {
  readonly name: string
  readonly cells: readonly ViewCell[]
  /** Pass rate of the best tier minus that of the worst. */
  readonly spread: number
}

export const rateOf = ({ n, c }: ViewCell): number => (n === 0 ? 0 : c / n)

/**
 * Returns the cases with a scored trial on any tier. Those with the largest differences between tiers come
 * first.
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

export function heatNote(rows: readonly HeatRow[]): string {
  const left = rows.length - MOST_CASES
  return `How often each case passed, those first that differ most between tiers.${left > 0 ? ` ${left} more are not shown.` : ''}`
}
