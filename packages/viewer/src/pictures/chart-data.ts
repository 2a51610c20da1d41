/** The data of a chart, which a reader can unfold below it. */
import type { ViewSubject } from '../data/source.ts'
import { NONE } from '../figures.ts'

export interface ChartData {
  readonly titles: readonly string[]
  /** The first cell of each row is a name. */
  readonly rows: readonly (readonly string[])[]
  /** How many rows there was no room for. */
  readonly leftOut?: number
}

/** A figure and its interval as two cells. */
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
