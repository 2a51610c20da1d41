/**
 * What the code grader found about one solution. The rates of the code-scoring specification are computed from it.
 * Whether the solution compiled is a fact, not a score: in a case with `shouldCompile = false`, the compile part of the
 * score is 1 if the solution did not compile. Such a case runs no tests and no linter, so it has no passed tests and no
 * lint score.
 */
import { type Grade, type Integrity, isCodeGrade } from '@assay/contract'

export const INTEGRITIES = ['isolated', 'in-process'] as const satisfies readonly Integrity[]

export interface CodeFacts {
  /** 1 if the solution compiled, otherwise 0. */
  readonly compiled: number | null
  /** The share of tests passed. 0 if none ran. */
  readonly tests: number | null
  /** Null if there is no lint score. */
  readonly lint: number | null
  readonly integrity: Integrity | null
}

/** Returns the facts of a trial. Null if no grade comes from the code grader. */
export function codeFacts(grades: readonly Grade[]): CodeFacts | null {
  const grade = grades.find(isCodeGrade)
  if (grade === undefined) return null
  // In an untrusted log, `details` may have any type.
  const details: readonly (Grade | null)[] = Array.isArray(grade.details) ? grade.details : []
  const score = (part: string): number | null =>
    details.find((detail) => detail?.name === part)?.score ?? null
  const integrity = grade.integrity ?? null
  const compiled = factOf(grade, 'compiled')
  if (factOf(grade, 'shouldCompile') === false)
    return { compiled: compiled === true ? 1 : 0, tests: 0, lint: null, integrity }
  return {
    compiled: compiled === null ? score('compile') : Number(compiled),
    tests: score('tests'),
    lint: score('lint'),
    integrity,
  }
}

function factOf({ facts }: Grade, name: string): boolean | null {
  if (typeof facts !== 'object' || facts === null || !Object.hasOwn(facts, name)) return null
  const fact: unknown = Reflect.get(facts, name)
  return typeof fact === 'boolean' ? fact : null
}
