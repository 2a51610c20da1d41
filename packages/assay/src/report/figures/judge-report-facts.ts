/** Reads the facts of a judge's grade. A log may come from another program, so any value may be missing or of any type. */
import type { Grade, Json } from '@assay/contract'

export interface JudgeRunFacts {
  readonly runs: number
  readonly planned: number
  readonly disagree: boolean
  /** The number of runs in which the judge states no confidence. */
  readonly unstated: number
}

/** Returns the facts about the runs of a judge on one answer. Null if the judge ran only once. */
export function judgeRunFacts({ facts }: Grade): JudgeRunFacts | null {
  if (typeof facts !== 'object' || facts === null || Array.isArray(facts)) return null
  const { runs, plannedRuns, disagree, unstatedConfidence } = facts as Readonly<
    Record<string, Json>
  >
  if (!isCount(runs)) return null
  return {
    runs,
    planned: isCount(plannedRuns) ? plannedRuns : runs,
    disagree: disagree === true,
    unstated: isCount(unstatedConfidence) ? unstatedConfidence : 0,
  }
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
