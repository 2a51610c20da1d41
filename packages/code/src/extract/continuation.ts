/**
 * Makes a program from an answer that continues its prompt: the prompt followed by the answer. The answer is cut at
 * the first stop token, a text with which the benchmark's format marks the end of an answer.
 */
import type { Case } from '@assay/contract'
import type { Language } from '../language.ts'

/**
 * Joins the prompt and the answer. The answer may repeat the whole function that the prompt begins. Then the language
 * decides which part of the prompt stays before the answer.
 */
export function continued(
  answer: string,
  code: string | null,
  { entryPoint, stop, turns }: Pick<Case, 'entryPoint' | 'stop' | 'turns'>,
  language: Language,
): string {
  const prompt = turns.join('\n')
  const text = code ?? answer
  const again = entryPoint ?? language.source.definedInside(prompt).at(-1) ?? null
  if (again !== null && language.source.definedInside(text).includes(again))
    return language.source.afterPrompt(prompt, text)
  const ends = stop.map((token) => text.indexOf(token)).filter((at) => at !== -1)
  const whole = `${prompt}${ends.length === 0 ? text : text.slice(0, Math.min(...ends))}`
  // The stop token may be the brace that closes the function. The cut then removed that brace, so add it again.
  return stop.some((token) => token.startsWith('\n}')) && isOpen(whole) ? `${whole}\n}\n` : whole
}

/** True if there are more opening than closing braces. */
const isOpen = (code: string): boolean => code.split('{').length > code.split('}').length
