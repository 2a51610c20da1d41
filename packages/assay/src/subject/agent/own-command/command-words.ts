/**
 * Replaces the placeholders for the prompt, the session and the trial's index in the arguments of a command. The
 * arguments are passed without a shell, so their content cannot run other commands.
 */
import type { Ask, Message } from '@assay/contract'

export const PROMPT = '{prompt}'
export const SESSION = '{session}'
const INDEX = '{index}'

/**
 * Replaces the placeholder for the trial's index. With the index, a script can behave differently in each trial, but in
 * the same way if a trial is repeated.
 */
export const withIndex = (words: readonly string[], index: number): string[] =>
  words.map((word) => word.replaceAll(INDEX, String(index)))

/** Replaces `{prompt}`. If no argument contains it, adds the prompt as the last argument. */
export function withPrompt(words: readonly string[], prompt: string): string[] {
  const isPlaced = words.some((word) => word.includes(PROMPT))
  return isPlaced ? words.map((word) => word.replaceAll(PROMPT, () => prompt)) : [...words, prompt]
}

/**
 * Replaces `{session}`. If there is no session yet, an option that contains it is left out (`--resume {session}`,
 * `--resume={session}`). In other arguments, `{session}` is replaced by an empty text.
 */
export function withSession(words: readonly string[], session: string | null): readonly string[] {
  if (session !== null) return words.map((word) => word.replaceAll(SESSION, () => session))
  const isOption = (word = ''): boolean => /^--?[^-]/u.test(word)
  // An option with `=` already contains its value, so the next argument does not belong to it.
  const takes = (at: number): boolean =>
    words[at + 1] === SESSION && isOption(words[at]) && words[at]?.includes('=') === false
  return words
    .filter((word, at) => !takes(at) && !takes(at - 1) && !(isOption(word) && hasSession(word)))
    .map((word) => word.replaceAll(SESSION, ''))
}

const hasSession = (word: string): boolean => word.includes(SESSION)

/** Returns the data of a trial as one line of JSON, for programs that read JSON on stdin. */
export function asJson(ask: Ask, messages: readonly Message[]): string {
  const { suite, case: one, index, maxTokens } = ask
  const asked = { suite, case: one.id, index, messages, maxTokens, files: one.files }
  return `${JSON.stringify(asked)}\n`
}
