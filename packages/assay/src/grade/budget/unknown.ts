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

/** `cause`: a remark on the answer that says why, where one does. */
export function judgeUnknown(
  what: string,
  { case: one, remarks = [] }: Pick<GraderInput, 'case' | 'remarks'>,
  cause: RegExp | null = null,
): GraderOutput {
  const why = cause === null ? undefined : remarks.find((remark) => cause.test(remark))
  const unknown = `${what} is not known${why === undefined ? '' : ` (${why})`}`
  if (one.graders.every(({ type }) => MAY_NOT_KNOW.has(type)))
    throw new Error(`${unknown}, and no other grader of the case decides`)
  return { score: null, passed: null, reason: `not judged: ${unknown}` }
}
