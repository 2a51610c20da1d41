/**
 * Makes untrusted text from models, suites and providers visible. Characters that are invisible, end a
 * terminal's line, reverse the writing direction or hide other text become marks that a reader sees.
 * Characters that join letters of a script or parts of an emoji stay.
 */

export interface Piece {
  readonly text: string
  /** True if the text is a mark for hidden characters. */
  readonly isMark: boolean
}

/**
 * Hidden characters: controls except tab and newline, separators that break lines, lone surrogates, and all
 * that Unicode calls ignorable (direction marks, zero-width spaces, tags, fillers).
 */
const HIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Cs}\p{Default_Ignorable_Code_Point}]/u

/**
 * Variation selectors and joiners stay if they directly follow a visible character that is not ASCII. A
 * joiner also stays after such a selector.
 */
const SELECTOR = /[\ufe00-\ufe0f]/
const JOINER = /[\u200c\u200d]/

const SYMBOLS = 0x2400

/** Returns the mark for a hidden character: `␛`, `<U+202E>`. */
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

/** Only this many characters of a name are read. */
const LONGEST = 2000

/**
 * Like `visible`, but shortened to `most` characters. It is cut in the middle, since names often differ at
 * their ends.
 */
export function brief(text: string, most: number): string {
  const all = Array.from(visible(text.slice(0, LONGEST)))
  if (all.length <= most) return all.join('')
  const tail = Math.floor((most - 1) * 0.4)
  return `${all.slice(0, most - 1 - tail).join('')}…${all.slice(all.length - tail).join('')}`
}
