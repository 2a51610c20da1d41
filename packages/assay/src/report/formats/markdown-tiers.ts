/**
 * Tiers in a pull-request comment: the gain of each over the baseline, with the figures of the
 * metrics-formulas document next to the statistically sound ones.
 */
import { costPerPass, share, signed, code, markdownTable } from '../../text/index.ts'
import type { Report, ReportTiers } from '../schema/report.ts'

const MOST_TIERS = 20

export function tiersSection(report: Report): string[] {
  return report.tiers.flatMap((tiers, i) => [...(i === 0 ? [] : ['']), ...section(report, tiers)])
}

function section({ subjects }: Report, tiers: ReportTiers): string[] {
  const metric = tiers.metrics?.[0]
  const rows = tiers.order.slice(0, MOST_TIERS).map((subject, i) => {
    const row = subjects.find((one) => one.suite === tiers.suite && one.subject === subject)
    const change = metric?.differences[i]?.population
    const pair = metric?.pairs.find(
      ({ a, b }) => [a, b].includes(subject) && [a, b].includes(tiers.baseline) && a !== b,
    )
    const relative = tiers.tier_uplift[i] ?? null
    const absolute = tiers.uplift_abs[i] ?? null
    return [
      code(subject, 60),
      row === undefined ? '–' : share(row.passRate),
      change === undefined ? '' : points(change),
      subject === tiers.baseline || pair?.adjusted == null ? '' : pText(pair.adjusted),
      row?.spec.statistics?.composite?.median?.toFixed(3) ?? '–',
      row?.grade?.letter ?? '–',
      absolute === null ? '–' : signed(absolute, 3, 'signed'),
      relative === null ? '–' : `${signed(relative * 100, 1, 'signed')}%`,
      row === undefined ? '–' : costPerPass(row.cost.perPass),
    ]
  })
  const right = true
  return [
    `### Tiers on ${code(tiers.suite, 60)}, against ${code(tiers.baseline, 60)}`,
    '',
    ...markdownTable(
      [
        { title: 'tier' },
        { title: 'pass rate', right },
        { title: 'difference in points', right },
        { title: 'p (Holm)', right },
        { title: 'median composite', right },
        { title: 'grade', right },
        { title: 'uplift', right },
        { title: 'relative', right },
        { title: '$/pass', right },
      ],
      rows,
    ),
    ...(tiers.notes ?? []).slice(0, 8).flatMap((note) => ['', code(note, 300)]),
  ]
}

type Change = Exclude<
  Exclude<ReportTiers['metrics'], undefined>[number]['differences'][number],
  null
>['population']

function points({ value, interval }: Change): string {
  if (value === null) return '–'
  const at = (x: number): string => signed(100 * x, 0, 'signed')
  if (interval === undefined) return at(value)
  return `${at(value)} (${at(interval.low)} to ${at(interval.high ?? 1)})`
}

const pText = (p: number): string => (p < 0.001 ? '<0.001' : p.toFixed(3))
