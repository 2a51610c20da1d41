/**
 * Compares the tiers of an experiment. The report has the figures of the metrics-formulas specification, which are
 * based on medians, and next to each of them a statistically sound figure. If a figure is less certain than it looks, a
 * note says so.
 */
import { costOfPass, crossTier, populationVariance, type TierSummary } from '@assay/metrics'
import type { Plan, Tally } from '../../log/index.ts'
import { groupNames } from './groups/case-groups.ts'
import { columnSums, eachScored } from './cell-figures.ts'
import { compositeAt, compositeSums, type TierScoring } from './composite.ts'
import { counted, dollars } from '../../text/index.ts'
import type { ReportTiers, TierMetric } from '../schema/report.ts'
import { overlapOf } from './independent/overlap.ts'
import type { SubjectFigures } from './subject-report.ts'
import { tierCosts, worthTheirPrice } from './tier-costs.ts'
import { tierSensitivity } from '../words/tier-sensitivity.ts'
import { tierMetric, type TierValues } from './tier-metrics.ts'

/** The subjects that are tiers of one experiment, in order, and the baseline with which they are compared. */
export interface TierOrder {
  readonly order: readonly string[]
  readonly baseline: string
}

export interface TierInput {
  readonly tally: Tally
  readonly scoring: TierScoring
  readonly seed: number
  /** Returns a subject's figures on a suite. */
  readonly rowOf: (suite: string, subject: string) => SubjectFigures | undefined
}

/** The figures of a tier with at least one scored trial. */
interface Tier extends SubjectFigures {
  readonly tier: TierSummary
}

/** Returns one entry for each suite in which the baseline has a scored trial. */
export const tierReports = (plan: Plan, order: TierOrder, input: TierInput): ReportTiers[] =>
  plan.suites.flatMap(({ id }) => tierReport(id, order, input))

function tierReport(
  suite: string,
  { order, baseline }: TierOrder,
  input: TierInput,
): ReportTiers[] {
  const tiers = order.flatMap((subject): Tier[] => {
    const row = input.rowOf(suite, subject)
    return row === undefined || row.tier === null ? [] : [{ ...row, tier: row.tier }]
  })
  const from = tiers.findIndex(({ report }) => report.subject === baseline)
  if (from === -1) return []
  const across = crossTier(
    tiers.map(({ tier }) => tier),
    from,
  )
  const medians = tiers.map(({ tier }) => tier.pooled.composite?.median ?? null)
  const composites = medians.filter((one) => one !== null)
  const costs = tiers.map(({ report, figures }) => ({
    subject: report.subject,
    figures,
    perPass: report.cost.perPass,
  }))
  const metrics = metricsOf(tiers, from, input)
  return [
    {
      suite,
      baseline,
      order: tiers.map(({ report }) => report.subject),
      tier_uplift: [...across.uplift],
      uplift_abs: [...across.upliftAbs],
      pass_rate_variance: across.passRateVariance,
      composite_variance:
        composites.length === tiers.length ? populationVariance(composites) : null,
      cost_variance: across.costVariance,
      cost_delta: across.costDelta,
      sensitivity: tierSensitivity(metrics),
      frontier_cop: cheapest(tiers),
      metrics,
      cost_of_pass: tierCosts(input.tally, costs),
      ...worthTheirPrice(input.tally, costs, input.seed),
      distribution: distribution(tiers, input),
      notes: [...notesOf(tiers, from, order, input.scoring), ...countingCases(metrics, tiers)],
    },
  ]
}

/**
 * Returns the tier with the lowest cost of a pass. As in metrics-formulas, that cost is the mean cost divided by the
 * pass rate.
 */
function cheapest(tiers: readonly Tier[]): ReportTiers['frontier_cop'] {
  const known = tiers.flatMap(({ report, tier }) => {
    const { costUsd, passRate } = tier.pooled
    if (costUsd === null) return []
    return [{ tier: report.subject, cost_of_pass: costOfPass(costUsd.mean, passRate.mean) }]
  })
  const least = known.reduce((low, one) => Math.min(low, one.cost_of_pass), Infinity)
  // If the price of a tier is unknown, that tier might be the cheapest. So no tier is reported as the cheapest.
  if (known.length < tiers.length || least === Infinity) return { cost_of_pass: null, tier: null }
  return known.find((one) => one.cost_of_pass === least) ?? { cost_of_pass: null, tier: null }
}

