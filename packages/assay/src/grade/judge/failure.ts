/** Thrown if a judge gave no valid verdict. The trial is then errored but keeps its answer. */
export class JudgeFailure extends Error {
  override readonly name = 'JudgeFailure'
}
