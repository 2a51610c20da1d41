/**
 * Grades the answers of the shipped suites in the same way as a run. It uses the built program. If it used the sources,
 * the programs inside the sandbox would strip their types again for each sample.
 */
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import type { Case, Suite } from 'assay'
import { extractCode, languageByName } from '@assay/code'
import type { Sandbox } from '@assay/sandbox'
import {
  closeGraders,
  gradeAnswer,
  graders,
  trialOutcome,
} from '../packages/assay/dist/grade/index.js'
import { hash32, stream } from '../packages/assay/dist/log/index.js'
import { proveSuite, RUN_DEFAULTS, setUpCode } from '../packages/assay/dist/run/index.js'
import { loadSuite } from '../packages/assay/dist/suite/index.js'

export const LANGUAGES = ['typescript', 'python', 'rust'] as const
export type LanguageName = (typeof LANGUAGES)[number]

export async function loadBasics(language: LanguageName): Promise<Suite> {
  const path = join(import.meta.dirname, `../suites/${language}-basics.toml`)
  return (await loadSuite(path, { graders })).suite
}

/**
 * The result of one answer. `Verdicts` has one for each answer, under a key such as `slugify reference` or `slugify 2`.
 */
export interface Verdict {
  readonly passed: boolean
  readonly score: number | null
  /** The reason of a failure, from the closed list of reasons. Empty for an answer that passed. */
  readonly reason: string
}

export type Verdicts = Readonly<Record<string, Verdict>>

export const answersOf = (one: Case): (readonly [id: string, answer: string])[] => [
  ...(one.reference === null ? [] : [[`${one.id} reference`, one.reference] as const]),
  ...one.faulty.map((answer, index) => [`${one.id} ${index + 1}`, answer] as const),
]

/** Returns the code of an answer without the text around it, because the pipelines get only the code. */
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

/** Returns `count` answers, taken evenly from the whole suite. If the suite has fewer, answers are repeated. */
export function someAnswers(
  suite: Suite,
  count: number,
  endless: ReadonlySet<string>,
): (readonly [id: string, one: Case, answer: string])[] {
  const all = suite.cases.flatMap((one) =>
    answersOf(one).flatMap(([id, answer]) => (endless.has(id) ? [] : [[id, one, answer] as const])),
  )
  const whole = Array.from({ length: Math.floor(count / all.length) }, () => all).flat()
  return [...whole, ...spread(all, count - whole.length)]
}

export const spread = <T>(list: readonly T[], count: number): T[] =>
  list.filter(
    (_, at) =>
      Math.floor((at * count) / list.length) !== Math.floor(((at - 1) * count) / list.length),
  )

export const endlessOf = (verdicts: Verdicts): Set<string> =>
  new Set(Object.keys(verdicts).filter((id) => verdicts[id]?.reason === 'code-timeout'))

/** Returns the suite without the faulty answers in `ids`. Cases that then have no faulty answer are left out too. */
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
  /** Grades each reference and each faulty answer once. */
  grade(suite: Suite, parallelism?: number): Promise<Verdicts>
  /** Grades these answers, each once, as the trials of a run are graded. */
  gradeSome(suite: Suite, answers: ReturnType<typeof someAnswers>): Promise<Verdicts>
  close(): Promise<void>
}

/**
 * Opens the grading of these suites. It also grades suites with only some of these cases, and gives each answer the
 * same name as in the whole suite.
 */
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
          // Without a grade, the grader itself has exceeded its deadline.
          const reason = grades.length === 0 ? 'grader-timeout' : (grades[0]?.cause ?? '')
          return [[nameOf(suite, proof.case, answer), { passed, score, reason }]]
        }),
      )
      return Object.fromEntries(verdicts)
    },
    async gradeSome(suite, answers) {
      const verdicts: Record<string, Verdict> = {}
      const waiting = [...answers]
      const work = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
          verdicts[next[0]] = await gradeOne(suite, next[1], next[2], sandbox)
      }
      await Promise.all(Array.from({ length: availableParallelism() }, work))
      return verdicts
    },
    async close() {
      await closeGraders()
      await sandbox.close()
    },
  }
}

const NO_USAGE = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 }

async function gradeOne(
  suite: Suite,
  one: Case,
  answer: string,
  sandbox: Sandbox,
): Promise<Verdict> {
  const grades = await gradeAnswer(
    {
      ...{ case: one, answer, files: {}, folder: dirname(suite.path) },
      ...{ usage: NO_USAGE, usd: 0, answerMs: 0, trajectory: null, diff: null, workspace: null },
    },
    {
      timeoutMs: RUN_DEFAULTS.gradeTimeoutMs,
      signal: new AbortController().signal,
      random: stream(1, 'grade', hash32(`${suite.id}\n${one.id}`), 0),
      sandbox,
      text: (text) => Promise.resolve(text),
    },
  )
  const { outcome, score } = trialOutcome(one, { kind: 'graded', grades })
  return { passed: outcome === 'passed', score, reason: grades[0]?.cause ?? '' }
}
