/**
 * Prints the statistically sound counterparts of the tier table: the gain of each tier over the baseline on the same
 * cases, with an interval, a p-value adjusted for the number of pairs, and an effect size. It also prints the cost of a
 * pass.
 */
import type { Colors } from 'picocolors/types.js'
import { plain } from '@assay/contract'
import {
  counted,
  displayWidth,
  dollars,
  percent,
  signed,
  table,
  wrap,
  type Column,
} from '../../text/index.ts'
import { comparedAs } from '../view-data/compared-as.ts'
import type { ReportMetric, ReportTiers, TierMetric } from '../schema/report.ts'

const TITLES: Readonly<Record<TierMetric['metric'], string>> = {
  passRate: 'pass rate',
  meanScore: 'mean score',
  composite: 'mean composite',
}

export function tierDifferenceLines(tiers: ReportTiers, width: number, colors: Colors): string[] {
  const { metrics = [], notes = [] } = tiers
  // A composite combines the verdict with the implementation rate, so it says more than the score. If there are
  // composites, they are shown instead of scores.
  const last = metrics.some(({ metric }) => metric === 'composite') ? 'composite' : 'meanScore'
  const shown = metrics.filter(
    ({ metric, means }) => means.length > 1 && (metric === 'passRate' || metric === last),
  )
  const lines = shown.flatMap((metric) => metricLines(tiers, metric, width, colors))
  return [
    ...lines,
    ...(shown.length === 0 ? [] : legend(shown, width, colors)),
    ...frontierLines(tiers, width, colors),
    ...notes.flatMap((note) => wrap(plain(note), width)).map((line) => colors.dim(line)),
  ]
}

/**
 * Returns which intervals are shown. Normally these are the intervals for cases like these (the population). A single
 * case says nothing about other cases, so then the interval for exactly this case (the fixed set) is shown.
 */
const targetOf = ({ differences }: TierMetric): 'population' | 'fixed' =>
  differences.some((one) => one?.population.interval !== undefined) ? 'population' : 'fixed'

function metricLines(
  tiers: ReportTiers,
  metric: TierMetric,
  width: number,
  colors: Colors,
): string[] {
  const target = targetOf(metric)
  const isRate = metric.metric === 'passRate'
  const costs = isRate && tiers.cost_of_pass?.some(({ population }) => population.n > 0) === true
  const several = tiers.order.length > 2
  const tableWith = (many: boolean): string[] => {
    const columns: Column[] = [
      { title: TITLES[metric.metric], align: 'left' },
      { title: 'mean', align: 'right' },
      { title: 'over the baseline', align: 'right' },
      { title: 'p', align: 'right' },
      ...(many ? [{ title: 'decided together', align: 'right' } as const] : []),
      ...(costs ? [{ title: '$/pass', align: 'right' } as const] : []),
    ]
    const rows = tiers.order.map((subject, i) => {
      const mean = metric.means[i]?.[target].value ?? null
      const difference = metric.differences[i] ?? null
      return [
        plain(subject),
        mean === null ? '–' : isRate ? percent(mean) : mean.toFixed(3),
        difference === null ? '' : changeText(difference[target], isRate),
        difference === null ? '' : pText(difference[target].p ?? null),
        ...(many ? [difference === null ? '' : togetherText(difference.together, isRate)] : []),
        ...(costs ? [costText(tiers.cost_of_pass?.[i]?.[target])] : []),
      ]
    })
    return table(columns, rows, width)
  }
  const wide = tableWith(several)
  // In a narrow terminal, the decisions are printed in a line below the table instead of in a column.
  const isNarrow = several && wide.some((line) => displayWidth(line) > width)
  const [head, ...body] = isNarrow ? tableWith(false) : wide
  return [
    '',
    colors.dim(head ?? ''),
    ...body,
    ...wrap(furtherText(tiers, metric, target, isNarrow), width).map((line) => colors.dim(line)),
  ]
}

/** Formats the decision that takes all tiers into account, and the interval on which it is based. */
function togetherText(together: Difference['together'], isRate: boolean): string {
  if (together == null) return '–'
  const write = (x: number): string => (isRate ? signed(100 * x, 0) : signed(x, 2))
  return `${together.decision} (${write(together.low)} to ${write(together.high)})`
}

type Difference = Exclude<TierMetric['differences'][number], null>

/**
 * Formats the figures that have no column: the narrower intervals for exactly these cases, the exact test of whether
 * there is any difference, and the effect size.
 */
