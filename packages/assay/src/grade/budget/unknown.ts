/**
 * The output of a grader that lacks its data: the subject did not report what an answer used, or a plain model
 * answered, so there are no actions of an agent. The grade has no verdict, only the reason, and the other graders
 * decide. If no other grader decides, the trial is errored, because unknown is neither a pass nor a failure.
 */
import type { GraderInput, GraderOutput } from '../grader.ts'

/** The graders that may lack their data. */
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

/**
 * Returns a grade without a verdict, or throws if the case has no other grader that can decide. `cause` matches the
 * remark on the answer that explains why, if there is one.
 */
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
