/** Answers that continue their prompt: the program is both, up to where the format says that it ends. */
import type { Case } from '@assay/contract'
import type { Language } from '../language.ts'

/** A model that repeats the whole function instead has it taken as it is, as the language joins the two. */
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
  // Where the format ends an answer at the brace that closes its function, the brace is still the program's.
  return stop.some((token) => token.startsWith('\n}')) && isOpen(whole) ? `${whole}\n}\n` : whole
}

/** Whether a brace is left open, by count. */
const isOpen = (code: string): boolean => code.split('{').length > code.split('}').length
