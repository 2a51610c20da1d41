/** Says whether each kind of subject records a trajectory and a diff, as far as this is known in advance. */
import type { Case, Traces } from '@assay/contract'
import type { EventFormat } from './agent/names.ts'
import type { NamedSubject } from './named-subject.ts'

/** The subject returns only text. */
export const NO_TRACES: Traces = { trajectory: false, diff: false }

/** In a workspace, a command without a declared format may print events, so it may have a trajectory. */
export const commandTraces = (
  { events, answerAs }: { readonly events: EventFormat | null; readonly answerAs: 'text' | 'json' },
  { workspace }: Pick<Case, 'workspace'>,
): Traces => ({
  trajectory: answerAs === 'text' && events !== 'text' && (events !== null || workspace !== null),
  diff: workspace !== null,
})

/** Returns the traces of a subject that is only described; null if they cannot be known yet. */
export function describedTraces(
  subject: NamedSubject,
  one: Pick<Case, 'workspace'>,
): Traces | null {
  if (subject.agent !== undefined || subject.replay !== undefined) return null
  if (subject.command === undefined) return NO_TRACES
  const { events = null, answerAs = 'text' } = subject
  return commandTraces({ events, answerAs }, one)
}
