/** Places at which a text may be cut: after a line, a sentence, a clause or a word. The best comes first. */
const BORDERS = ['\n', '. ', '; ', ' ']

/** Returns the text, cut at the end of a line, a sentence or a word if it has more than `most` characters. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  for (const border of BORDERS) {
    const end = text.lastIndexOf(border, most - border.length)
    // Do not cut at a border in the first half, because that would lose too much of the text.
    if (end >= most / 2) return `${text.slice(0, end + border.trimEnd().length)} …`
  }
  return `${text.slice(0, most)}…`
}
