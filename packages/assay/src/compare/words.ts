/** Describes measures, figures and verdicts in sentences on which a reader can act without knowing statistics. */
import type { Verdict } from '@assay/metrics'
import { counted, dollars, inGroupsText, moreTrialsText, seconds, signed } from '../text/index.ts'
import { adviceText, conditionText, measuredText } from '../report/index.ts'
import type { GateResult } from './gates.ts'
import { COUNTED, type MetricChange, type NeededMore } from './gate-verdict.ts'
import type { CaseChange } from './match-cases.ts'
import type { MetricName } from './names.ts'
import type { PairComparison } from './comparison-types.ts'
import { regradedText } from './same-answers.ts'

export const titleOf = (metric: MetricName, k: number | null): string =>
  ({
    meanScore: 'mean score',
    passRate: 'pass rate',
    passHatK: `pass^${k ?? 'k'}`,
    costOfPass: 'cost of a pass',
    latency: 'answer time',
  })[metric]

export const VERDICTS: Readonly<Record<Verdict, string>> = {
  regression: 'regression',
  improvement: 'improvement',
  noRegression: 'no regression',
  inconclusive: 'inconclusive',
}

/** The headline of a comparison between a run and its regrade (the same answers, graded again). */
const REGRADED = 'REGRADED'

const HEADLINES: Readonly<Record<Verdict, string>> = {
  regression: 'REGRESSION',
  improvement: 'IMPROVEMENT',
  noRegression: 'NO REGRESSION',
  inconclusive: 'NOT DECIDED',
}

// ── Figures ──────────────────────────────────────────────────────────────────────────────────────────

const isRate = (metric: MetricName): boolean => metric === 'passRate' || metric === 'passHatK'

/** Returns how many extra digits are needed to show that a change and its limit differ. */
function moreDigits(change: number, limit: number, least: number): number {
  const size = Math.abs(change)
  if (Math.abs(size - limit) < 1e-9) return 0
  let more = 0
  while (more < 6 && size.toFixed(least + more) === limit.toFixed(least + more)) more++
  return more
}

const extraDigits = ({ metric, scale, change, margin }: MetricChange): number => {
  if (change === null) return 0
  return scale === 'ratio' || isRate(metric)
    ? moreDigits(change * 100, margin * 100, 1)
    : moreDigits(change, margin, 3)
}

/** Formats the value of a measure with `more` extra digits. */
export function valueText(metric: MetricName, value: number | null, more = 0): string {
  if (value === null) return '–'
  if (more > 0 && metric === 'costOfPass') return `$${precise(value, 2 + more)}`
  if (more > 0 && metric === 'latency') return `${precise(value, 3 + more)} ms`
  if (metric === 'costOfPass') return dollars(value)
  if (metric === 'latency') return seconds(value)
  return isRate(metric) ? `${(value * 100).toFixed(1 + more)}%` : value.toFixed(3 + more)
}

const precise = (value: number, digits: number): string => String(Number(value.toPrecision(digits)))

/**
 * Returns how many extra digits are needed to show that two different values differ. Returns `least` if even 6 more
 * digits are not enough.
 */
function tellingDigits({ metric, baseline, current }: MetricChange, least: number): number {
  if (baseline === null || current === null || Math.abs(current - baseline) < 1e-12) return least
  for (let more = least; more <= least + 6; more++)
    if (valueText(metric, baseline, more) !== valueText(metric, current, more)) return more
  return least
}

/** Returns three texts: the baseline value, the current value and the change of a measure. */
export function changeTexts(change: MetricChange): [string, string, string] {
  const more = tellingDigits(change, change.scale === 'ratio' ? 0 : extraDigits(change))
  return [
    valueText(change.metric, change.baseline, more),
    valueText(change.metric, change.current, more),
    changeText(change, change.change, Math.max(more, extraDigits(change))),
  ]
}

/**
 * Formats the scores and the change of a case. They get enough digits to show that the change differs from the
 * threshold.
 */
export function caseTexts(row: CaseChange, threshold: number): [string, string, string] {
  const digits = 3 + moreDigits(row.delta, threshold, 3)
  return [
    row.baseline_score.toFixed(digits),
    row.current_score.toFixed(digits),
    signed(row.delta, digits),
  ]
}

/** Formats a change in points of the measure, or in percent of the baseline. */
export function changeText(
  { metric, scale }: Pick<MetricChange, 'metric' | 'scale'>,
  change: number | null,
  more = 0,
): string {
  if (change === null) return '–'
  if (scale === 'ratio')
    return change > 10 ? `×${(change + 1).toPrecision(3)}` : `${signed(change * 100, 1 + more)}%`
  return isRate(metric) ? signed(change * 100, 1 + more) : signed(change, 3 + more)
}

