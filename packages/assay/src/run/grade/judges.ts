/**
 * Selects the judges of a run. A suite names its judges. If the user names judges, they replace the judges of all
 * suites. A case's hash includes its judges, because another judge is a different measurement.
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
import { isExploring } from '../workspaces.ts'

/** Returns all judges that the suites name, in the order of their first appearance. */
export const judgesIn = (suites: readonly Suite[]): string[] => [
  ...new Set(
    suites.flatMap(({ cases }) => cases.flatMap(({ graders }) => graders.flatMap(namedIn))),
  ),
]

const judgesOf = ({ type }: GraderConfig): Grader['judges'] => graderByType(type)?.judges

const namedIn = (grader: GraderConfig): readonly string[] =>
  judgesOf(grader)?.named(grader.options) ?? []

/** Returns the suites with these judges instead of their own. If the list is empty, the suites stay unchanged. */
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

/** Throws a `UsageError` if a judge is missing, or if it is a subject that cannot judge. */
export function checkJudges(suites: readonly Suite[], judges: readonly Subject[]): void {
  for (const { id, kind } of judges)
    if (kind !== 'model' && kind !== 'command' && kind !== 'agent')
      throw new UsageError(
        `${id} cannot judge: a ${kind} subject has answers to the cases only. Name a model, an agent, or a command that prints marks`,
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
        const idle = judges.find(({ id, kind }) => kind === 'model' && named.includes(id))
        if (idle !== undefined && judgesOf(grader)?.exploration(grader.options).isWanted === true)
          throw new UsageError(
            `the grader ${grader.name} of case ${suite.id} ${one.id} has explore = true, but ${idle.id} is a model, which cannot explore: name an agent or a command`,
          )
        const missing = named.find((judge) => !known.has(judge))
        if (missing !== undefined)
          throw new UsageError(
            `the judge ${missing} of case ${suite.id} ${one.id} is not among the judges of the run`,
          )
      }
}

/** Returns a judge of the case whose cost cannot be estimated. Returns null if there is none. */
export function openJudge(
  one: Case,
  judges: readonly Subject[],
): { readonly id: string; readonly isExploring: boolean } | null {
  for (const grader of one.graders) {
    const own = judgesOf(grader)
    if (own === undefined) continue
    const exploration = own.exploration(grader.options)
    const named = own.named(grader.options)
    const open = judges.find(
      (judge) =>
        named.includes(judge.id) &&
        judge.estimateUsd({ ...one, limits: exploration.limits }) === null,
    )
    if (open !== undefined) return { id: open.id, isExploring: isExploring(open, exploration) }
  }
  return null
}

export interface JudgeEstimate {
  readonly judge: string
  /** The number of requests in the best case: every first reply is valid, and the runs of each judge agree. */
  readonly requests: number
  /** The number of requests in the worst case: the runs of each judge never agree. */
  readonly mostRequests: number
  /** An upper estimate of the cost of `mostRequests`. Null if a price is unknown. */
  readonly usd: number | null
}

/** The assumed number of characters per token, for the estimated length of answers that do not exist yet. */
const CHARS_PER_TOKEN = 2
const TOKENS_GUESS = 4096

/**
 * Estimates the number of requests to each judge and their cost. `answersOf` returns the number of answers to a case.
 */
export function estimateJudges(
  suites: readonly Suite[],
  judges: readonly Subject[],
  answersOf: (one: Case) => number,
): JudgeEstimate[] {
  return judges.map((judge) => {
    let requests = 0
    let mostRequests = 0
    let usd: number | null = 0
    for (const { cases } of suites)
      for (const one of cases)
        for (const grader of one.graders) {
          const own = judgesOf(grader)
          const runs = own?.runs(grader.options).find((plan) => plan.judge === judge.id)
          if (own === undefined || runs === undefined) continue
          const answer = 'x'.repeat(CHARS_PER_TOKEN * (one.maxTokens ?? TOKENS_GUESS))
          const messages = own.messages({ case: one, answer, files: {} }, grader.options)
          const { limits } = own.exploration(grader.options)
          const each = judge.estimateUsd(
            askedOf(
              { ...one, limits },
              messages.map(({ content }) => content),
            ),
          )
          const most = answersOf(one) * runs.most
          requests += answersOf(one) * runs.planned
          mostRequests += most
          usd = usd === null || each === null ? null : usd + each * most
        }
    return { judge: judge.id, requests, mostRequests, usd }
  })
}

/** Returns a case with the judge's prompt as its question, to estimate the cost. It has one turn and no token limit. */
export const askedOf = (one: Case, texts: readonly string[]): Case => ({
  ...one,
  turns: [texts.join('\n\n')],
  maxTokens: null,
})
