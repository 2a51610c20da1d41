/** Formats figures by tag or metadata in Markdown. */
import { code, costPerPass, markdownTable, share } from '../../../text/index.ts'
import type { Report, ReportMetric } from '../../schema/report.ts'

const MOST_ROWS = 100

/** Returns a table of figures for each key of `--by`. Empty if the user did not use `--by`. */
export function breakdownSection({ by = [] }: Report): string[] {
  return by.flatMap(({ key, rows, notes }, i) => {
    const shown = rows.slice(0, MOST_ROWS)
    const rest = rows.length - shown.length
    return [
      ...(i === 0 ? [] : ['']),
      `### By ${code(key, 60)}`,
      '',
      ...markdownTable(
        [
          { title: 'value' },
          { title: 'suite' },
          { title: 'subject' },
          { title: 'cases', right: true },
          { title: 'groups', right: true },
          { title: 'passed', right: true },
          { title: 'pass rate', right: true },
          { title: 'mean score', right: true },
          { title: '$/pass', right: true },
        ],
        shown.map((row) => [
          code(row.value, 60),
          code(row.suite, 60),
          code(row.subject, 60),
          String(row.cases),
          row.passRate.groups === undefined ? '' : String(row.passRate.groups),
          `${row.passed}/${row.scored}`,
          share(row.passRate),
          scoreText(row.meanScore),
          costPerPass(row.costPerPass),
        ]),
      ),
      '',
      ...notes.flatMap((note) => [`- ${code(note, 400)}`]),
      ...(rest > 0 ? [`- and ${rest} more rows; report.json has all`] : []),
    ]
  })
}

/** Formats a mean score with its interval. */
export function scoreText({ value, interval }: ReportMetric): string {
  if (value === null) return '–'
  if (interval === undefined || interval.high === null) return value.toFixed(2)
  return `${value.toFixed(2)} (${interval.low.toFixed(2)}–${interval.high.toFixed(2)})`
}