export function intervalText(change: MetricChange): string {
  const { interval } = change
  if (interval === null) return '–'
  const high = interval.high === null ? '∞' : changeText(change, interval.high)
  return `${changeText(change, interval.low)} to ${high}`
}

/** Formats the size of a change without its sign: `0.05`, `5 points`, `10%`. */
function sizeText(
  { metric, scale }: Pick<MetricChange, 'metric' | 'scale'>,
  size: number,
  more = 0,
): string {
  const trimmed = (x: number): string => String(Number(x.toFixed(2 + more)))
  if (scale === 'ratio') return `${trimmed(size * 100)}%`
  return isRate(metric) ? `${trimmed(size * 100)} points` : String(Number(size.toFixed(3 + more)))
}

/** Lists the simultaneous intervals of the measures whose verdicts are shown together. Empty if there are none. */
export function togetherText(metrics: readonly MetricChange[]): string {
  const told = metrics.flatMap((change) =>
    change.together === null
      ? []
      : [`${titleOf(change.metric, change.k)} ${simultaneousText(change)}`],
  )
  const of = metrics.find(({ together }) => together !== null)?.together?.comparisons ?? 0
  return told.length === 0
    ? ''
    : `${of} verdicts are decided together, by simultaneous intervals: ${told.join(', ')}.`
}

export function simultaneousText(change: MetricChange): string {
  const { together } = change
  if (together === null) return ''
  const high = together.high === null ? '∞' : changeText(change, together.high)
  return `${changeText(change, together.low)} to ${high}`
}

export const pText = (p: number | null): string => {
  if (p === null) return '–'
  return p < 0.001 ? '< 0.001' : p.toFixed(3)
}

export const percentText = (share: number): string => `${Number((share * 100).toFixed(2))}`

// ── Sentences ────────────────────────────────────────────────────────────────────────────────────────

/** Returns the headline and the sentence that is printed below it. */
export function headlineOf(
  { regraded }: Pick<PairComparison, 'regraded'>,
  decided: MetricChange,
): [string, string] {
  if (regraded === undefined) return [HEADLINES[decided.verdict], sentenceOf(decided)]
  const moved =
    decided.change === null
      ? ''
      : ` The ${titleOf(decided.metric, decided.k)} ${movement(decided)}.`
  return [REGRADED, `${regradedText(regraded)}${moved}`]
}

/**
 * Describes in words how a measure changed and what to conclude from it, without the headline. If `advises` is true, it
 * also says what to look at.
 */
export function sentenceOf(change: MetricChange, advises = true): string {
  const { metric, k, verdict } = change
  const title = titleOf(metric, k)
  if (change.change === null) return `There is no ${title} to compare: ${change.reason}.`
  const moved = `The ${title} ${movement(change)}`
  const margin = `the margin of ${sizeText(change, change.margin)}`
  const size = sizeText(change, Math.abs(change.change), extraDigits(change))
  switch (verdict) {
    case 'regression':
      return `${moved}. A change of ${size} is beyond ${margin} and more than chance explains${advises ? ': look at the cases below before you accept it' : ''}.`
    case 'improvement':
      return `${moved}. A change of ${size} is beyond ${margin} and more than chance explains.`
    case 'noRegression':
      if (change.interval === null) return `${moved}: ${change.reason}.`
      return `${moved}. If it got worse at all, then by less than ${margin}.`
    default:
      return `${moved}, ${undecided(change)}`
  }
}

function movement(change: MetricChange): string {
  const { baseline, current } = change
  const [from, to] = changeTexts(change)
  if (baseline === null || current === null) return `went from ${from} to ${to}`
  if (from === to) return `stayed at ${to}`
  return `${current < baseline ? 'fell' : 'rose'} from ${from} to ${to}`
}

function undecided(change: MetricChange): string {
  const { interval } = change
  if (interval === null)
    return `and that is all that can be said: ${change.reason}. ${settling(change.needed)}`
  if (change.reason === COUNTED) return `which is ${change.reason}. ${settling(change.needed)}`
  if (change.reason.startsWith('fewer than'))
    return `but there are ${change.reason}. ${settling(change.needed)}`
  const why = excludesZero(change) ? `, and ${whyInconclusive(change)}` : ''
  return `but anything from ${intervalText(change)} fits what was seen${why}. ${settling(change.needed)}`
}

const excludesZero = ({ interval }: MetricChange): boolean =>
  interval !== null && (interval.low > 0 || (interval.high !== null && interval.high < 0))

