/** Describes gates in words: the condition, what was measured, and what would decide a gate that is not decided. */
import { counted, dollars, inGroupsText, moreTrialsText, seconds } from '../../text/index.ts'
import type { BoundResult, GateNeeded, SkillVerdict } from '../schema/gate-schema.ts'
import type { BoundMetric } from './names.ts'

export const GATE_STATUS: Readonly<Record<BoundResult['status'], string>> = {
  held: 'held',
  failed: 'FAILED',
  undecided: 'undecided',
}

export const boundTitle = (metric: BoundMetric, k: number | null): string =>
  ({
    meanScore: 'mean score',
    passRate: 'pass rate',
    passAtK: `pass@${k ?? 'k'}`,
    passHatK: `pass^${k ?? 'k'}`,
    costOfPass: 'cost of a pass',
    latency: 'answer time',
  })[metric]

/** Formats a value of a metric. It gets more digits if it would otherwise look equal to the bound. */
function valueText(metric: BoundMetric, value: number | null, bound: number | null = null): string {
  if (value === null) return '–'
  const text = (digits: number, x: number): string => {
    if (metric === 'costOfPass')
      return digits === 0 ? dollars(x) : `$${Number(x.toPrecision(2 + digits))}`
    if (metric === 'latency')
      return digits === 0 ? seconds(x) : `${Number(x.toPrecision(3 + digits))} ms`
    return metric === 'meanScore' ? x.toFixed(3 + digits) : `${(x * 100).toFixed(1 + digits)}%`
  }
  let digits = 0
  if (bound !== null && Math.abs(value - bound) > 1e-9)
    while (digits < 6 && text(digits, value) === text(digits, bound)) digits++
  return text(digits, value)
}

/** Formats the condition of a gate, such as `pass rate ≥ 80.0%`. */
export const conditionText = ({
  metric,
  k,
  kind,
  limit,
}: Pick<BoundResult, 'metric' | 'k' | 'kind' | 'limit'>): string =>
  `${boundTitle(metric, k)} ${kind === 'min' ? '≥' : '≤'} ${valueText(metric, limit)}`

/** Returns the parts of the run that a gate is about. The texts are not escaped. */
export function scopeParts({ suite, subject, tag, case: one }: BoundResult): string[] {
  return [subject, suite, ...(tag === null ? [] : [`tag ${tag}`]), ...(one === null ? [] : [one])]
}

/**
 * Formats the measured value with its interval, and says whether the interval is for exactly these cases or for cases
 * like these.
 */
export function measuredText(result: BoundResult): string {
  const { metric, value, infinite, interval, limit, level, target, cases, trials } = result
  const basis = `${counted(cases, 'case')}, ${counted(trials, 'trial')}`
  if (infinite === true) return `infinite: nothing passed (${basis})`
  if (value === null) return `not measured: ${result.reason} (${basis})`
  const shown = valueText(metric, value, limit)
  if (interval === null) return `${shown}, without an interval: ${result.reason} (${basis})`
  const high = interval.high === null ? '∞' : valueText(metric, interval.high, limit)
  const about = target === 'fixed' ? 'exactly these cases, tried again' : 'cases like these'
  return `${shown} (${valueText(metric, interval.low, limit)} to ${high}; ${Number((level * 100).toFixed(2))} % interval, ${about}; ${basis})`
}

/** Says what would decide a gate, or why nothing would. Empty if the gate is decided. */
export function adviceText(result: BoundResult): string {
  const { status, metric, value, limit, kind, reason, needed, interval } = result
  if (status !== 'undecided') return ''
  if (value === null || interval === null) return missingText(result)
  const why = reason.includes('Holm')
    ? `The bound is outside the interval, but this is ${reason}.`
    : `The interval includes the bound of ${valueText(metric, limit)}.`
  if (needed !== null) return `${why} ${neededText(needed, result)}`
  if (Math.abs(value - limit) > 1e-9 && !isNear(result))
    return `${why} How many more trials or cases would decide it cannot be computed from this interval.`
  if (Math.abs(value - limit) > 1e-9)
    return `${why} The value is so close to the bound that no practical number of trials would decide it: move the bound.`
  const edge = kind === 'min' ? 1 : 0
  return limit === edge && metric !== 'costOfPass' && metric !== 'latency'
    ? `${why} No number of trials can prove exactly ${valueText(metric, limit)}: choose a bound ${kind === 'min' ? 'below' : 'above'} it.`
    : `${why} The measured value is the bound itself, so no number of trials would decide it as long as that stays: move the bound.`
}

/** Whether a value is near its bound: they differ by less than 2 points, or by less than 2 % for cost and time. */
function isNear({ metric, value, limit }: BoundResult): boolean {
  const away = Math.abs((value ?? 0) - limit)
  return away < 0.02 * (metric === 'costOfPass' || metric === 'latency' ? limit : 1)
}

/** Says what is missing if there is no value or no interval. */
function missingText({ reason, needed, metric, k, cases }: BoundResult): string {
  if (needed !== null)
    return `${boundTitle(metric, k)} needs at least ${counted(k ?? 1, 'scored trial')} of a case: run ${counted(needed.trialsPerCase ?? 0, 'more trial')} of each case first.`
  if (reason === 'prices are unknown')
    return 'More trials would not decide it: the price of some answers is unknown (--prices FILE gives prices).'
  if (reason === 'no trial was scored') return 'Nothing was scored, so nothing can be decided.'
  if (metric === 'costOfPass' || metric === 'latency')
    return cases < 2
      ? 'More trials would not decide it: cost and time are judged by how they differ between cases, which needs at least two cases.'
      : `More trials would not decide it: ${reason}.`
  return cases === 1
    ? 'More trials would not decide it: one case says nothing about cases like it. Add cases, or ask about exactly these cases (target=fixed).'
    : `More trials would not decide it: ${reason}.`
}

/**
 * The end of a sentence such as "About 20 more trials …". Nobody knows the true value, so the text says what it
 * assumes.
 */
const PROBABLY = 'would probably decide it (80 % likely if this is the true value).'

function neededText(
  { trialsPerCase, cases, groups, trials, usd }: GateNeeded,
  { cases: now }: Pick<BoundResult, 'cases'>,
): string {
  const total = moreTrialsText(trials, usd)
  return trialsPerCase !== null
    ? `About ${counted(trialsPerCase, 'more trial')} of ${now === 1 ? 'this' : 'each'} case${total} ${PROBABLY}`
    : `About ${counted(cases ?? 0, 'more case')} like these${inGroupsText(groups)}${total} ${PROBABLY}`
}

/** Describes a gate in one paragraph: the condition, the measurement and the advice. */
export const gateSentence = (result: BoundResult): string =>
  [`${conditionText(result)}: ${measuredText(result)}.`, adviceText(result)]
    .filter((text) => text !== '')
    .join(' ')

/** Says the verdict on a skill and how it follows from the score. */
export function skillSentence({ passed, score, threshold, missing }: SkillVerdict): string {
  if (passed === null || score === null) return 'no verdict: no stimulus was scored'
  const why =
    threshold === null
      ? passed
        ? 'every scored trial passed'
        : 'not every scored trial passed (the suite has no threshold)'
      : `score ${score.toFixed(3)}, ${passed ? 'at least' : 'below'} the threshold of ${threshold}`
  return missing === 0
    ? why
    : `${why}; ${counted(missing, 'stimulus', 'stimuli')} without a scored trial`
}
