/** Prints tiers next to each other: the gain of each over the baseline, and how much they differ. */
import type { Colors } from 'picocolors/types.js'
import { plain } from '@assay/contract'
import { dollars, percent, signed, table, wrap } from '../../text/index.ts'
import type { Report } from '../schema/report.ts'
import { tierDifferenceLines } from './tier-difference-lines.ts'

/** Returns no lines if the suite's subjects are not tiers. */
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
      row?.grade?.letter ?? '–',
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
  const across = [
    `passed is the mean over cases; ${report.provenance.scoring.impl === 'score' ? 'score' : 'judged'}, composite and cost are medians over trials; uplift is over ${plain(tiers.baseline)}`,
    ...(tiers.composite_variance == null
      ? []
      : [`variance of median composites ${number(tiers.composite_variance)}`]),
    ...(tiers.pass_rate_variance === null
      ? []
      : [
          `${tiers.composite_variance == null ? 'variance ' : ''}of median pass rates ${number(tiers.pass_rate_variance)}`,
        ]),
    ...(tiers.cost_variance === null ? [] : [`of median costs ${number(tiers.cost_variance)} $²`]),
    ...(tiers.cost_delta === null ? [] : [`dearest less cheapest ${dollars(tiers.cost_delta)}`]),
  ]
  return [
    '',
    colors.dim(head ?? ''),
    ...body,
    ...wrap(tiers.order.length === 1 ? '' : across.join('; '), width).map((line) =>
      colors.dim(line),
    ),
    ...tierDifferenceLines(tiers, width, colors),
  ]
}

const rate = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : percent(value)

/** Three significant digits, with a real minus sign, also in an exponent. */
const number = (value: number): string => String(Number(value.toPrecision(3))).replaceAll('-', '−')
