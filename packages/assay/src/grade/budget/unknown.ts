/**
 * The output of a grader that lacks its data. For example, the subject did not report its tokens, or it is a plain
 * model and has no actions. The grade then has a reason but no verdict, and the other graders decide. If no other
 * grader decides, the trial is errored, because unknown data shows neither a pass nor a failure.
 */
import type { GraderInput, GraderOutput } from '../grader.ts'

/** The types of the graders that may lack their data and then give no verdict. */
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
 * Returns a grade without a verdict. Throws if every grader of the case is of a type that may lack its data, because
 * then nothing might decide. If a remark on the answer matches `cause`, the reason quotes the remark as the
 * explanation.
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