function whyInconclusive(change: MetricChange): string {
  if (change.reason === COUNTED) return `it is ${change.reason}`
  if (change.reason.startsWith('fewer than')) return `there are ${change.reason}`
  return `the change itself is within the margin of ${sizeText(change, change.margin)}, below which nothing counts`
}

/** Explains each measure whose interval excludes zero but whose verdict is still inconclusive. */
export const doubts = (metrics: readonly MetricChange[]): string[] => [
  ...unbounded(metrics),
  ...metrics
    .filter((change) => change.verdict === 'inconclusive' && excludesZero(change))
    .map(
      (change) =>
        `The ${titleOf(change.metric, change.k)} is inconclusive though its interval excludes 0: ${whyInconclusive(change)}.`,
    ),
]

/**
 * Returns a sentence about the measures whose interval reaches the largest possible change. For these, so few cases put
 * no limit on the change.
 */
function unbounded(metrics: readonly MetricChange[]): string[] {
  const open = metrics.filter(
    ({ scale, interval }) =>
      scale === 'points' && interval !== null && (interval.low <= -1 || (interval.high ?? 0) >= 1),
  )
  if (open.length === 0) return []
  const names = open.map(({ metric, k }) => titleOf(metric, k)).join(' and ')
  return [
    `So few cases do not bound the change of ${names}: ${open.length === 1 ? 'its interval ends' : 'their intervals end'} at the largest possible change.`,
  ]
}

/** The maximum number of trials per case that is recommended. More would not be practical. */
const MOST_ADVISED = 1000

const NOTHING_TOLD =
  'More trials of the same cases would not settle it: only cases that differ would show how far it can vary.'

/** Says how many trials or cases would decide the verdict, and what they would cost. */
export function settling(needed: NeededMore | null): string {
  if (needed === null) return NOTHING_TOLD
  const { trialsPerCase, cases, groups, trials, usd } = needed
  const total = moreTrialsText(trials, usd)
  if (trialsPerCase !== null && trialsPerCase <= MOST_ADVISED)
    return `About ${counted(trialsPerCase, 'more trial', 'more trials')} of each case on both sides${total} would probably settle it.`
  if (trialsPerCase === null && cases !== null && cases <= MOST_ADVISED)
    return `About ${counted(cases, 'more case', 'more cases')} like these${inGroupsText(groups)}${total} would probably settle it.`
  if (trialsPerCase === null && cases === null)
    return 'It sits on the edge of the margin: more trials would move it off, but how many cannot be told.'
  return `It sits so near the edge of the margin that settling it would take ${trialsPerCase !== null ? `${counted(trialsPerCase, 'more trial', 'more trials')} of each case` : counted(cases ?? 0, 'more case', 'more cases')}.`
}

/** Formats the condition of a gate, such as `pass rate ≥ 80%`. */
export function gateText(gate: GateResult): string {
  if (gate.kind !== 'change') return conditionText(gate)
  const { metric, k, limit } = gate
  return `${titleOf(metric, k)} not worse by more than ${sizeText({ metric, scale: scaleOf(metric) }, limit)}`
}

/** Returns the part of the run that a gate is about, without its subject. Empty if the gate is about the whole run. */
export function gateScope(gate: GateResult, several: boolean): string[] {
  if (gate.kind === 'change') return []
  const { suite, tag, case: one } = gate
  return [
    ...(several ? [suite] : []),
    ...(tag === null ? [] : [`tag ${tag}`]),
    ...(one === null ? [] : [one]),
  ]
}

/** Says which value a gate found, and why an undecided gate is undecided. */
export function gateFinding(gate: GateResult): string {
  if (gate.kind !== 'change')
    return [measuredText(gate), adviceText(gate)].filter((text) => text !== '').join('. ')
  const { metric, value, interval, reason, adjustedP, status, verdict, needed } = gate
  const shown = (x: number | null): string => changeText({ metric, scale: scaleOf(metric) }, x)
  if (interval === null) return `${shown(value)}, ${reason}`
  const bounds = `${shown(interval.low)} to ${interval.high === null ? '∞' : shown(interval.high)}`
  const together = adjustedP !== gate.p ? `; all gates counted: p ${pText(adjustedP)}` : ''
  const found = `${shown(value)} (${bounds}), p ${pText(gate.p)}${together}`
  if (verdict === 'regression') return `regression: ${found}`
  if (status !== 'undecided') return found
  return `${found}, ${reason}${needed === null ? '' : `. ${settling(needed)}`}`
}

const scaleOf = (metric: MetricName): MetricChange['scale'] =>
  metric === 'costOfPass' || metric === 'latency' ? 'ratio' : 'points'
