/** The result of a comparison for scripts: the exit code and the reasons for it. */
import { counted } from '../text/index.ts'
import type { CompareOptions, Comparison, PairComparison, Outcome } from './comparison-types.ts'
import type { GateResult } from './gates.ts'

interface Found {
  readonly lists: Pick<Comparison, 'regressions' | 'removed_cases' | 'not_comparable'>
  readonly pairs: readonly PairComparison[]
  readonly gates: readonly GateResult[]
  /** The reasons why the current run is incomplete or invalid. */
  readonly faults: readonly string[]
  /** If the two sides have no subject in common, a sentence that lists the subjects of each side. Otherwise null. */
  readonly strangers: string | null
}

const NOTHING_COMPARABLE =
  'nothing is comparable: no case is scored on both sides. Name two runs of the same suite: --baseline RUN --current RUN'

export function outcomeOf(
  { lists: { regressions, removed_cases, not_comparable }, pairs, gates, faults, strangers }: Found,
  options: CompareOptions,
): Outcome {
  const { failOnRegression, threshold, strict, gate } = options
  const failOnRemoved = options.failOnRemoved ?? gate !== null
  const gated = failOnRegression || failOnRemoved || gate !== null
  if (strangers !== null) return { code: 3, failures: [strangers], gated }
  if (pairs.every(({ cases }) => cases === 0))
    return { code: 3, failures: [NOTHING_COMPARABLE], gated }
  const failures: string[] = []
  const dropped = failOnRegression && regressions.length > 0
  if (dropped)
    failures.push(
      `${counted(regressions.length, 'regression')}: ${counted(regressions.length, 'case')} dropped by more than ${threshold} (--fail-on-regression)`,
    )
  const failed = gates.filter(({ status }) => status === 'failed').length
  if (failed > 0)
    failures.push(
      `${counted(failed, 'gate')} of ${gates.length} failed${gates.some(({ verdict }) => verdict === 'regression') ? ': regression' : ''}`,
    )
  const undecided = gates.filter(({ status }) => status === 'undecided').length
  if (strict && undecided > 0)
    failures.push(`${counted(undecided, 'gate')} of ${gates.length} undecided (--strict)`)
  const gone = removed_cases.length + not_comparable.filter(isLost).length
  if (failOnRemoved && gone > 0)
    failures.push(
      `${counted(gone, 'case')} of the baseline removed, changed or not scored (--no-fail-on-removed accepts that)`,
    )
  // A gate cannot hold if some trials did not run. But a drop that the threshold rule found was observed in trials that
  // did run, so it still counts as a failure.
  if (gated && faults.length > 0 && !options.allowPartial) {
    const incomplete = `the current run is incomplete or invalid: ${faults.join('; ')} (--allow-partial accepts that)`
    return { code: dropped ? 1 : 3, failures: [incomplete, ...failures], gated }
  }
  return { code: failures.length > 0 ? 1 : 0, failures, gated }
}

/** Whether the baseline has results for the case, but the current run has none that can be compared. */
const isLost = ({ reason }: Comparison['not_comparable'][number]): boolean =>
  reason === 'the case changed' || reason === 'no scored trial in the current run'
