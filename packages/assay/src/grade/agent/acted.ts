/**
 * What a trial has of an agent's doing. An agent of which only its text is known (`text`) may have done
 * anything: its tools, turns and errors are as little known as where nobody acted at all.
 */
import type { Trajectory } from '@assay/contract'
import type { GraderInput, GraderOutput } from '../grader.ts'
import { judgeUnknown } from '../budget/unknown.ts'

/** The trajectory where it tells what was done, else null. */
export const toldBy = ({ trajectory }: GraderInput): Trajectory | null =>
  trajectory === null || trajectory.format === 'text' ? null : trajectory

export const judgeUntold = (graded: GraderInput): GraderOutput =>
  judgeUnknown('what the subject did on its way to the answer', graded)

export const judgeNoDiff = (graded: GraderInput): GraderOutput =>
  judgeUnknown('what changed in a workspace', graded)

/** For a reason: what a torn stream told is not all that happened. */
export const tornNote = ({ complete }: Trajectory): string =>
  complete ? '' : ' (its stream broke off: there may have been more)'

/**
 * More was told than is kept, and what must not be there may be in that: it has not been shown that it is
 * not, and an agent must not be able to hide what it did behind noise.
 */
export const judgeLossy = (): GraderOutput => ({
  score: 0,
  passed: false,
  final: true,
  reason: 'the agent told more than can be kept: what it must not do may be among that',
})
