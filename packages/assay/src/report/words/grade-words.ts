/**
 * Says what a letter grade means and what it grades. A letter alone is misleading: it grades the median composite,
 * which can be far above the pass rate next to it.
 */
import { plain } from '@assay/contract'
import { GRADE_SCALE, letterGrade, type GradeScale } from '@assay/metrics'
import type { Blocks, Provenance, SubjectReport } from '../schema/report.ts'

/** The meanings that the metrics-formulas specification gives to the letters of its scale. */
const MEANINGS: Readonly<Record<string, string>> = {
  A: 'Excellent',
  B: 'Good',
  C: 'Satisfactory',
  D: 'Marginal',
  F: 'Failing',
}

/**
 * Returns the meaning of a letter. Null if it comes from another scale, where the same letter may mean something else.
 */
export function gradeMeaning(letter: string | null, scale: unknown): string | null {
  if (letter === null || JSON.stringify(scale) !== JSON.stringify(GRADE_SCALE)) return null
  return MEANINGS[letter] ?? null
}

export interface GradedRow extends Pick<SubjectReport, 'grade' | 'composite'> {
  readonly statistics: Blocks | null
}

/** Returns the letter with its meaning, such as `A Excellent`. The letters come from the experiment. */
export const letterText = (grade: SubjectReport['grade']): string =>
  grade?.letter == null
    ? '–'
    : plain(`${grade.letter}${grade.meaning == null ? '' : ` ${grade.meaning}`}`)

const fixed = (value: number | null | undefined): string => value?.toFixed(3) ?? '–'

/**
 * Says what the letter is based on: the median composite, and the parts of the composite. Empty if there is no letter.
 */
export function gradeBasis(
  { grade, composite, statistics }: GradedRow,
  scoring: Provenance['scoring'],
): string {
  const { impl, compositeWeights } = scoring
  const blocks = statistics
  if (grade?.letter == null || blocks?.composite == null) return ''
  const rated = impl === 'score' ? 'score' : 'judged'
  const other = letterOfMean({ grade, composite }, scoring)
  const mean = composite?.value == null ? '' : `; mean composite ${fixed(composite.value)}`
  return `median composite ${fixed(blocks.composite.median)} (medians of its parts: passed ${fixed(blocks.pass_rate.median)}, ${rated} ${fixed(blocks.impl_rate?.median)}${weightsText(compositeWeights)})${mean} (passed ${fixed(blocks.pass_rate.mean)}, ${rated} ${fixed(blocks.impl_rate?.mean)})${other === null ? '' : `, which would be ${other}`}`
}

/**
 * Returns the letter of the mean composite. Null if it is the same as the letter of the median composite, which reports
 * show. A median depends only on the trials in the middle: a subject that passes 10 of 16 trials can have the best
 * letter.
 */
export function letterOfMean(
  { grade, composite }: Pick<GradedRow, 'grade' | 'composite'>,
  { grades }: Provenance['scoring'],
): string | null {
  if (grade?.letter == null || composite?.value == null || !isScale(grades)) return null
  const letter = letterGrade(Math.min(1, Math.max(0, composite.value)), grades)
  return letter === grade.letter ? null : plain(letter)
}

/**
 * Checks a scale from a report file, which may contain anything. The limits of its steps must decrease, because
 * `letterGrade` throws otherwise.
 */
const isScale = (scale: unknown): scale is GradeScale => {
  const { steps, below } = (scale ?? {}) as Partial<Record<keyof GradeScale, unknown>>
  return (
    typeof below === 'string' &&
    Array.isArray(steps) &&
    steps.length > 0 &&
    steps.every(
      (step: Partial<GradeScale['steps'][number]> | null, i) =>
        typeof step?.grade === 'string' &&
        typeof step.least === 'number' &&
        Number.isFinite(step.least) &&
        (i === 0 || step.least < (steps[i - 1] as { least: number }).least),
    )
  )
}

/** The explanation if the mean composite has another letter than the median composite. */
export const MEDIAN_NOTE =
  'A grade is the letter of the median composite, as metrics-formulas defines it. A median depends on the trials in the middle alone, so a subject that passes just over half of its trials can have the best letter.'

/** Lists the weights of a composite if they are not equal. */
function weightsText(weights: unknown): string {
  const given = weights as { readonly pass?: unknown; readonly impl?: unknown } | null
  const { pass, impl } = given ?? {}
  return typeof pass !== 'number' || typeof impl !== 'number' || pass === impl
    ? ''
    : `; weights ${pass} and ${impl}`
}
