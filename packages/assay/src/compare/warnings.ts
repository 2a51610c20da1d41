/**
 * Warnings about a comparison: removed cases, subjects without a partner, and too few trials for the threshold rule.
 */
import { plain } from '@assay/contract'
import { counted } from '../text/index.ts'
import type { Compared } from './case-lists.ts'
import type { Pairing } from './pair-subjects.ts'
import type { CaseName, CasePair, NotComparable } from './match-cases.ts'

const MOST_NAMED = 5

const named = (names: readonly CaseName[]): string => {
  const some = [...new Set(names.map(({ case_id }) => plain(case_id)))]
  const rest = some.length - MOST_NAMED
  return `${some.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** Warns about subjects that are not compared because only one side has them. */
export function aloneWarnings({ pairs, onlyBaseline, onlyCurrent }: Pairing): string[] {
  if (pairs.length === 0) return []
  const told = (names: readonly string[], side: string): string[] =>
    names.length === 0
      ? []
      : [
          `not compared, as only the ${side} has ${names.length === 1 ? 'it' : 'them'}: ${names.map(plain).join(', ')}`,
        ]
  return [...told(onlyBaseline, 'baseline'), ...told(onlyCurrent, 'current run')]
}

export function goneWarnings({
  removed_cases,
  not_comparable,
}: {
  readonly removed_cases: readonly CaseName[]
  readonly not_comparable: readonly NotComparable[]
}): string[] {
  const reasons = [...new Set(not_comparable.map(({ reason }) => reason))].sort()
  return [
    ...(removed_cases.length > 0
      ? [`${counted(removed_cases.length, 'case')} removed: ${named(removed_cases)}`]
      : []),
    ...reasons.map((reason) => {
      const cases = not_comparable.filter((one) => one.reason === reason)
      return `${counted(cases.length, 'case')} not comparable, ${reason}: ${named(cases)}`
    }),
  ]
}

/**
 * Warns if a single trial can move a case's score by more than the threshold. There is no warning if the statistical
 * gate is used, because that gate does not use the threshold.
 */
export function stepWarning(
  compared: readonly Compared[],
  { threshold, gate }: { readonly threshold: number; readonly gate: string | null },
): string[] {
  if (gate !== null) return []
  const trials = compared.flatMap(({ matched }) =>
    matched.pairs.map(({ a, b }) => Math.min(a.n, b.n)),
  )
  const fewest = trials.reduce((least, n) => Math.min(least, n), Number.POSITIVE_INFINITY)
  // `fewest` is 0 if a case was graded only by advisory graders, which give a score but no verdict.
  if (!Number.isFinite(fewest) || fewest === 0 || 1 / fewest <= threshold) return []
  return [
    `with ${counted(fewest, 'trial')} a case, one trial moves a score by up to ${(1 / fewest).toFixed(2)}, more than the threshold of ${threshold}: cases will seem to change that did not. --gate statistical decides by evidence`,
  ]
}

/** Warns if the two sides assign cases to different groups. */
export function groupWarnings(pairs: readonly CasePair[]): string[] {
  const moved = pairs.filter(
    ({ a, b }) => a.group !== b.group && (a.group !== undefined || b.group !== undefined),
  )
  if (moved.length === 0) return []
  return [
    `${counted(moved.length, 'case')} of another group than in the baseline: the groups of the current run are used where it has them`,
  ]
}
