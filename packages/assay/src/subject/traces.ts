/**
 * Returns which traces each kind of subject records, as far as this is known before the run. A trace is a trajectory or
 * a diff of the workspace.
 */
import type { Case, Traces } from '@assay/contract'
import type { EventFormat } from './agent/names.ts'
import { fromOurs } from './command/given-env.ts'
import { FAMILIES, upstreamsOf } from './gateway/route.ts'
import type { NamedSubject } from './named-subject.ts'

/** The traces of a subject that returns only text. */
export const NO_TRACES: Traces = { trajectory: false, diff: false }

export interface CommandOutput {
  readonly events: EventFormat | null
  readonly answerAs: 'text' | 'json'
  /**
   * Whether requests from a workspace go through the gateway. The gateway shows what the command does, so there is a
   * trajectory.
   */
  readonly isGated?: boolean
}

/**
 * Returns the traces of a command. A command in a workspace may print events without declaring their format. So it may
 * have a trajectory.
 */
export const commandTraces = (
  { events, answerAs, isGated = false }: CommandOutput,
  { workspace }: Pick<Case, 'workspace'>,
): Traces => ({
  trajectory:
    (isGated && workspace !== null) ||
    (answerAs === 'text' && events !== 'text' && (events !== null || workspace !== null)),
  diff: workspace !== null,
})

/**
 * Returns the traces of a subject from its description alone. Returns null if they are not known before the subject is
 * created.
 */
export function describedTraces(
  subject: NamedSubject,
  one: Pick<Case, 'workspace'>,
): Traces | null {
  if (subject.agent !== undefined || subject.replay !== undefined) return null
  // It depends on the reference of each case whether this subject works in the workspace.
  if (subject.baseline !== undefined) return null
  if (subject.command === undefined) return NO_TRACES
  const { events = null, answerAs = 'text', env = {}, passEnv = [], gateway = true } = subject
  const isGated = gateway && upstreamsOf(FAMILIES, { ...fromOurs(passEnv), ...env }).length > 0
  return commandTraces({ events, answerAs, isGated }, one)
}
