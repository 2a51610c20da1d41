/**
 * Prepares a source before any tool reads it. A source that could overload a parser is refused. Comments that silence
 * a tool, such as `eslint-disable`, are replaced by spaces, so that a solution cannot switch off its checks. All
 * positions in the source stay the same.
 */

export const MOST_SOURCE = 256 * 1024
const MOST_DEPTH = 100

/** Matches strings and comments, roughly. They are removed before brackets are counted. */
const QUOTED = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g

/** Returns the reason why a source is refused, or null if it may be parsed. */
export function refused(source: string): string | null {
  if (source.length > MOST_SOURCE || Buffer.byteLength(source) > MOST_SOURCE)
    return `the source is larger than ${MOST_SOURCE / 1024} KiB`
  let depth = 0
  let deepest = 0
  const code = source.replaceAll(QUOTED, '')
  for (let index = 0; index < code.length; index++) {
    const char = code[index]
    if (char === '(' || char === '[' || char === '{') deepest = Math.max(deepest, ++depth)
    else if ((char === ')' || char === ']' || char === '}') && depth > 0) depth--
  }
  return deepest > MOST_DEPTH ? `brackets are nested more than ${MOST_DEPTH} deep` : null
}

interface Comment {
  readonly start: number
  readonly end: number
}

export interface Silenced {
  readonly at: number
  readonly directive: string
}

const DIRECTIVES =
  /@ts-(?:nocheck|ignore|expect-error)\b|(?:eslint|oxlint)-(?:disable|enable)(?:-next-line|-line)?\b/g

/**
 * Returns the source with silencing directives replaced by blanks, and the positions of these directives.
 * `eslint-enable` silences nothing and stays.
 */
export function unsilenced(
  source: string,
  comments: readonly Comment[],
): { source: string; silenced: Silenced[] } {
  const silenced: Silenced[] = []
  let text = source
  for (const { start, end } of comments) {
    const comment = source.slice(start, end)
    const blanked = comment.replaceAll(DIRECTIVES, (directive, at: number) => {
      if (directive.includes('-enable')) return directive
      silenced.push({ at: start + at, directive })
      return ' '.repeat(directive.length)
    })
    if (blanked !== comment) text = text.slice(0, start) + blanked + text.slice(end)
  }
  return { source: text, silenced }
}

/** Returns the line and column of an offset, both counted from 1. */
export function placeIn(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, Math.max(0, offset))
  const start = before.lastIndexOf('\n') + 1
  let line = 1
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line++
  return { line, column: before.length - start + 1 }
}
