/**
 * What a grader says of something that nobody told it: what an answer used, where the subject does not
 * report it, or what an agent did, where a plain model answered. It leaves the trial to the other graders,
 * with the reason on its grade; where there are none that decide, the trial is errored, for an unknown is
 * neither a pass nor a failure.
 */
import type { GraderInput, GraderOutput } from '../grader.ts'

/** The graders for which that can happen. */
const MAY_NOT_KNOW = new Set([
  'token-budget',
  'cost-budget',
  'time-budget',
  'tool-calls',
  'skill-invocation',
  'turn-count',
  'tool-call-count',
  'error-count',
  'diff-contains',
  'diff-empty',
  'diff-size',
  'files-touched',
])

export function judgeUnknown(what: string, { case: one }: Pick<GraderInput, 'case'>): GraderOutput {
  if (one.graders.every(({ type }) => MAY_NOT_KNOW.has(type)))
    throw new Error(`${what} is not known, and no other grader of the case decides`)
  return { score: null, passed: null, reason: `not judged: ${what} is not known` }
}
