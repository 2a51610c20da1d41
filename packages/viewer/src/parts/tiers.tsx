/** Shows figures, differences and charts of tiers, if the subjects are tiers of one experiment. */
import { acrossTiers, letterText } from 'assay/view-data'
import { useMemo } from 'preact/hooks'
import type { ViewCell, ViewReport, ViewSubject } from '../data/source.ts'
import { comparedAs, costPerPass, dollars, NONE, percent, signed } from '../figures.ts'
import { distributionData, drawDistribution } from '../pictures/distribution.ts'
import { heatData, heatNote, heatRows, type HeatRow } from '../pictures/heat-rows.ts'
import { drawHeat } from '../pictures/heat.ts'
import { Picture } from '../pictures/picture.tsx'
import { shownTiers, type ShownTiers, type TierGroup, type TierMetric } from '../pictures/tiers.ts'
import { drawUplift, upliftData } from '../pictures/uplift.ts'
import { Name } from '../text/shown.tsx'
import { visible } from '../text/visible.ts'
import { PlainTable } from './plain-table.tsx'

interface TiersProps {
  readonly report: ViewReport
  readonly suite: string
  readonly rows: readonly ViewSubject[]
  readonly cells: readonly ViewCell[]
}

export function Tiers({ report, suite, rows, cells }: TiersProps) {
  const groups = report.tiers.filter((one) => one.suite === suite)
  if (groups.length === 0) return null
  return (
    <section aria-labelledby="tiers">
      <h2 id="tiers">Tiers</h2>
      {groups.map((group) => (
        <Group
          key={group.order.join('\u0000')}
          group={group}
          rows={rows}
          cells={cells}
          implemented={report.provenance.scoring.impl === 'score' ? 'score' : 'judged'}
        />
      ))}
    </section>
  )
}

interface GroupProps {
  readonly group: TierGroup
  readonly rows: readonly ViewSubject[]
  readonly cells: readonly ViewCell[]
  /** The source of the implementation rate: the score of the trial or the score of the judges. */
  readonly implemented: 'score' | 'judged'
}

function Group({ group, rows, cells, implemented }: GroupProps) {
  const tiers = useMemo(() => shownTiers(group, rows), [group, rows])
  const heat = useMemo(() => heatRows(tiers, cells), [tiers, cells])
  const several = group.order.length > 1
  const metrics = several ? told(group.metrics ?? []) : []
  return (
    <>
      <Medians group={group} rows={rows} implemented={implemented} />
      {metrics.length > 0 && <Differences group={group} metrics={metrics} />}
      <ul class="muted small">
        {acrossTiers(group, (subject) => costOfTier(rows, subject)).map((line) => (
          <li>
            <Name text={line} most={600} />
          </li>
        ))}
      </ul>
      {(group.notes ?? []).map((note) => (
        <p class="muted small">
          <Name text={note} most={600} />
        </p>
      ))}
      <Letters tiers={tiers} />
      <div class="pictures">
        {metrics.map((metric) => (
          <Uplift key={metric.metric} tiers={tiers} metric={metric} />
        ))}
        {group.distribution != null && <Distribution tiers={tiers} of={group.distribution.of} />}
        {several && heat.length > 0 && <Heat tiers={tiers} rows={heat} />}
      </div>
    </>
  )
}

/** Lists the names for which the letters in the charts stand. Shows nothing if there are no letters. */
function Letters({ tiers: { subjects } }: { readonly tiers: ShownTiers }) {
  const lettered = subjects.filter(({ subject, label }) => label !== visible(subject))
  if (lettered.length === 0) return null
  return (
    <ul class="letters" aria-label="Letters in the pictures">
      {lettered.map(({ subject, label, color }) => (
        <li>
          <i class="swatch" style={{ background: color }} aria-hidden="true" /> <b>{label}</b>{' '}
          <Name text={subject} />
        </li>
      ))}
    </ul>
  )
}

const costOfTier = (rows: readonly ViewSubject[], subject: string): number | null =>
  rows.find((one) => one.subject === subject)?.statistics?.cost_usd?.median ?? null

/** Selects the metrics to show: the pass rate, and the composite score or, if there is none, the mean score. */
const told = (metrics: readonly TierMetric[]): readonly TierMetric[] => {
  const last = metrics.some(({ metric }) => metric === 'composite') ? 'composite' : 'meanScore'
  return metrics.filter(({ metric }) => metric === 'passRate' || metric === last)
}

const TITLES: Readonly<Record<TierMetric['metric'], string>> = {
  passRate: 'pass rate',
  meanScore: 'mean score',
  composite: 'composite',
}

function Uplift({ tiers, metric }: { readonly tiers: ShownTiers; readonly metric: TierMetric }) {
  return (
    <Picture
      title={`Uplift in ${TITLES[metric.metric]}`}
      note={`Dot: difference to the baseline, ${comparedAs([metric])}. Thick: 95 % interval for these cases. Thin: for cases like these.`}
      draw={useMemo(() => drawUplift(tiers, metric), [tiers, metric])}
      data={() => upliftData(tiers, metric)}
    />
  )
}

