/**
 * Removes string literals and comments from source, so that a search for names finds only code. The source may be a
 * hostile answer, so it is read in a single loop that never goes back. With a regular expression, a hostile answer
 * could cause a new search for the end of a string at every quote, which takes quadratic time.
 */
export interface TextSyntax {
  /** The mark that starts a comment up to the end of the line. */
  readonly lineComment: string
  /** The start and end marks of a block comment; null if the language has none. */
  readonly blockComment: readonly [begin: string, end: string] | null
  /** The quotes of string literals. Longer ones come first, so that `"""` is not read as `""` and `"`. */
  readonly quotes: readonly { readonly mark: string; readonly canSpanLines: boolean }[]
}

export interface BareSource {
  /** The source with the same number of lines. Each string literal is replaced by `''` and each comment by a space. */
  readonly text: string
  /** True if a multi-line string or comment is not closed. */
  readonly isOpen: boolean
}

export function bareSource(source: string, syntax: TextSyntax, keepsTexts = false): BareSource {
  const { lineComment, blockComment, quotes } = syntax
  const marks = marksOf(syntax)
  const parts: string[] = []
  let from = 0
  let at = 0
  const replace = (end: number, by: string): void => {
    parts.push(source.slice(from, at), by)
    at = from = end
  }
  const lines = (begin: number, end: number): string =>
    '\n'.repeat(source.slice(begin, end).split('\n').length - 1)
  for (;;) {
    at = next(marks, source, at)
    if (at === source.length) break
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

const known = new Map<string, RegExp>()

/**
 * Returns a pattern that matches any of these characters. Searching with the pattern is much faster than a loop over
 * characters.
 */
function anyOf(characters: string): RegExp {
  const found =
    known.get(characters) ?? new RegExp(`[${characters.replaceAll(/[\\\]^-]/g, '\\$&')}]`, 'g')
  known.set(characters, found)
  return found
}

/** Returns a pattern for the characters with which a comment or string literal can begin. */
const marksOf = ({ lineComment, blockComment, quotes }: TextSyntax): RegExp =>
  anyOf(
    [lineComment, blockComment?.[0] ?? lineComment, ...quotes.map(({ mark }) => mark)]
      .map((mark) => mark.charAt(0))
      .join(''),
  )

/** Returns the index of the next match of the pattern, or the length of the source. */
function next(pattern: RegExp, source: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(source)?.index ?? source.length
}

/** Returns the index at which the string literal that begins at `begin` ends, or null if it never ends. */
function textEnd(
  source: string,
  begin: number,
  { mark, canSpanLines }: TextSyntax['quotes'][number],
): number | null {
  const ends = anyOf(`\\\n${mark.charAt(0)}`)
  for (
    let at = next(ends, source, begin + mark.length);
    at < source.length;
    at = next(ends, source, at + 1)
  ) {
    if (source[at] === '\\') at++
    else if (!canSpanLines && source[at] === '\n') return at
    else if (source.startsWith(mark, at)) return at + mark.length
  }
  return canSpanLines ? null : source.length
}
