/** Prints tiers next to each other: the gain of each tier over the baseline, and how much the tiers differ. */
import type { Colors } from 'picocolors/types.js'
import { plain } from '@assay/contract'
import { dollars, percent, signed, table, wrap } from '../../text/index.ts'
import type { Report } from '../schema/report.ts'
import { gradeBasis, letterText } from '../words/grade-words.ts'
import { acrossTiers } from '../words/tier-words.ts'
import { tierDifferenceLines } from './tier-difference-lines.ts'

/** Returns the lines about tiers. No lines if the suite's subjects are not tiers. */
export function tierLines(report: Report, suite: string, width: number, colors: Colors): string[] {
  return report.tiers
    .filter((one) => one.suite === suite)
    .flatMap((tiers) => tierTable(report, tiers, width, colors))
}

function tierTable(
  report: Report,
  tiers: Report['tiers'][number],
  width: number,
  colors: Colors,
): string[] {
  const { suite } = tiers
  const rows = tiers.order.map((subject, i) => {
    const row = report.subjects.find((one) => one.suite === suite && one.subject === subject)
    const blocks = row?.spec.statistics
    const relative = tiers.tier_uplift[i] ?? null
    const points = tiers.uplift_abs[i] ?? null
    return [
      plain(subject),
      rate(row?.passRate.value),
      rate(blocks?.impl_rate?.median),
      blocks?.composite?.median?.toFixed(3) ?? '–',
      letterText(row?.grade ?? null),
      points === null ? '–' : signed(points, 3, 'signed'),
      relative === null ? '–' : `${signed(relative * 100, 1, 'signed')}%`,
      blocks?.cost_usd?.median == null ? '–' : dollars(blocks.cost_usd.median),
    ]
  })
  const [head, ...body] = table(
    [
      { title: 'tier', align: 'left' },
      { title: 'passed', align: 'right' },
      { title: report.provenance.scoring.impl === 'score' ? 'score' : 'judged', align: 'right' },
      { title: 'composite', align: 'right' },
      { title: 'grade', align: 'right' },
      { title: 'uplift', align: 'right' },
      { title: 'relative', align: 'right' },
      { title: 'cost', align: 'right' },
    ],
    rows,
    width,
  )
  const costOf = (subject: string): number | null =>
    report.subjects.find((one) => one.suite === suite && one.subject === subject)?.spec.statistics
      ?.cost_usd?.median ?? null
  const across = [
    `passed is the mean over cases; ${report.provenance.scoring.impl === 'score' ? 'score' : 'judged'}, composite and cost are medians over trials; grade is of the median composite; uplift is over ${plain(tiers.baseline)}`,
    ...acrossTiers(tiers, costOf).map(plain),
  ]
  return [
    '',
    colors.dim(head ?? ''),
    ...body,
    ...(tiers.order.length === 1 ? [''] : across)
      .flatMap((line) => wrap(line, width))
      .map((line) => colors.dim(line)),
    ...gradeLines(report, tiers, width, colors),
    ...tierDifferenceLines(tiers, width, colors),
  ]
}

/** The maximum number of tiers whose grades are explained. `--details` and report.json have all of them. */
const MOST_GRADED = 8

/** Says what each tier's letter grade is based on. */
function gradeLines(
  { subjects, provenance }: Report,
  { suite, order }: Report['tiers'][number],
  width: number,
  colors: Colors,
): string[] {
  return order.slice(0, MOST_GRADED).flatMap((subject) => {
    const row = subjects.find((one) => one.suite === suite && one.subject === subject)
    if (row === undefined) return []
    const basis = gradeBasis({ ...row, statistics: row.spec.statistics }, provenance.scoring)
    const text = `${plain(subject)}: grade ${letterText(row.grade)}, ${basis}`
    return basis === '' ? [] : wrap(text, width).map((line) => colors.dim(line))
  })
}

const rate = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : percent(value)
