/** Writes figures by tag or metadata as properties of a JUnit test suite. */
import { counted } from '../../../text/index.ts'
import type { Report, ReportMetric, SubjectReport } from '../../schema/report.ts'

/** Returns the figures by tag or metadata of one suite and subject, with names such as `by.language.rust.passRate`. */
export function breakdownProperties(
  { by = [] }: Report,
  { suite, subject }: SubjectReport,
): [string, string][] {
  return by.flatMap(({ key, rows }) =>
    rows
      .filter((row) => row.suite === suite && row.subject === subject)
      .flatMap(({ value, cases, passed, scored, passRate, meanScore, costPerPass }) => {
        const name = (figure: string): string => `by.${key}.${value}.${figure}`
        return [
          [name('passed'), `${passed} of ${scored} trials of ${counted(cases, 'case')}`],
          [name('passRate'), metricText(passRate)],
          [name('meanScore'), metricText(meanScore)],
          [name('costPerPass'), metricText(costPerPass)],
        ] satisfies [string, string][]
      }),
  )
}

/**
 * Formats a figure with its interval, such as `0.75 (0.4938 to 0.9121, 95 % interval)`. If there is no interval, the
 * text says why.
 */
function metricText({ value, infinite, interval, reason }: ReportMetric): string {
  const number = (x: number): string => String(Number(x.toPrecision(6)))
  if (value === null) return infinite === true ? 'infinite' : `none: ${reason ?? 'unknown'}`
  if (interval === undefined) return number(value)
  const high = interval.high === null ? 'infinity' : number(interval.high)
  return `${number(value)} (${number(interval.low)} to ${high}, ${Number((interval.level * 100).toFixed(2))} % interval)`
}
