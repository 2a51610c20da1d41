/** The words of a command, with prompt, session and the trial's number in their places. No shell ever sees them. */
import type { Ask, Message } from '../../contract.ts'

export const PROMPT = '{prompt}'
export const SESSION = '{session}'
const INDEX = '{index}'

/** For scripts that shall do something else in each trial, and the same again in the same one. */
export const withIndex = (words: readonly string[], index: number): string[] =>
  words.map((word) => word.replaceAll(INDEX, String(index)))

/** The prompt in its place, else as the last word. */
export function withPrompt(words: readonly string[], prompt: string): string[] {
  const isPlaced = words.some((word) => word.includes(PROMPT))
  return isPlaced ? words.map((word) => word.replaceAll(PROMPT, () => prompt)) : [...words, prompt]
}

/** The session in its place; where there is none yet, that word is left out, and an option before it. */
export function withSession(words: readonly string[], session: string | null): readonly string[] {
  if (session !== null) return words.map((word) => word.replaceAll(SESSION, () => session))
  return words.filter(
    (word, at) => !word.includes(SESSION) && !(word.startsWith('-') && words[at + 1] === SESSION),
  )
}

/** Everything about a trial, for programs that read it as JSON. */
export function asJson(ask: Ask, messages: readonly Message[]): string {
  const { suite, case: one, index, maxTokens } = ask
  const asked = { suite, case: one.id, index, messages, maxTokens, files: one.files }
  return `${JSON.stringify(asked)}\n`
}
