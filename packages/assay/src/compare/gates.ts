/**
 * Gates: conditions for accepting a change. A gate with a margin asks whether a measure became worse by more
 * than the margin. A gate with `min` or `max` asks where the current run's own value lies. A gate fails only
 * on evidence (the whole interval is on the wrong side) and holds only on evidence; otherwise it is
 * undecided. Several gates are adjusted together by Holm, so that ten gates raise no more false alarms than
 * one.
 */
import { adjustP, type Metric, type Verdict } from '@assay/metrics'
import type { CaseReport } from '../report/index.ts'
import { judge, pByInversion, type MetricChange } from './gate-verdict.ts'
import type { CasePair } from './match-cases.ts'
import { measureOf, type Setting } from './measures.ts'
import type { MetricName } from './names.ts'
import type { SubjectPair } from './pair-subjects.ts'

export interface Gate {
  readonly metric: MetricName
  /** A subject of the current side or of the baseline; null for every compared subject. */
  readonly subject: string | null
  readonly rule:
    | { readonly kind: 'change'; readonly margin: number | null }
    | { readonly kind: 'min' | 'max'; readonly bound: number }
}

export interface GateResult {
  readonly metric: MetricName
  readonly k: number | null
  /** The subject's name on the current side. */
  readonly subject: string
  readonly kind: 'change' | 'min' | 'max'
  /** The margin of a `change` gate, or the bound of a `min` or `max` gate. */
  readonly limit: number
  readonly status: 'held' | 'failed' | 'undecided'
  /** The verdict of a `change` gate; null for the others. */
  readonly verdict: Verdict | null
  readonly value: number | null
  readonly interval: { readonly low: number; readonly high: number | null } | null
  readonly p: number | null
  readonly adjustedP: number | null
  readonly reason: string
}

export interface GatedPair {
  readonly pair: SubjectPair
  readonly pairs: readonly CasePair[]
  /** All cases of the current subject, including those without a partner. */
  readonly all: readonly CaseReport[]
}

interface Asked {
  readonly gate: Gate
  readonly on: GatedPair
}

/** True if a gate applies to this pair of subjects. */
export const concerns = ({ subject }: Gate, { baseline, current }: SubjectPair): boolean =>
  subject === null || subject === current || subject === baseline

/** Evaluates every gate on every pair it applies to. */
export function askGates(
  gates: readonly Gate[],
  gated: readonly GatedPair[],
  setting: Setting,
): readonly GateResult[] {
  const asked = gates.flatMap((gate) =>
    gated.filter(({ pair }) => concerns(gate, pair)).map((on) => ({ gate, on })),
  )
  const alone = asked.map((one) => answer(one, setting))
  const adjusted = adjustP(
    alone.flatMap(({ p }) => (p === null ? [] : [p])),
    'holm',
  )
  let next = 0
  return alone.map((result) => {
    if (result.p === null || adjusted.length === 1) return result
    return withAdjusted(result, adjusted[next++] as number, 1 - setting.level)
  })
}

function answer({ gate, on }: Asked, setting: Setting): GateResult {
  const { rule, metric } = gate
  if (rule.kind !== 'change') return boundResult(gate, rule, on, setting)
  const [change] = judge([{ metric, margin: rule.margin, pairs: on.pairs }], setting)
  return changeResult(on.pair.current, change as MetricChange)
}

const STATUS: Readonly<Record<Verdict, GateResult['status']>> = {
  regression: 'failed',
  improvement: 'held',
  noRegression: 'held',
  inconclusive: 'undecided',
}

export function changeResult(subject: string, change: MetricChange): GateResult {
  const { metric, k, margin, verdict, interval, p, adjustedP, reason } = change
  return {
    metric,
    k,
    subject,
    kind: 'change',
    limit: margin,
    status: STATUS[verdict],
    verdict,
    value: change.change,
    interval: interval && { low: interval.low, high: interval.high },
    p,
    adjustedP,
    reason,
  }
}

function boundResult(
  { metric }: Gate,
  { kind, bound }: { kind: 'min' | 'max'; bound: number },
  { pair, all }: GatedPair,
  setting: Setting,
): GateResult {
  const measure = measureOf(metric)
  const estimate = measure.alone(all, setting)
  const { value, interval } = estimate
  const p =
    interval === undefined
      ? null
      : pByInversion(bound, (level) => measure.alone(all, { ...setting, level }).interval ?? null)
  return {
    metric,
    k: metric === 'passHatK' ? setting.k : null,
    subject: pair.current,
    kind,
    limit: bound,
    ...boundStatus(estimate, kind, bound),
    verdict: null,
    value,
    interval:
      interval === undefined
        ? null
        : { low: interval.low, high: Number.isFinite(interval.high) ? interval.high : null },
    p,
    adjustedP: p,
  }
}

const DECIMAL = 1e-9

function boundStatus(
  { value, interval, infinite, reason }: Metric,
  kind: 'min' | 'max',
  bound: number,
): Pick<GateResult, 'status' | 'reason'> {
  if (infinite === true && kind === 'max')
    return { status: 'failed', reason: `it is infinite: ${reason ?? 'nothing passed'}` }
  if (value === null || interval === undefined)
    return { status: 'undecided', reason: reason ?? 'no interval' }
  const { low, high } = interval
  const [within, beyond] =
    kind === 'min'
      ? [low >= bound - DECIMAL, high < bound - DECIMAL]
      : [high <= bound + DECIMAL, low > bound + DECIMAL]
  if (within) return { status: 'held', reason: 'the whole interval is within the bound' }
  if (beyond) return { status: 'failed', reason: 'the whole interval is beyond the bound' }
  return { status: 'undecided', reason: 'the interval holds the bound' }
}

function withAdjusted(result: GateResult, adjustedP: number, alpha: number): GateResult {
  const { status, verdict } = result
  if (adjustedP <= alpha || (status !== 'failed' && verdict !== 'improvement'))
    return { ...result, adjustedP }
  const reason = 'not significant once all gates are counted together (Holm)'
  return status === 'failed'
    ? {
        ...result,
        adjustedP,
        status: 'undecided',
        verdict: verdict === null ? null : 'inconclusive',
        reason,
      }
    : { ...result, adjustedP, verdict: 'noRegression', reason }
}
