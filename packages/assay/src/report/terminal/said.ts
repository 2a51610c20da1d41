/** Reads the recorded messages of a conversation and gives each a title that says who wrote it. */
import type { Message } from '@assay/contract'

export interface Said {
  readonly title: string
  readonly content: string
}

/** Returns the messages before an answer. Null if their record is missing or damaged. */
export function readMessages(text: string | null): readonly Said[] | null {
  try {
    const messages: unknown = JSON.parse(text ?? '')
    if (!Array.isArray(messages) || !messages.every(isMessage)) return null
    return messages.map(({ role, content }, at) => ({
      title: titleOf(role, messages, at),
      content,
    }))
  } catch {
    return null
  }
}

function titleOf(role: Message['role'], messages: readonly Message[], at: number): string {
  if (role === 'system') return 'system'
  if (role === 'user')
    return messages.slice(at).some((one) => one.role === 'assistant') ? 'user' : 'prompt'
  return 'assistant'
}

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' &&
  value !== null &&
  'role' in value &&
  (value.role === 'system' || value.role === 'user' || value.role === 'assistant') &&
  'content' in value &&
  typeof value.content === 'string'
