/**
 * Makes hidden characters visible in untrusted text from models, suites and providers. Characters that are
 * invisible, break lines, reverse the writing direction or hide other text are replaced by visible marks.
 * Characters that join letters of a script or parts of an emoji are kept.
 */

export interface Piece {
  readonly text: string
  /** Whether the text is a mark for hidden characters. */
  readonly isMark: boolean
}

/**
 * Hidden characters: control characters except tab and newline, line and paragraph separators, lone
 * surrogates, and all characters with the Unicode property Default_Ignorable_Code_Point (direction marks,
 * zero-width spaces, tags, fillers).
 */
const HIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Cs}\p{Default_Ignorable_Code_Point}]/u

/**
 * Variation selectors and joiners are kept if they directly follow a visible character that is not ASCII. A
 * joiner is also kept after such a selector.
 */
const SELECTOR = /[\ufe00-\ufe0f]/
const JOINER = /[\u200c\u200d]/

const SYMBOLS = 0x2400

/** Returns the mark for a hidden character, such as `␛` or `<U+202E>`. */
function markOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCharCode(SYMBOLS + code)
  if (code === 0x7f) return '\u2421'
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}

/** Splits a text into visible pieces and marks for hidden characters. */
export function visiblePieces(text: string): Piece[] {
  if (!HIDDEN.test(text)) return text === '' ? [] : [{ text, isMark: false }]
  const pieces: Piece[] = []
  let start = 0
  let before = ''
  let selected = false
  let marks = ''
  const flush = (to: number): void => {
    if (to > start) pieces.push({ text: text.slice(start, to), isMark: false })
  }
  for (let at = 0; at < text.length;) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    const end = at + character.length
    // CR LF is one line break, so its CR gets no mark.
    const isBreak = character === '\r' && text[end] === '\n'
    const joins: boolean =
      (before > '\u007f' &&
        !isHidden(before) &&
        (SELECTOR.test(character) || JOINER.test(character))) ||
      (selected && JOINER.test(character))
    if (isHidden(character) && !joins) {
      flush(at)
      start = end
      if (!isBreak) marks += markOf(character)
    } else if (marks !== '') {
      pieces.push({ text: marks, isMark: true })
      marks = ''
    }
    selected = joins && SELECTOR.test(character)
    before = character
    at = end
  }
  if (marks !== '') pieces.push({ text: marks, isMark: true })
  flush(text.length)
  return pieces
}

const isHidden = (character: string): boolean => HIDDEN.test(character)

/**
 * Returns the visible text as one line, for attributes and elements that accept only a string: titles,
 * labels, options.
 */
export const visible = (text: string): string =>
  visiblePieces(text)
    .map((piece) => piece.text)
    .join('')
    .replaceAll(/[\n\t]+/g, ' ')

/** `brief` reads only the first characters of a name, up to this number. */
const LONGEST = 2000

/**
 * Like `visible`, but shortened to `most` characters. The middle is left out, because similar names often
 * differ at their ends.
 */
export function brief(text: string, most: number): string {
  const all = Array.from(visible(text.slice(0, LONGEST)))
  if (all.length <= most) return all.join('')
  const tail = Math.floor((most - 1) * 0.4)
  return `${all.slice(0, most - 1 - tail).join('')}…${all.slice(all.length - tail).join('')}`
}
