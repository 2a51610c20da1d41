/**
 * What the code grader found about one solution, for the rates of code-scoring. Whether the solution
 * compiled is a fact, not a score: in a case with `shouldCompile = false` the compile part of the score is 1
 * exactly where the solution did not compile. Such a case runs neither tests nor the linter, so no test of it
 * passed and it has no lint score.
 */
import { type Grade, type Integrity, isCodeGrade } from '@assay/contract'

export const INTEGRITIES = ['isolated', 'in-process'] as const satisfies readonly Integrity[]

export interface CodeFacts {
  /** 1 where it compiled, else 0. */
  readonly compiled: number | null
  /** The share of tests passed; 0 where none ran. */
  readonly tests: number | null
  /** Null where the linter had nothing to say. */
  readonly lint: number | null
  readonly integrity: Integrity | null
}

/** Null where no grade is of code. */
export function codeFacts(grades: readonly Grade[]): CodeFacts | null {
  const grade = grades.find(isCodeGrade)
  if (grade === undefined) return null
  // A log from elsewhere may hold anything here.
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