// ── Metrics ──────────────────────────────────────────────────────────────────────────────────────────

function metricsOf(tiers: readonly Tier[], from: number, input: TierInput): TierMetric[] {
  const { tally, scoring } = input
  const values = (
    cases: (tier: Tier) => TierValues['cases'],
    value: (ordinal: number) => number,
  ): TierValues[] =>
    tiers.map((tier) => ({
      subject: tier.report.subject,
      cases: cases(tier),
      groups: groupNames(tier.figures.map(({ cell }) => cell.case)),
      trialsOf: (place) => {
        const list: number[] = []
        const one = tier.figures[place]
        if (one !== undefined) eachScored(tally, one.cell, (i) => list.push(value(i)))
        return list.filter((known) => !Number.isNaN(known))
      },
    }))
  const passes = values(
    ({ figures }) => figures.map(({ n, c }) => ({ n, sum: c, sumSq: c })),
    (i) => (tally.outcomeAt(i) === 'passed' ? 1 : 0),
  )
  const metrics = [tierMetric('passRate', passes, from)]
  if (areScored(tiers))
    metrics.push(
      tierMetric(
        'meanScore',
        values(
          ({ figures }) => figures.map(({ cell }) => columnSums(tally, cell, tally.score)),
          (i) => tally.score.at(i),
        ),
        from,
      ),
    )
  if (tiers.every(({ tier }) => tier.pooled.composite !== null))
    metrics.push(
      tierMetric(
        'composite',
        values(
          ({ figures }) => figures.map(({ cell }) => compositeSums(tally, cell, scoring)),
          (i) => compositeAt(tally, i, scoring) ?? Number.NaN,
        ),
        from,
      ),
    )
  return metrics
}

/**
 * Whether scores say more than verdicts: every scored trial has a score, and in at least one case the scores differ
 * from the verdicts (1 for a pass, 0 for a failure).
 */
function areScored(tiers: readonly Tier[]): boolean {
  const all = tiers.flatMap(({ figures }) => figures)
  return (
    all.every(({ n, score }) => score.n === n) &&
    all.some(({ c, score }) => Math.abs(score.sum - c) > 1e-9)
  )
}

const STEPS = 20

/** Returns a histogram for each tier: of composites if every tier has them, otherwise of scores. */
function distribution(
  tiers: readonly Tier[],
  { tally, scoring }: TierInput,
): ReportTiers['distribution'] {
  const composite = tiers.every(({ tier }) => tier.pooled.composite !== null)
  let isKnown = true
  const counts = tiers.map(({ figures }) => {
    const steps = Array.from({ length: STEPS }, () => 0)
    for (const { cell } of figures)
      eachScored(tally, cell, (i) => {
        const value = composite ? compositeAt(tally, i, scoring) : tally.score.at(i)
        if (value === null || Number.isNaN(value)) {
          if (!composite || scoring.isSetAside?.(i) !== true) isKnown = false
          return
        }
        // A small number is added because of rounding errors: 0.35 · 20 gives 6.999… instead of 7, which would be the
        // wrong step.
        const step = Math.min(STEPS - 1, Math.floor(value * STEPS + 1e-9))
        steps[step] = (steps[step] as number) + 1
      })
    return steps
  })
  return isKnown ? { of: composite ? 'composite' : 'score', counts } : null
}

// ── Notes ────────────────────────────────────────────────────────────────────────────────────────────

