/**
 * Formats tiers for a pull-request comment: the gain of each tier over the baseline. The figures of the
 * metrics-formulas specification are next to the statistically sound ones.
 */
import { costPerPass, share, signed, code, markdownTable, prose } from '../../../text/index.ts'
import { letterText } from '../../words/grade-words.ts'
import { comparedAs } from '../../view-data/compared-as.ts'
import { acrossTiers } from '../../words/tier-words.ts'
import type { Report, ReportTiers } from '../../schema/report.ts'

const MOST_TIERS = 20

export function tiersSection(report: Report): string[] {
  return report.tiers.flatMap((tiers, i) => [...(i === 0 ? [] : ['']), ...section(report, tiers)])
}

function section({ subjects }: Report, tiers: ReportTiers): string[] {
  const metric = tiers.metrics?.[0]
  const rows = tiers.order.slice(0, MOST_TIERS).map((subject, i) => {
    const row = subjects.find((one) => one.suite === tiers.suite && one.subject === subject)
    const difference = metric?.differences[i] ?? null
    const change = difference?.population
    const pair = metric?.pairs.find(
      ({ a, b }) => [a, b].includes(subject) && [a, b].includes(tiers.baseline) && a !== b,
    )
    const relative = tiers.tier_uplift[i] ?? null
    const absolute = tiers.uplift_abs[i] ?? null
    return [
      code(subject, 60),
      row === undefined ? '–' : share(row.passRate),
      change === undefined ? '' : points(change),
      difference === null ? '' : points(difference.fixed),
      change?.p === undefined ? '' : pText(change.p),
      difference === null ? '' : togetherText(difference.together),
      subject === tiers.baseline || pair?.adjusted == null ? '' : pText(pair.adjusted),
      row?.spec.statistics?.composite?.median?.toFixed(3) ?? '–',
      prose(letterText(row?.grade ?? null)),
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
        { title: 'exactly these cases', right },
        { title: 'p', right },
        { title: 'decided, all tiers counted', right },
        { title: 'any difference at all: p (Holm)', right },
        { title: 'median composite', right },
        { title: 'grade', right },
        { title: 'uplift', right },
        { title: 'relative', right },
        { title: '$/pass', right },
      ],
      rows,
    ),
    '',
    `<sub>Differences are ${comparedAs(metric === undefined ? [] : [metric])}, with 95 % intervals for cases like these; p is that of the interval. The interval for exactly these cases is narrower, as it leaves out how cases differ. Decided: by simultaneous 95 % intervals of all tiers.</sub>`,
    ...list(acrossTiers(tiers, (subject) => costOf(subjects, tiers.suite, subject))),
    ...(tiers.notes ?? []).slice(0, 8).flatMap((note) => ['', code(note, 300)]),
  ]
}

const list = (lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', ...lines.map((line) => `- ${prose(line)}`)]

function costOf(subjects: Report['subjects'], suite: string, subject: string): number | null {
  const row = subjects.find((one) => one.suite === suite && one.subject === subject)
  return row?.spec.statistics?.cost_usd?.median ?? null
}

type Difference = Exclude<
  Exclude<ReportTiers['metrics'], undefined>[number]['differences'][number],
  null
>
type Change = Difference['population']

/** Formats the decision that takes all tiers into account, and the interval on which it is based. */
function togetherText(together: Difference['together']): string {
  if (together == null) return '–'
  const at = (x: number): string => signed(100 * x, 0, 'signed')
  return `${together.decision} (${at(together.low)} to ${at(together.high)})`
}

function points({ value, interval }: Change): string {
  if (value === null) return '–'
  const at = (x: number): string => signed(100 * x, 0, 'signed')
  if (interval === undefined) return at(value)
  return `${at(value)} (${at(interval.low)} to ${at(interval.high ?? 1)})`
}

const pText = (p: number): string => (p < 0.001 ? '< 0.001' : p.toFixed(3))
