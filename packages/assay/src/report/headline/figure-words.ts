/** Formats the figures of a headline: rates, differences in points, intervals, p-values, and lists of names. */
import { signed } from '../../text/index.ts'
import type { ReportMetric } from '../schema/report.ts'

/** Writes a name as a format needs it, for instance escaped. */
export type NameFormat = (name: string) => string

/** Returns the number of decimals: one, or as many as are needed to tell the value from zero. */
function digitsOf(points: number): number {
  const size = Math.abs(points)
  if (size < 1e-9) return 0
  let digits = Number.isInteger(Number(points.toFixed(1))) ? 0 : 1
  while (digits < 6 && Number(size.toFixed(digits)) === 0) digits++
  return digits
}

/** Formats a difference of rates as signed points: `+12.5`, `−3`, `0`. */
export const differenceText = (share: number): string => signed(share * 100, digitsOf(share * 100))

/** Formats the size of a difference: `12.5 points`, `1 point`. */
export function pointsText(share: number): string {
  const points = Math.abs(share * 100)
  const text = points.toFixed(digitsOf(points))
  return `${text} ${text === '1' ? 'point' : 'points'}`
}

export function intervalWords({ interval }: ReportMetric): string {
  if (interval === undefined) return 'no interval'
  const level = Number((interval.level * 100).toFixed(2))
  return `${level} % interval ${differenceText(interval.low)} to ${differenceText(interval.high ?? 1)}`
}

/** Formats the p-value of an interval: `p 0.004`, `p < 0.001`. */
export const pWords = ({ p }: ReportMetric): string =>
  p === undefined ? 'no p' : `p ${pNumber(p)}`

export const pNumber = (p: number): string => (p < 0.001 ? '< 0.001' : nearAlpha(p))

/** Formats a p-value with three digits, or with as many as are needed to show whether it is above or below 0.05. */
function nearAlpha(p: number): string {
  let digits = 3
  while (digits < 9 && p < 0.05 !== Number(p.toFixed(digits)) < 0.05) digits++
  return p.toFixed(digits)
}

/** Formats a rate in percent. 0% and 100% appear only if the rate is exactly 0 or 1. */
export function rateText(rate: number | null): string {
  if (rate === null) return 'nothing'
  const value = rate * 100
  let digits = Number.isInteger(Number(value.toFixed(1))) ? 0 : 1
  const isInside = rate > 0 && rate < 1
  const isEnd = (): boolean => isInside && [0, 100].includes(Number(value.toFixed(digits)))
  while (digits < 6 && isEnd()) digits++
  return `${value.toFixed(digits)}%`
}

const MOST_LISTED = 3

/** Joins names: `A`, `A and B`, `A, B and C`, `A, B, C and 2 more`. */
export function listed(names: readonly string[]): string {
  const shown =
    names.length > MOST_LISTED + 1
      ? [...names.slice(0, MOST_LISTED), `${names.length - MOST_LISTED} more`]
      : [...names]
  const last = shown.pop() ?? ''
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`
}
