/**
 * Text from models, suites and providers, made visible: characters that show nothing, end a terminal's
 * line, turn the writing direction round or hide other text become marks that a reader sees. What joins
 * letters of a script or parts of a picture character is left alone.
 */

export interface Piece {
  readonly text: string
  /** Stands for characters that would not be seen. */
  readonly isMark: boolean
}

/**
 * Controls but tab and newline, separators that break lines, lone surrogates, and everything that Unicode
 * calls ignorable (direction marks, zero-width spaces, tags, fillers).
 */
const HIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Cs}\p{Default_Ignorable_Code_Point}]/u

/** Directly after a character that is not ASCII these belong to it; a joiner also after its selector. */
const SELECTOR = /[\ufe00-\ufe0f]/
const JOINER = /[\u200c\u200d]/

const SYMBOLS = 0x2400

/** How one hidden character is written: `␛`, `<U+202E>`. */
function markOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCharCode(SYMBOLS + code)
  if (code === 0x7f) return '\u2421'
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}

/** The text in pieces, those that stand for hidden characters marked. */
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
    // A line break of two characters is one line break.
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

/** For places that take only a string: titles, labels, options. One line. */
export const visible = (text: string): string =>
  visiblePieces(text)
    .map((piece) => piece.text)
    .join('')
    .replaceAll(/[\n\t]+/g, ' ')

/** Longer names than this are not looked at to their end. */
const LONGEST = 2000

/** The same, cut to a number of characters; in the middle, since names often differ at their ends. */
export function brief(text: string, most: number): string {
  const all = Array.from(visible(text.slice(0, LONGEST)))
  if (all.length <= most) return all.join('')
  const tail = Math.floor((most - 1) * 0.4)
  return `${all.slice(0, most - 1 - tail).join('')}…${all.slice(all.length - tail).join('')}`
}
