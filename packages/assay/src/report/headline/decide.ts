/** Decides from the intervals of a difference whether the best subject is better than another subject. */
import {
  DEFAULT_LEVEL,
  type CaseScores,
  type Interval,
  type Needed,
  type Target,
} from '@assay/metrics'
import type { Rival } from '../schema/headline-schema.ts'
import type { CaseReport } from '../schema/report.ts'

/**
 * Two subjects are called equal if their pass rates differ by less than this. It is also the default margin of gates.
 */
export const MARGIN = 0.05

/** The minimum number of cases, or groups of cases, for a decision about cases like these. */
export const FEWEST_UNITS = 5

/** The result of comparing the best subject with another one, and what would decide it. */
export interface Compared {
  readonly rival: Rival
  /** The number of cases that the comparison is based on. If there are groups, the number of cases in these groups. */
  readonly cases: number
  readonly needed: Needed | null
  /** Whether all trials of a case had the same verdict, in every case. Absent if the subjects share few cases. */
  readonly isSteady?: boolean
}

export const passesOf = ({ n, c }: CaseReport): CaseScores => ({ n, sum: c, sumSq: c })

export const isOpen = ({ decision }: Pick<Rival, 'decision'>): boolean =>
  decision === 'not decided' || decision === 'worse here'

type Intervals = Readonly<Record<Target, Interval | null>>

/**
 * Returns the decision and the interval on which it is based. The interval has the level that takes all pairs of
 * subjects into account.
 */
export function verdictAt(
  at: Intervals,
  units: number,
  comparisons: number,
): Pick<Rival, 'together' | 'decision'> {
  const decision = decisionOf(at, units)
  const shown = at.population === null ? at.fixed : at.population
  if (shown === null) return { together: null, decision }
  const { low, high, target } = shown
  const isWorse = decision === 'worse' || (at.population === null && decision === 'worse here')
  return {
    together: {
      ...{ low, high, level: DEFAULT_LEVEL, comparisons, target },
      decision: isWorse ? 'worse' : 'not decided',
    },
    decision,
  }
}

function decisionOf({ fixed, population }: Intervals, units: number): Rival['decision'] {
  const isTold = population !== null && units >= FEWEST_UNITS
  if (isTold && population.low > 0) return 'worse'
  if (isTold && population.low > -MARGIN && population.high < MARGIN) return 'equal'
  return fixed !== null && fixed.low > 0 ? 'worse here' : 'not decided'
}
