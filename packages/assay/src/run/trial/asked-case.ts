/** What a subject is asked: the case with the subject's own prompt, and the messages that are made from it. */
import type { Case, Message, Subject } from '@assay/contract'

/** Returns the case with the subject's own prompt, if it has one. */
export const askedCase = (subject: Pick<Subject, 'asks'>, suite: string, one: Case): Case =>
  subject.asks?.(one, suite) ?? one

const NO_MESSAGES: readonly Message[] = []

/** Returns the messages before the user's first turn. */
export const openingOf = ({ system, examples = NO_MESSAGES }: Case): readonly Message[] =>
  system === undefined ? examples : [{ role: 'system', content: system }, ...examples]

export function messagesOf(one: Case): readonly Message[] {
  const turns = one.turns.map((content): Message => ({ role: 'user', content }))
  const opening = openingOf(one)
  return opening.length === 0 ? turns : [...opening, ...turns]
}
