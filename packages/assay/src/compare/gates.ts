/**
 * A gate is a condition for accepting a change. A gate with a margin asks whether a measure became worse by more than
 * the margin. A gate with `min` or `max` asks whether the current run's own value is within that bound. A gate fails
 * only if its whole interval is on the wrong side. It holds only if its whole interval is on the right side. Otherwise
 * it is undecided. The p-values of several gates are adjusted together (Holm's method), so that ten gates raise no more
 * false alarms than one.
 */
import { adjustP, type Verdict } from '@assay/metrics'
import {
  decideGates,
  type BoundGate,
  type BoundMetric,
  type BoundResult,
  type SubjectReport,
} from '../report/index.ts'
import { judge, type MetricChange, type NeededMore } from './gate-verdict.ts'
import type { CasePair } from './match-cases.ts'
import type { Setting } from './measures.ts'
import { METRICS, type MetricName } from './names.ts'
import type { SubjectPair } from './pair-subjects.ts'

export interface Gate {
  readonly metric: BoundMetric
  /** The name of a subject in the current run or in the baseline. Null means every compared subject. */
  readonly subject: string | null
  readonly rule:
    | { readonly kind: 'change'; readonly margin: number | null }
    | { readonly kind: 'min' | 'max'; readonly bound: number }
  /** Only for a gate with a bound: the part of the run that it is about, its k and its target. */
  readonly scope?: Partial<Pick<BoundGate, 'suite' | 'tag' | 'case' | 'per' | 'k' | 'target'>>
}

interface ChangeResult {
  readonly metric: MetricName
  readonly k: number | null
  /** The subject's name in the current run. */
  readonly subject: string
  readonly kind: 'change'
  /** The margin: how much worse the measure may become. */
  readonly limit: number
  readonly status: 'held' | 'failed' | 'undecided'
  readonly verdict: Verdict
  readonly value: number | null
  readonly interval: { readonly low: number; readonly high: number | null } | null
  readonly p: number | null
  readonly adjustedP: number | null
  readonly reason: string
  /** What would decide an undecided `change` gate. Null if the gate is decided, or if nothing could decide it. */
  readonly needed: NeededMore | null
}

/** The result of a gate. A gate on a change has a verdict. A gate with a bound has the same details as in a report. */
export type GateResult = ChangeResult | (BoundResult & { readonly verdict: null })

export interface GatedPair {
  readonly pair: SubjectPair
  readonly pairs: readonly CasePair[]
  /** The figures of the current subject on each suite. They include cases that the baseline does not have. */
  readonly rows: readonly SubjectReport[]
}

interface Asked {
  readonly gate: Gate
  readonly on: GatedPair
}

/** Whether a gate applies to this pair of subjects. */
export const concerns = ({ subject }: Gate, { baseline, current }: SubjectPair): boolean =>
  subject === null || subject === current || subject === baseline

/** Evaluates every gate on every pair that it applies to. */
export function askGates(
  gates: readonly Gate[],
  gated: readonly GatedPair[],
  setting: Setting,
): readonly GateResult[] {
  const asked = gates.flatMap((gate) =>
    gated.filter(({ pair }) => concerns(gate, pair)).map((on) => ({ gate, on })),
  )
  const alone = asked.flatMap((one) => answer(one, setting))
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

function answer({ gate, on }: Asked, setting: Setting): GateResult[] {
  const { rule, metric } = gate
  if (rule.kind !== 'change') return boundResults(gate, rule, on, setting)
  if (!isCompared(metric)) throw new TypeError(`${metric} cannot be compared`)
  const [change] = judge([{ metric, margin: rule.margin, pairs: on.pairs }], setting)
  return [changeResult(on.pair.current, change as MetricChange)]
}

/** Whether a change of the metric can be tested. The other metrics can only have a bound. */
export const isCompared = (metric: BoundMetric): metric is MetricName =>
  (METRICS as readonly string[]).includes(metric)

const STATUS: Readonly<Record<Verdict, ChangeResult['status']>> = {
  regression: 'failed',
  improvement: 'held',
  noRegression: 'held',
  inconclusive: 'undecided',
}

export function changeResult(subject: string, change: MetricChange): ChangeResult {
  const { metric, k, margin, verdict, interval, p, adjustedP, reason, needed } = change
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
    needed,
  }
}

/** Decides a gate with a bound on each part of the current run that it is about. */
function boundResults(
  gate: Gate,
  { kind, bound }: { readonly kind: 'min' | 'max'; readonly bound: number },
  { rows }: GatedPair,
  { level, target, k }: Setting,
): GateResult[] {
  const { suite = null, tag = null, case: one = null, per = null } = gate.scope ?? {}
  const asked = {
    ...{ metric: gate.metric, kind, bound, subject: null, suite, tag, case: one, per },
    k: gate.scope?.k ?? null,
    target: gate.scope?.target ?? null,
  }
  return decideGates({ subjects: [...rows], passK: [k] }, [asked], { level, target }).map(
    (result) => ({ ...result, verdict: null }),
  )
}

function withAdjusted(result: GateResult, adjustedP: number, alpha: number): GateResult {
  const { status, verdict } = result
  if (adjustedP <= alpha || (status !== 'failed' && verdict !== 'improvement'))
    return { ...result, adjustedP }
  const reason = 'not significant once all gates are counted together (Holm)'
  if (result.verdict === null) return { ...result, adjustedP, status: 'undecided', reason }
  return status === 'failed'
    ? { ...result, adjustedP, status: 'undecided', verdict: 'inconclusive', reason }
    : { ...result, adjustedP, verdict: 'noRegression', reason }
}
