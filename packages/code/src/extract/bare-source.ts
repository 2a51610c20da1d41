/**
 * Removes string literals and comments from source, so that a pattern that looks for names finds only code. This is a
 * single loop that never goes back, because the source may be a hostile answer: a regular expression would search for
 * the end of every string again and again.
 */
export interface TextSyntax {
  /** Starts a comment that ends with its line. */
  readonly lineComment: string
  /** The start and end marks of a block comment; null if the language has none. */
  readonly blockComment: readonly [begin: string, end: string] | null
  /** Quotes of string literals, longer ones first. */
  readonly quotes: readonly { readonly mark: string; readonly canSpanLines: boolean }[]
}

export interface BareSource {
  /** The source with the same number of lines. Each string literal is `''`, each comment a space. */
  readonly text: string
  /** True if a multi-line string or comment is not closed. */
  readonly isOpen: boolean
}

export function bareSource(
  source: string,
  { lineComment, blockComment, quotes }: TextSyntax,
  keepsTexts = false,
): BareSource {
  const parts: string[] = []
  let from = 0
  let at = 0
  const replace = (end: number, by: string): void => {
    parts.push(source.slice(from, at), by)
    at = from = end
  }
  const lines = (begin: number, end: number): string =>
    '\n'.repeat(source.slice(begin, end).split('\n').length - 1)
  while (at < source.length) {
    if (source.startsWith(lineComment, at)) {
      const end = source.indexOf('\n', at)
      replace(end === -1 ? source.length : end, ' ')
      continue
    }
    if (blockComment !== null && source.startsWith(blockComment[0], at)) {
      const end = source.indexOf(blockComment[1], at + 2)
      if (end === -1) return { text: parts.join('') + source.slice(from, at), isOpen: true }
      replace(end + 2, ` ${lines(at, end)}`)
      continue
    }
    const quote = quotes.find(({ mark }) => source.startsWith(mark, at))
    if (quote === undefined) {
      at++
      continue
    }
    const end = textEnd(source, at, quote)
    if (end === null) return { text: parts.join('') + source.slice(from, at), isOpen: true }
    if (keepsTexts) at = end
    else replace(end, `''${quote.canSpanLines ? lines(at, end) : ''}`)
  }
  return { text: parts.join('') + source.slice(from), isOpen: false }
}

/** Returns where the string literal that begins at `begin` ends, or null if it never ends. */
function textEnd(
  source: string,
  begin: number,
  { mark, canSpanLines }: TextSyntax['quotes'][number],
): number | null {
  for (let at = begin + mark.length; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (!canSpanLines && source[at] === '\n') return at
    else if (source.startsWith(mark, at)) return at + mark.length
  }
  return canSpanLines ? null : source.length
}