function furtherText(
  tiers: ReportTiers,
  metric: TierMetric,
  target: 'population' | 'fixed',
  isNarrow: boolean,
): string {
  const isRate = metric.metric === 'passRate'
  const others = tiers.order.flatMap((subject, i) => {
    const difference = metric.differences[i] ?? null
    return difference === null ? [] : [{ subject, difference }]
  })
  const listed = (text: (one: (typeof others)[number]) => string | null): string =>
    others
      .flatMap((one) => {
        const said = text(one)
        return said === null ? [] : [others.length === 1 ? said : `${plain(one.subject)} ${said}`]
      })
      .join(', ')
  const write = (x: number): string => (isRate ? signed(100 * x, 0) : signed(x, 3))
  const fixed =
    target === 'fixed'
      ? ''
      : listed(
          ({
            difference: {
              fixed: { interval },
            },
          }) =>
            interval === undefined
              ? null
              : `${write(interval.low)} to ${write(interval.high ?? 1)}`,
        )
  const any = listed(({ subject }) => {
    const pair = metric.pairs.find(
      ({ a, b }) => [a, b].includes(subject) && [a, b].includes(tiers.baseline) && a !== b,
    )
    return pair?.adjusted == null ? null : `p ${pText(pair.adjusted)}`
  })
  const effect = listed(({ difference }) =>
    difference.effect === null ? null : signed(difference.effect.delta, 2),
  )
  const together = isNarrow
    ? listed(({ difference }) => togetherText(difference.together, isRate))
    : ''
  return [
    ...(together === '' ? [] : [`decided together: ${together}`]),
    ...(fixed === '' ? [] : [`exactly these cases: ${fixed}`]),
    ...(any === '' ? [] : [`any difference at all: ${any}`]),
    ...(effect === '' ? [] : [`Cliff’s delta: ${effect}`]),
  ].join('; ')
}

function legend(metrics: readonly TierMetric[], width: number, colors: Colors): string[] {
  const [first] = metrics
  const whose =
    first === undefined || targetOf(first) === 'population' ? 'cases like these' : 'these cases'
  const tests = metrics.flatMap(({ metric, omnibus }) =>
    omnibus === null ? [] : [`${TITLES[metric]} p ${pText(omnibus.p)}${countedCases(omnibus)}`],
  )
  const said = [
    `Differences are ${comparedAs(metrics)}, with 95 % intervals for ${whose}; rates in points`,
    'p is that of its interval; the interval for exactly these cases is narrower, as it leaves out how cases differ',
    ...(metrics.some(({ means }) => means.length > 2)
      ? ['decided together: with all tiers counted, by simultaneous 95 % intervals']
      : []),
    'any difference at all: tests of each two tiers, adjusted for all pairs (Holm)',
    ...(tests.length === 0 ? [] : [`do the tiers differ at all? ${tests.join(', ')}`]),
  ]
  return wrap(said.join('; '), width).map((line) => colors.dim(line))
}

/** Says on how many cases the test is based. Empty if it is based on all cases that the tiers share. */
function countedCases({ shared, informative }: Exclude<TierMetric['omnibus'], null>): string {
  if (shared === undefined || informative === undefined || shared === informative) return ''
  return ` (${informative} of ${counted(shared, 'shared case')} can tell)`
}

/** Says which tiers are worth their price, and what the cheapest pass costs. */
function frontierLines(
  { order, pareto, frontier_cop: least, frontier }: ReportTiers,
  width: number,
  colors: Colors,
): string[] {
  if (order.length === 1) return []
  const said: string[] = []
  if (pareto != null) {
    const names = pareto.tiers.map((subject) => {
      const sure = pareto.probability[order.indexOf(subject)]
      return `${plain(subject)}${sure === undefined ? '' : ` (${percent(sure)} sure)`}`
    })
    said.push(`no tier is both cheaper and better than ${names.join(', ')}`)
  }
  // A case is left out if no tier solved it in the trials from which its cheapest tier is chosen. `isPart` is true if
  // cases were left out. The text then says how many cases remain.
  const priced = frontier?.heldOut.value == null ? null : frontier
  const isPart = priced !== null && priced.heldOut.n < priced.cases
  if (least?.cost_of_pass != null && least.tier !== null)
    said.push(
      `cheapest pass ${dollars(least.cost_of_pass)} by ${plain(least.tier)}${isPart ? ', over all its cases' : ''}`,
    )
  if (priced !== null) {
    const of = isPart
      ? `; this is of the ${priced.heldOut.n} of ${counted(priced.cases, 'case')} that any tier solved in that half`
      : ''
    said.push(
      `${costText(priced.heldOut)} if each case went to the tier that half of the trials show as its cheapest${of}`,
    )
  }
  return said.length === 0 ? [] : wrap(said.join('; '), width).map((line) => colors.dim(line))
}

// ── Figures ──────────────────────────────────────────────────────────────────────────────────────────

function changeText({ value, interval }: ReportMetric, isRate: boolean): string {
  if (value === null) return '–'
  const write = (x: number): string => (isRate ? signed(100 * x, 0) : signed(x, 3))
  if (interval === undefined) return write(value)
  return `${write(value)} (${write(interval.low)} to ${write(interval.high ?? 1)})`
}

const pText = (p: number | null): string =>
  p === null ? '–' : p < 0.001 ? '< 0.001' : p.toFixed(3)

function costText(metric: ReportMetric | undefined): string {
  if (metric === undefined) return '–'
  const { value, infinite, interval } = metric
  if (infinite === true) return interval === undefined ? '∞' : `∞ (above ${dollars(interval.low)})`
  if (value === null) return '–'
  if (interval === undefined) return dollars(value)
  const high = interval.high === null ? '∞' : dollars(interval.high).slice(1)
  return `${dollars(value)} (${dollars(interval.low).slice(1)}–${high})`
}
