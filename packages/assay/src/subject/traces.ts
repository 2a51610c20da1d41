/** What each kind of subject can show of its work, as far as that is known before it is asked. */
import type { Case, Traces } from '@assay/contract'
import type { EventFormat } from './agent/names.ts'
import type { NamedSubject } from './named-subject.ts'

/** Words alone. */
export const NO_TRACES: Traces = { trajectory: false, diff: false }

/** In a workspace a command that does not say how it is read may tell events by itself. */
export const commandTraces = (
  { events, answerAs }: { readonly events: EventFormat | null; readonly answerAs: 'text' | 'json' },
  { workspace }: Pick<Case, 'workspace'>,
): Traces => ({
  trajectory: answerAs === 'text' && events !== 'text' && (events !== null || workspace !== null),
  diff: workspace !== null,
})

/** Of a subject that is only described; null where that cannot be known. */
export function describedTraces(
  subject: NamedSubject,
  one: Pick<Case, 'workspace'>,
): Traces | null {
  if (subject.agent !== undefined || subject.replay !== undefined) return null
  if (subject.command === undefined) return NO_TRACES
  const { events = null, answerAs = 'text' } = subject
  return commandTraces({ events, answerAs }, one)
}
