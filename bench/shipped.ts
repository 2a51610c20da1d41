/**
 * The shipped suites' own answers, graded as a run grades them, with the built program: what runs inside
 * the sandbox would otherwise strip its types anew for each sample.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Case, Suite } from 'assay'
import { extractCode, languageByName } from '@assay/code'
import type { Sandbox } from '@assay/sandbox'
import { closeGraders, graders } from '../packages/assay/dist/grade/index.js'
import { proveSuite, RUN_DEFAULTS, setUpCode } from '../packages/assay/dist/run/index.js'
import { loadSuite } from '../packages/assay/dist/suite/index.js'

export const LANGUAGES = ['typescript', 'python', 'rust'] as const
export type LanguageName = (typeof LANGUAGES)[number]

export async function loadBasics(language: LanguageName): Promise<Suite> {
  const path = join(import.meta.dirname, `../suites/${language}-basics.toml`)
  return (await loadSuite(path, { graders })).suite
}

/** How an answer was graded, by `case reference` or `case 2`. */
export interface Verdict {
  readonly passed: boolean
  readonly score: number | null
  /** From the closed list of reasons; empty for one that passed. */
  readonly reason: string
}

export type Verdicts = Readonly<Record<string, Verdict>>

export const answersOf = (one: Case): (readonly [id: string, answer: string])[] => [
  ...(one.reference === null ? [] : [[`${one.id} reference`, one.reference] as const]),
  ...one.faulty.map((answer, index) => [`${one.id} ${index + 1}`, answer] as const),
]

/** The code in an answer: what is talked around it is not what pipelines are compared by. */
export function codeOf(
  one: Case,
  answer: string,
): { code: string; beside: Record<string, string> } {
  const language = languageByName(one.language ?? '')
  const extracted = language === undefined ? null : extractCode(answer, {}, one, language)
  if (extracted === null) return { code: '', beside: {} }
  const { [extracted.main]: code = '', ...beside } = extracted.files
  return { code, beside }
}

export const endlessOf = (verdicts: Verdicts): Set<string> =>
  new Set(Object.keys(verdicts).filter((id) => verdicts[id]?.reason === 'code-timeout'))

/** The suite without the faulty answers named, and without cases that then have none. */
export function without(suite: Suite, ids: ReadonlySet<string>): Suite {
  const cases = suite.cases
    .map((one) => ({
      ...one,
      faulty: one.faulty.filter((_, index) => !ids.has(`${one.id} ${index + 1}`)),
    }))
    .filter(({ faulty }) => faulty.length > 0)
  return { ...suite, cases }
}

export interface Grading {
  readonly sandbox: Sandbox
  /** All references and faulty answers, once. */
  grade(suite: Suite, parallelism?: number): Promise<Verdicts>
  close(): Promise<void>
}

/** Grades these suites, or parts of them: an answer keeps the name that it has in the whole. */
export async function openGrading(suites: readonly Suite[]): Promise<Grading> {
  const names = new Map(
    suites.flatMap(({ cases }) =>
      cases.flatMap((one) =>
        answersOf(one).map(([id, text]) => [`${one.id}\n${text}`, id] as const),
      ),
    ),
  )
  const nameOf = (suite: Suite, id: string, answer: 'reference' | number): string => {
    const one = suite.cases.find((each) => each.id === id)
    const text = answer === 'reference' ? one?.reference : one?.faulty[answer - 1]
    return names.get(`${id}\n${text ?? ''}`) ?? `${id} ${answer}`
  }
  const code = await setUpCode(suites, [], 'bubblewrap')
  if (code === null) throw new Error('there is no code to grade')
  const { sandbox } = code
  return {
    sandbox,
    async grade(suite, parallelism = availableParallelism()) {
      const proofs = await proveSuite(suite, {
        sandbox,
        gradeTimeoutMs: RUN_DEFAULTS.gradeTimeoutMs,
        signal: new AbortController().signal,
        parallelism,
        ownFaulty: false,
      })
      const verdicts = proofs.flatMap((proof) =>
        proof.answers.flatMap(({ answer, passed, score, grades }): [string, Verdict][] => {
          if (typeof answer === 'string' && answer !== 'reference') return []
          // No grade at all: the grader's own deadline.
          const reason = grades.length === 0 ? 'grader-timeout' : (grades[0]?.cause ?? '')
          return [[nameOf(suite, proof.case, answer), { passed, score, reason }]]
        }),
      )
      return Object.fromEntries(verdicts)
    },
    async close() {
      await closeGraders()
      await sandbox.close()
    },
  }
}
