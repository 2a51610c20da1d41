/** For tests of graders: an answer with nothing around it, and what a grader says of it. */
import { graderByType } from '../src/grade/graders.ts'
import type { Graded, GraderContext, Judgement } from '../src/grade/grader.ts'
import { fakeCase } from './fakes.ts'

export const gradedAnswer = (answer: string, change: Partial<Graded> = {}): Graded => ({
  case: fakeCase('c'),
  answer,
  files: {},
  usage: null,
  usd: null,
  answerMs: 0,
  folder: null,
  ...change,
})

/** Options are as a suite writes them. */
export async function judged(
  type: string,
  options: unknown,
  answer: string,
  change: Partial<Graded> = {},
  context: Partial<GraderContext> = {},
): Promise<Judgement> {
  const grader = graderByType(type)
  if (grader === undefined) throw new Error(`there is no grader ${type}`)
  const graded = gradedAnswer(answer, change)
  let given = grader.options.parse(options)
  if (grader.resolve !== undefined) {
    const resolved = await grader.resolve(given, graded.folder ?? '/')
    if ('faults' in resolved) throw new Error(JSON.stringify(resolved.faults))
    given = resolved.options
  }
  return await grader.grade(graded, given, {
    signal: new AbortController().signal,
    timeoutMs: 10_000,
    sandbox: null,
    random: () => 0,
    ...context,
  })
}

/** Why options are refused. */
export function refusal(type: string, options: unknown): string {
  const result = graderByType(type)?.options.safeParse(options)
  return (
    result?.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join() ?? ''
  )
}
