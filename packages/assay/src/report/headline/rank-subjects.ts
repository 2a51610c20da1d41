/**
 * Sorts the subjects of a suite, the best first. If all subjects were scored on the same cases, they are sorted by pass
 * rate. Otherwise they are sorted by their mean difference from the other subjects. Each difference is over the cases
 * that the two share or, if they share few, over all cases of both. Equal subjects are sorted by cost, then in the
 * order of the plan.
 */
import { mean } from '@assay/metrics'
import type { SubjectReport } from '../schema/report.ts'
import { overlapWith, sharedCases } from './compare-subjects.ts'
import { FEWEST_UNITS } from './decide.ts'

const SAME = 1e-12

/** Returns the subjects that have a scored trial, the best first. */
export function rankSubjects(rows: readonly SubjectReport[]): SubjectReport[] {
  const scored = rows.filter(({ cases }) => cases.some(({ n }) => n > 0))
  const strength = strengths(scored)
  const coverage = new Map(
    scored.map((row) => [row, row.cases.filter(({ n }) => n > 0).length] as const),
  )
  /**
   * Whether a subject has too few cases to be called the best. That is so if it was scored on less than half as many
   * cases as another subject, however well it did on them. If the two share few cases, it must also have too few cases
   * to decide anything.
   */
  const isFew = (row: SubjectReport): boolean => {
    const own = coverage.get(row) ?? 0
    return scored.some(
      (other) =>
        own * 2 < (coverage.get(other) ?? 0) &&
        (own < FEWEST_UNITS || overlapWith(row, other).as === 'paired'),
    )
  }
  const few = new Set(scored.filter(isFew))
  return scored.toSorted((a, b) => {
    if (few.has(a) !== few.has(b)) return few.has(a) ? 1 : -1
    const better = (strength.get(b) ?? 0) - (strength.get(a) ?? 0)
    if (Math.abs(better) > SAME) return better
    return (a.cost.perTrialUsd ?? Infinity) - (b.cost.perTrialUsd ?? Infinity) || 0
  })
}

function strengths(rows: readonly SubjectReport[]): ReadonlyMap<SubjectReport, number> {
  const scoredOn = (row: SubjectReport): string =>
    JSON.stringify(row.cases.flatMap((one) => (one.n > 0 ? [one.case] : [])).toSorted())
  const isShared = new Set(rows.map(scoredOn)).size <= 1
  if (isShared) return new Map(rows.map((row) => [row, row.passRate.value ?? 0]))
  return new Map(
    rows.map((row) => {
      const differences = rows.flatMap((other) => {
        if (other === row) return []
        if (overlapWith(row, other).as === 'independent') return [ownRate(row) - ownRate(other)]
        const { before, after } = sharedCases(row, other)
        return [mean(after.map(({ n, sum }, i) => sum / n - rateAt(before[i])))]
      })
      return [row, differences.length === 0 ? -1 : mean(differences)]
    }),
  )
}

/** Returns the pass rate over all scored cases of the subject. */
const ownRate = ({ cases }: SubjectReport): number =>
  mean(cases.flatMap(({ n, c }) => (n > 0 ? [c / n] : [])))

const rateAt = (one: { readonly n: number; readonly sum: number } | undefined): number =>
  one === undefined ? 0 : one.sum / one.n
