/**
 * Decides gates with bounds. A gate fails only if its whole interval is beyond the bound. It holds only if its whole
 * interval is within the bound. Otherwise it is not decided.
 *
 * The p-values of failures are adjusted for all gates together (Holm's method), so that ten gates raise no more false
 * alarms than one. A gate that holds needs no adjustment: all gates together hold only if each of them holds. What
 * would decide an undecided gate depends on the adjustment, so it is computed last.
 */
import { adjustP, DEFAULT_LEVEL, intervalP, type Metric, type Target } from '@assay/metrics'
import type { BoundResult, GateNeeded } from '../schema/gate-schema.ts'
import type { CaseReport, Report, SubjectReport } from '../schema/report.ts'
import type { BoundGate } from './bound-gate.ts'
import { estimateOver, type EstimateOptions } from './estimate.ts'
import { neededFor } from './needed.ts'

export interface DecideOptions {
  readonly level?: number
  /** The target (exactly these cases, or cases like these) of gates that do not name one. */
  readonly target?: Target
}

/** Decides every gate on each part of the report that the gate is about. */
export function decideGates(
  report: Pick<Report, 'subjects' | 'passK'>,
  gates: readonly BoundGate[],
  options: DecideOptions = {},
): BoundResult[] {
  const alone = gates.flatMap((gate) =>
    partsOf(report, gate).map((part) => decide(report, gate, part, options)),
  )
  const results = adjusted(alone.map(({ result }) => result))
  const open = stillOpen(results)
  return results.map((result, i) => ({
    ...result,
    needed: neededBy(result, alone[i] as Decided, open),
  }))
}

/**
 * Returns the number of gates that are not significant after Holm's adjustment. The next one becomes significant if its
 * p-value is at most alpha divided by this number.
 */
const stillOpen = (results: readonly BoundResult[]): number =>
  results.filter(({ adjustedP, level }) => adjustedP !== null && adjustedP > 1 - level).length

function neededBy(result: BoundResult, { cases, asked }: Decided, open: number): GateNeeded | null {
  const { status, value, interval, kind, limit } = result
  if (status !== 'undecided') return null
  if (value === null || interval === null) return firstTrials(cases, asked)
  // A gate that will probably hold needs no adjustment, because only failures are adjusted.
  const isFailing = kind === 'min' ? value < limit : value > limit
  const level = isFailing ? 1 - (1 - asked.level) / Math.max(1, open) : asked.level
  return neededFor({ cases, options: { ...asked, level }, bound: limit, value })
}

/**
 * Adjusts the p-values of all gates together. A failed gate that is not significant after the adjustment becomes
 * undecided.
 */
function adjusted(alone: readonly BoundResult[]): BoundResult[] {
  const tested = alone.flatMap(({ p }) => (p === null ? [] : [p]))
  if (tested.length < 2) return [...alone]
  const all = adjustP(tested, 'holm')
  let next = 0
  return alone.map((result) => {
    if (result.p === null) return result
    const adjustedP = all[next++] as number
    if (result.status !== 'failed' || adjustedP <= 1 - result.level) return { ...result, adjustedP }
    return { ...result, adjustedP, status: 'undecided', reason: HOLM }
  })
}

const HOLM = 'not significant once all gates are counted together (Holm)'

/** The cases that one decision is about. */
interface Part {
  readonly row: SubjectReport
  readonly cases: readonly CaseReport[]
  readonly tag: string | null
  readonly case: string | null
}

function partsOf({ subjects }: Pick<Report, 'subjects'>, gate: BoundGate): Part[] {
  const isWanted = ({ suite, subject }: SubjectReport): boolean =>
    (gate.suite === null || gate.suite === suite) &&
    (gate.subject === null || gate.subject === subject)
  return subjects.filter(isWanted).flatMap((row) => {
    const cases = row.cases.filter(
      (one) =>
        (gate.case === null || gate.case === one.case) &&
        (gate.tag === null || one.tags?.includes(gate.tag) === true),
    )
    // If no case of this suite and subject has the gate's tag or name, the gate is not about them.
    if (cases.length === 0) return []
    if (gate.per === 'case')
      return cases.map((one) => ({ row, cases: [one], tag: gate.tag, case: one.case }))
    if (gate.per === 'tag')
      return [...Map.groupBy(pairs(cases), ([tag]) => tag)].map(([tag, list]) => ({
        row,
        cases: list.map(([, one]) => one),
        tag,
        case: gate.case,
      }))
    return [{ row, cases, tag: gate.tag, case: gate.case }]
  })
}

const pairs = (cases: readonly CaseReport[]): [string, CaseReport][] =>
  cases
    .flatMap((one) => (one.tags ?? []).map((tag): [string, CaseReport] => [tag, one]))
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))

/** A decision before the adjustment, with the data from which the number of missing trials is computed. */
interface Decided {
  readonly result: BoundResult
  readonly cases: readonly CaseReport[]
  readonly asked: EstimateOptions
}

function decide(
  { passK }: Pick<Report, 'passK'>,
  gate: BoundGate,
  { row, cases, tag, case: one }: Part,
  { level = DEFAULT_LEVEL, target = 'fixed' }: DecideOptions,
): Decided {
  const { metric, kind, bound } = gate
  const isAtK = metric === 'passAtK' || metric === 'passHatK'
  const k = isAtK ? (gate.k ?? Math.max(1, ...passK)) : 1
  const asked: EstimateOptions = { metric, k, target: gate.target ?? target, level }
  const estimate = estimateOver(cases, asked)
  const { value, interval, infinite } = estimate
  const p =
    interval === undefined
      ? null
      : intervalP(
          bound,
          (at) => estimateOver(cases, { ...asked, level: at }).interval ?? null,
          level,
        )
  const result: BoundResult = {
    metric,
    k: isAtK ? k : null,
    kind,
    limit: bound,
    suite: row.suite,
    subject: row.subject,
    tag,
    case: one,
    ...statusOf(estimate, kind, bound),
    value,
    ...(infinite === true ? { infinite: true as const } : {}),
    interval:
      interval === undefined
        ? null
        : { low: interval.low, high: Number.isFinite(interval.high) ? interval.high : null },
    level,
    target: interval?.target ?? asked.target,
    cases: cases.filter(({ n }) => n > 0).length,
    trials: cases.reduce((sum, { n }) => sum + n, 0),
    p,
    adjustedP: p,
    needed: null,
  }
  return { result, cases, asked }
}

/** Returns how many trials are missing if no case has the k trials that the metric needs. */
function firstTrials(
  cases: readonly CaseReport[],
  { metric, k }: EstimateOptions,
): GateNeeded | null {
  const most = cases.reduce((sum, { n }) => Math.max(sum, n), 0)
  if ((metric !== 'passAtK' && metric !== 'passHatK') || most === 0 || most >= k) return null
  return { trialsPerCase: k - most, cases: null, trials: (k - most) * cases.length, usd: null }
}

const DECIMAL = 1e-9

function statusOf(
  { value, interval, infinite, reason }: Metric,
  kind: 'min' | 'max',
  bound: number,
): Pick<BoundResult, 'status' | 'reason'> {
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
