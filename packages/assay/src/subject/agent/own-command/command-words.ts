/** The words of a command, with prompt, session and the trial's number in their places. No shell ever sees them. */
import type { Ask, Message } from '@assay/contract'

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

/**
 * The session in its place. Where there is none yet an option for it is left out (`--resume {session}`,
 * `--resume={session}`); a word that stands for itself stays, and has nothing in that place.
 */
export function withSession(words: readonly string[], session: string | null): readonly string[] {
  if (session !== null) return words.map((word) => word.replaceAll(SESSION, () => session))
  const isOption = (word = ''): boolean => /^--?[^-]/u.test(word)
  // One with its value behind a = takes no word after it.
  const takes = (at: number): boolean =>
    words[at + 1] === SESSION && isOption(words[at]) && words[at]?.includes('=') === false
  return words
    .filter((word, at) => !takes(at) && !takes(at - 1) && !(isOption(word) && hasSession(word)))
    .map((word) => word.replaceAll(SESSION, ''))
}

const hasSession = (word: string): boolean => word.includes(SESSION)

/** Everything about a trial, for programs that read it as JSON. */
export function asJson(ask: Ask, messages: readonly Message[]): string {
  const { suite, case: one, index, maxTokens } = ask
  const asked = { suite, case: one.id, index, messages, maxTokens, files: one.files }
  return `${JSON.stringify(asked)}\n`
}
