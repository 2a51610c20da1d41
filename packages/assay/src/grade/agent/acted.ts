/**
 * Finds out what is known about an agent's actions in a trial. The agent's requests to its model may go through a
 * gateway (a proxy of Assay). If they do, only the tools, skills and turns in those requests count. Actions that
 * only the agent itself reports do not count then. Without a gateway, the agent's own events count. If there is only
 * the agent's text (format `text`), its actions are unknown, as for a plain model.
 */
import type { Step, Trajectory } from '@assay/contract'
import { counted } from '../../text/index.ts'
import type { GraderInput, GraderOutput } from '../grader.ts'
import { judgeUnknown } from '../budget/unknown.ts'

/** Returns the trajectory if it records actions, otherwise null. */
export const toldBy = ({ trajectory }: GraderInput): Trajectory | null =>
  trajectory === null || trajectory.format === 'text' ? null : trajectory

/** Returns the trajectory if its tools, skills and turns are known, from the agent's requests or from its events. */
export const actedIn = (graded: GraderInput): Trajectory | null =>
  graded.trajectory?.requests === undefined ? toldBy(graded) : graded.trajectory

/**
 * Whether only the agent reports this step, although its requests went through the gateway and do not show the step.
 */
export const isClaimed = (step: Step): boolean => 'evidence' in step && step.evidence === 'claimed'

/** Returns text to append to a grade's reason if there are steps of this kind that only the agent reports. */
export function claimNote({ steps }: Trajectory, kind: 'tool-call' | 'skill'): string {
  const claims = steps.filter((step) => step.kind === kind && isClaimed(step)).length
  if (claims === 0) return ''
  const what = kind === 'skill' ? 'use of a skill is' : 'tool call is'
  const several = kind === 'skill' ? 'uses of skills are' : 'tool calls are'
  return ` (${counted(claims, what, several)} not counted: only the agent tells of that, and its requests do not show it)`
}

export const judgeUntold = (graded: GraderInput): GraderOutput =>
  judgeUnknown('what the subject did on its way to the answer', graded)

export const judgeNoDiff = (graded: GraderInput): GraderOutput =>
  judgeUnknown('what changed in a workspace', graded)

/**
 * Returns text to append to a grade's reason if the agent's event stream broke off. Such a stream does not show
 * everything that happened.
 */
export const tornNote = ({ complete }: Trajectory): string =>
  complete ? '' : ' (its stream broke off: there may have been more)'

/**
 * Returns the output for a trajectory that lost steps because there were too many. A lost step may be a forbidden
 * action, so the grader fails, even with `negate`. Otherwise an agent could hide its actions behind many harmless
 * ones.
 */
export const judgeLossy = (): GraderOutput => ({
  score: 0,
  passed: false,
  final: true,
  reason: 'the agent told more than can be kept: what it must not do may be among that',
})
