/**
 * What is known about an agent's actions in a trial. If only an agent's text is known (format `text`), its tools,
 * turns and errors are unknown, just as for a plain model.
 */
import type { Trajectory } from '@assay/contract'
import type { GraderInput, GraderOutput } from '../grader.ts'
import { judgeUnknown } from '../budget/unknown.ts'

/** Returns the trajectory if it records actions, else null. */
export const toldBy = ({ trajectory }: GraderInput): Trajectory | null =>
  trajectory === null || trajectory.format === 'text' ? null : trajectory

export const judgeUntold = (graded: GraderInput): GraderOutput =>
  judgeUnknown('what the subject did on its way to the answer', graded)

export const judgeNoDiff = (graded: GraderInput): GraderOutput =>
  judgeUnknown('what changed in a workspace', graded)

/** Returns a note for a reason: a stream that broke off does not show everything that happened. */
export const tornNote = ({ complete }: Trajectory): string =>
  complete ? '' : ' (its stream broke off: there may have been more)'

/**
 * The output if the agent reported more than is kept. What it must not do may be in the part that was dropped, so the
 * grader fails, also if negated: an agent must not be able to hide its actions behind noise.
 */
export const judgeLossy = (): GraderOutput => ({
  score: 0,
  passed: false,
  final: true,
  reason: 'the agent told more than can be kept: what it must not do may be among that',
})