function notesOf(
  tiers: readonly Tier[],
  from: number,
  order: readonly string[],
  { impl }: TierScoring,
): string[] {
  const names = (list: readonly Tier[]): string =>
    list.map(({ report }) => report.subject).join(', ')
  const notes: string[] = []
  const baseline = tiers[from] as Tier
  const gone = order.filter((subject) => !tiers.some(({ report }) => report.subject === subject))
  if (gone.length > 0) notes.push(`nothing of ${gone.join(', ')} was scored: left out`)
  notes.push(...otherCases(tiers, from))
  const unjudged = tiers.filter(({ tier }) => tier.pooled.composite === null)
  if (unjudged.length > 0)
    notes.push(
      `no composite, grade or uplift from it: ${names(unjudged)} with trials ${impl === 'score' ? 'without a score' : 'that no judge rated'}`,
    )
  else if (tiers.length > 1 && baseline.tier.pooled.composite?.median === 0)
    notes.push(
      `no relative uplift: the median composite of ${baseline.report.subject} is 0, and no percentage leads away from it`,
    )
  const mixed = tiers.filter(
    ({ tier }) => tier.pooled.passRate.mean > 0 && tier.pooled.passRate.mean < 1,
  )
  if (mixed.length > 0)
    notes.push(
      'a median of passes and failures is only 0, 0.5 or 1: the variance of median pass rates hides what the pass rates show',
    )
  for (const { report } of tiers) {
    const { infinite, interval } = report.cost.perPass
    if (infinite !== true) continue
    const least = interval === undefined ? '' : `, probably above ${dollars(interval.low)}`
    notes.push(`${report.subject} never passed: its cost of a pass is infinite${least}`)
  }
  if (tiers.some(({ report }) => report.cost.unknown > 0))
    notes.push('some prices are unknown: no cost figures across tiers')
  if (baseline.figures.filter(({ n }) => n > 0).length === 1)
    notes.push(
      'one case says nothing about others: intervals are for this case tried again, and tests compare its trials',
    )
  return notes
}

/** Says how many cases the test of whether the tiers differ is based on. No note if all cases count. */
function countingCases(metrics: readonly TierMetric[], tiers: readonly Tier[]): string[] {
  const all = tiers[0]?.figures.length ?? 0
  const said = metrics.flatMap(({ metric, omnibus }) => {
    const { shared = all, informative = all } = omnibus ?? {}
    if (omnibus === null || informative === all) return []
    const alone = all - shared
    return [
      {
        metric,
        text: `${informative} of ${counted(all, 'case')} count${alone === 0 ? '' : `; ${alone === 1 ? '1 was' : `${alone} were`} scored on fewer than two tiers`}${shared === informative ? '' : `; on ${shared - informative} all values are the same`}`,
      },
    ]
  })
  const byText = Map.groupBy(said, ({ text }) => text)
  return [...byText].map(
    ([text, of]) =>
      `do the tiers differ (${of.map(({ metric }) => METRIC_WORDS[metric]).join(', ')}): ${text}`,
  )
}

const METRIC_WORDS: Readonly<Record<TierMetric['metric'], string>> = {
  passRate: 'pass rate',
  meanScore: 'mean score',
  composite: 'composite',
}

/**
 * Returns notes if tiers were scored on different cases. They say what is compared with what, because each tier's own
 * figures cover only the cases on which it was scored.
 */
function otherCases(tiers: readonly Tier[], from: number): string[] {
  const scored = tiers.map(({ figures }) => figures.map(({ n }) => n > 0))
  if (new Set(scored.map((places) => places.join())).size < 2) return []
  const baseline = tiers[from] as Tier
  const each = tiers.flatMap(({ report }, i) => {
    if (i === from) return []
    const { as, shared, onlyA, onlyB } = overlapOf(
      scored[from] as readonly boolean[],
      scored[i] as readonly boolean[],
    )
    const pair = `${report.subject} with ${baseline.report.subject}`
    const others = `${onlyA} only of ${baseline.report.subject}, ${onlyB} only of ${report.subject}`
    return [
      as === 'paired'
        ? `${pair} is compared over the ${counted(shared, 'case')} that both have (left out: ${others})`
        : `${pair} is compared as independent groups, as ${shared === 0 ? 'they share no case' : `most cases are not shared (${shared} shared`}${shared === 0 ? ` (${others})` : `, ${others})`}`,
    ]
  })
  return [
    ...each,
    'not all tiers have the same cases: medians, means, uplift and $/pass of each tier are over its own cases',
  ]
}