function Distribution({
  tiers,
  of,
}: {
  readonly tiers: ShownTiers
  readonly of: 'score' | 'composite'
}) {
  return (
    <Picture
      title={of === 'score' ? 'Scores of trials' : 'Composites of trials'}
      note="How the trials of each tier spread, from 0 to 1."
      draw={useMemo(() => drawDistribution(tiers), [tiers])}
      data={() => distributionData(tiers)}
    />
  )
}

function Heat({ tiers, rows }: { readonly tiers: ShownTiers; readonly rows: readonly HeatRow[] }) {
  return (
    <Picture
      title="Cases by tier"
      note={heatNote(rows)}
      draw={useMemo(() => drawHeat(tiers, rows), [tiers, rows])}
      data={() => heatData(tiers, rows)}
    />
  )
}

// ── Tables ───────────────────────────────────────────────────────────────────────────────────────────

/** Shows the figures that the metrics-formulas specification defines. They are based on medians. */
function Medians({ group, rows, implemented }: Omit<GroupProps, 'cells'>) {
  return (
    <>
      <p class="muted">
        Uplift is over <Name text={group.baseline} />, from median composites.
      </p>
      <PlainTable
        label="Tiers"
        titles={['tier', 'passed', implemented, 'composite', 'grade', 'uplift', 'relative', 'cost']}
        rows={group.order.map((subject, i) => {
          const row = rows.find((one) => one.subject === subject)
          const blocks = row?.statistics
          return [
            subject,
            shareOf(blocks?.pass_rate.mean),
            shareOf(blocks?.impl_rate?.median),
            blocks?.composite?.median?.toFixed(3) ?? NONE,
            letterText(row?.grade ?? null),
            changeOf(group.uplift_abs[i], 3),
            percentChangeOf(group.tier_uplift[i]),
            blocks?.cost_usd?.median == null ? NONE : dollars(blocks.cost_usd.median),
          ]
        })}
      />
    </>
  )
}

/**
 * Shows figures that take uncertainty into account: means, differences paired by case, tests adjusted for their
 * number, and effect sizes.
 */
function Differences({
  group,
  metrics,
}: {
  readonly group: TierGroup
  readonly metrics: readonly TierMetric[]
}) {
  return (
    <>
      <p class="muted">
        Differences are {comparedAs(metrics)}, with 95 % intervals. p: that of the interval for
        cases like these. Decided: with all tiers counted, by simultaneous intervals. Any difference
        at all: an exact test, adjusted for all pairs (Holm). Effect: Cliff’s delta.
      </p>
      <PlainTable
        label="Differences between tiers"
        titles={[
          'tier',
          'metric',
          'mean',
          'these cases',
          'cases like these',
          'p',
          'decided, all tiers counted',
          'any difference at all: p',
          'effect',
          '$/pass',
        ]}
        rows={metrics.flatMap((metric) =>
          group.order.map((subject, i) => {
            const difference = metric.differences[i] ?? null
            const pair = metric.pairs.find(
              ({ a, b }) =>
                subject !== group.baseline &&
                [a, b].includes(subject) &&
                [a, b].includes(group.baseline),
            )
            return [
              subject,
              TITLES[metric.metric],
              metric.means[i]?.population.value?.toFixed(3) ?? NONE,
              difference === null ? '' : change(difference.fixed),
              difference === null ? '' : change(difference.population),
              pOf(difference),
              difference === null ? '' : togetherText(difference.together),
              pair?.adjusted == null ? '' : pText(pair.adjusted),
              difference?.effect == null ? '' : changeOf(difference.effect.delta, 2),
              metric.metric === 'passRate' ? costOf(group, i) : '',
            ]
          }),
        )}
      />
    </>
  )
}

const shareOf = (value: number | null | undefined): string =>
  value === null || value === undefined ? NONE : percent(value)

const costOf = (group: TierGroup, i: number): string => {
  const cost = group.cost_of_pass?.[i]?.population
  return cost === undefined ? NONE : costPerPass(cost)
}

function change({ value, interval }: Exclude<TierMetric['differences'][number], null>['fixed']) {
  const at = (x: number): string => changeOf(x, 3)
  if (value === null) return NONE
  return interval === undefined
    ? at(value)
    : `${at(value)} (${at(interval.low)} to ${at(interval.high ?? 1)})`
}

type Difference = Exclude<TierMetric['differences'][number], null>

/**
 * Returns the p-value of the difference for cases like these. If there is none, returns the p-value for exactly
 * these cases.
 */
function pOf(difference: Difference | null): string {
  const p = difference?.population.p ?? difference?.fixed.p
  return p === undefined ? '' : pText(p)
}

/** Returns the decision that takes all tiers into account, and the simultaneous interval from which it follows. */
function togetherText(together: Difference['together']): string {
  if (together == null) return NONE
  return `${together.decision} (${changeOf(together.low, 3)} to ${changeOf(together.high, 3)})`
}

const pText = (p: number): string => (p < 0.001 ? '< 0.001' : p.toFixed(3))

const percentChangeOf = (value: number | null | undefined): string =>
  value === null || value === undefined ? NONE : `${signed(value * 100, 1, 'signed')}%`

const changeOf = (value: number | null | undefined, digits: number): string =>
  value === null || value === undefined ? NONE : signed(value, digits, 'signed')
