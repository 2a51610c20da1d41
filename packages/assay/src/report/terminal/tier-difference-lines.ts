/**
 * The statistically sound counterparts of the tier table: the gain of each tier over the baseline on the same
 * cases, with an interval, a p-value adjusted for the number of pairs, and an effect size; and the cost of a
 * pass.
 */
import type { Colors } from 'picocolors/types.js'
import { plain } from '@assay/contract'
import { counted, dollars, percent, signed, table, wrap, type Column } from '../../text/index.ts'
import type { ReportMetric, ReportTiers, TierMetric } from '../schema/report.ts'

const TITLES: Readonly<Record<TierMetric['metric'], string>> = {
  passRate: 'pass rate',
  meanScore: 'mean score',
  composite: 'mean composite',
}

export function tierDifferenceLines(tiers: ReportTiers, width: number, colors: Colors): string[] {
  const { metrics = [], notes = [] } = tiers
  // Composites, if there are any, are shown instead of scores: they include the score or say more.
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
 * The target of the intervals: the population of cases like these. With a single case, which says nothing
 * about other cases, it is the fixed set.
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
  const columns: Column[] = [
    { title: TITLES[metric.metric], align: 'left' },
    { title: 'mean', align: 'right' },
    { title: 'over the baseline', align: 'right' },
    { title: 'p', align: 'right' },
    { title: 'effect', align: 'right' },
    ...(costs ? [{ title: '$/pass', align: 'right' } as const] : []),
  ]
  const rows = tiers.order.map((subject, i) => {
    const mean = metric.means[i]?.[target].value ?? null
    const difference = metric.differences[i] ?? null
    const pair = metric.pairs.find(
      ({ a, b }) =>
        (a === tiers.baseline && b === subject) || (b === tiers.baseline && a === subject),
    )
    return [
      plain(subject),
      mean === null ? '–' : isRate ? percent(mean) : mean.toFixed(3),
      difference === null ? '' : changeText(difference[target], isRate),
      difference === null ? '' : pText(pair?.adjusted ?? null),
      difference?.effect == null ? '' : signed(difference.effect.delta, 2),
      ...(costs ? [costText(tiers.cost_of_pass?.[i]?.[target])] : []),
    ]
  })
  const [head, ...body] = table(columns, rows, width)
  return ['', colors.dim(head ?? ''), ...body]
}

function legend(metrics: readonly TierMetric[], width: number, colors: Colors): string[] {
  const [first] = metrics
  const whose =
    first === undefined || targetOf(first) === 'population' ? 'cases like these' : 'these cases'
  const tests = metrics.flatMap(({ metric, omnibus }) =>
    omnibus === null ? [] : [`${TITLES[metric]} p ${pText(omnibus.p)}`],
  )
  const said = [
    `Differences are paired by case, with 95 % intervals for ${whose}; rates in points`,
    'p: after Holm over all pairs; effect: Cliff’s delta',
    ...(tests.length === 0 ? [] : [`do the tiers differ at all? ${tests.join(', ')}`]),
  ]
  return wrap(said.join('; '), width).map((line) => colors.dim(line))
}

/** Says which tiers are worth their price. */
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
  // A case that no tier solved costs each tier something, but has no cheapest tier.
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

const pText = (p: number | null): string => (p === null ? '–' : p < 0.001 ? '<0.001' : p.toFixed(3))

function costText(metric: ReportMetric | undefined): string {
  if (metric === undefined) return '–'
  const { value, infinite, interval } = metric
  if (infinite === true) return interval === undefined ? '∞' : `∞ (above ${dollars(interval.low)})`
  if (value === null) return '–'
  if (interval === undefined) return dollars(value)
  const high = interval.high === null ? '∞' : dollars(interval.high).slice(1)
  return `${dollars(value)} (${dollars(interval.low).slice(1)}–${high})`
}
