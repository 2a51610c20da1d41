/**
 * Who judges in a run. Suites name judges; the user may name others, who then judge everywhere. A case
 * says in the end who judged it, also in its hash: graded by somebody else it is another measurement.
 */
import {
  type Case,
  type GraderConfig,
  type Json,
  type Subject,
  type Suite,
  UsageError,
} from '@assay/contract'
import { graderByType, type Grader } from '../../grade/index.ts'
import { caseHash, suiteHash } from '@assay/contract/hash'

/** All judges that the suites name, in the order they are first named. */
export const judgesIn = (suites: readonly Suite[]): string[] => [
  ...new Set(
    suites.flatMap(({ cases }) => cases.flatMap(({ graders }) => graders.flatMap(namedIn))),
  ),
]

const judgesOf = ({ type }: GraderConfig): Grader['judges'] => graderByType(type)?.judges

const namedIn = (grader: GraderConfig): readonly string[] =>
  judgesOf(grader)?.named(grader.options) ?? []

/** The suites with these judges in place of those they name; none given: as they are. */
export function withJudges(suites: readonly Suite[], judges: readonly string[]): Suite[] {
  if (judges.length === 0) return [...suites]
  return suites.map((suite) => {
    if (!suite.cases.some(isJudged)) return suite
    const cases = suite.cases.map((one) => (isJudged(one) ? judgedBy(one, judges) : one))
    return { ...suite, cases, hash: suiteHash(cases) }
  })
}

const isJudged = ({ graders }: Case): boolean =>
  graders.some((grader) => judgesOf(grader) !== undefined)

function judgedBy(one: Case, judges: readonly string[]): Case {
  const { hash: _, ...content } = one
  const graders = one.graders.map((grader) => {
    const own = judgesOf(grader)
    if (own === undefined) return grader
    return { ...grader, options: own.replaced(grader.options, judges) as Json }
  })
  return { ...content, graders, hash: caseHash({ ...content, graders }) }
}

/** Throws a `UsageError` where a judge is missing, or is nobody who can judge. */
export function checkJudges(suites: readonly Suite[], judges: readonly Subject[]): void {
  for (const { id, kind } of judges)
    if (kind !== 'model' && kind !== 'command')
      throw new UsageError(
        `${id} cannot judge: a ${kind} subject has answers to the cases only. Name a model, or a command that prints marks`,
      )
  const known = new Set(judges.map(({ id }) => id))
  for (const suite of suites)
    for (const one of suite.cases)
      for (const grader of one.graders) {
        if (judgesOf(grader) === undefined) continue
        const named = namedIn(grader)
        if (named.length === 0)
          throw new UsageError(
            `the grader ${grader.name} of case ${suite.id} ${one.id} names no judge: give judges in the suite, --judge, or judges in assay.toml`,
          )
        const missing = named.find((judge) => !known.has(judge))
        if (missing !== undefined)
          throw new UsageError(
            `the judge ${missing} of case ${suite.id} ${one.id} is not among the judges of the run`,
          )
      }
}

export interface JudgeEstimate {
  readonly judge: string
  /** Where every reply is valid at once. */
  readonly requests: number
  /** An upper guess; null where the price is unknown. */
  readonly usd: number | null
}

/** Characters of an answer that nobody has seen yet, for each token it may have. */
const CHARS_PER_TOKEN = 2
const TOKENS_GUESS = 4096

/** What judging will ask and cost, for so many answers of a case. */
export function estimateJudges(
  suites: readonly Suite[],
  judges: readonly Subject[],
  answersOf: (one: Case) => number,
): JudgeEstimate[] {
  return judges.map((judge) => {
    let requests = 0
    let usd: number | null = 0
    for (const { cases } of suites)
      for (const one of cases)
        for (const grader of one.graders) {
          const own = judgesOf(grader)
          if (own === undefined || !namedIn(grader).includes(judge.id)) continue
          const answer = 'x'.repeat(CHARS_PER_TOKEN * (one.maxTokens ?? TOKENS_GUESS))
          const messages = own.messages({ case: one, answer, files: {} }, grader.options)
          const each = judge.estimateUsd(
            askedOf(
              one,
              messages.map(({ content }) => content),
            ),
          )
          requests += answersOf(one)
          usd = usd === null || each === null ? null : usd + each * answersOf(one)
        }
    return { judge: judge.id, requests, usd }
  })
}

/** A case that asks what a judge is asked, for estimates: one request, without the case's own limit. */
export const askedOf = (one: Case, texts: readonly string[]): Case => ({
  ...one,
  turns: [texts.join('\n\n')],
  maxTokens: null,
})
