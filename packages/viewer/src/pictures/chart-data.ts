/** The figures of a chart as a table. A reader can unfold the table below the chart. */
import type { ViewSubject } from '../data/source.ts'
import { NONE } from '../figures.ts'

export interface ChartData {
  readonly titles: readonly string[]
  /** The first cell of each row is a name. */
  readonly rows: readonly (readonly string[])[]
  /** How many rows were left out because there are too many. */
  readonly leftOut?: number
}

/** Returns a figure and its interval as two cells. */
export function figureCells(
  metric: ViewSubject['passRate'] | undefined,
  write: (value: number) => string,
): [string, string] {
  const { value = null, interval } = metric ?? {}
  return [
    value === null ? NONE : write(value),
    interval === undefined ? NONE : `${write(interval.low)}–${write(interval.high ?? 1)}`,
  ]
}
