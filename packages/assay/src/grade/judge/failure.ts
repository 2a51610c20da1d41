/** Thrown if a judge gave no valid verdict. The trial is then errored, but its answer is kept. */
export class JudgeFailure extends Error {
  override readonly name = 'JudgeFailure'
}
