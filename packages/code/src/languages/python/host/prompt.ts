/** How Python reads the prompt of a continuation. */

/** Text in a docstring may begin with `let` or `type`: in Python those define nothing. */
export const PYTHON_DEFINITION =
  /^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+([\p{L}_][\p{L}\p{N}_]*)/gmu

/** The prompt before a function that an answer repeats; one that ends in a header gets a body first. */
export function promptPrelude(prompt: string): string {
  const code = prompt.split('\n').filter((line) => !/^\s*(?:#|$)/.test(line))
  const last = code.at(-1) ?? ''
  const complete = last.trimEnd().endsWith(':')
    ? `${prompt.trimEnd()}\n${/^\s*/.exec(last)?.[0] ?? ''}    pass`
    : prompt
  return `${complete}\n\n`
}
