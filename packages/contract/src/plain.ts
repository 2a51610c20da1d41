/**
 * Text from suites, models and providers, made safe to print: control characters, escape sequences and
 * the marks that turn writing direction round would let an answer repaint the terminal it is shown on.
 */

/** C0 but tab and newline, DEL, C1, and the bidirectional controls. */
const UNSAFE =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** One line of text with nothing in it that a terminal would act on. */
export const plain = (text: string): string => plainLines(text).replaceAll(/[\n\t]+/g, ' ')

/** The same, with line breaks and tabs kept. */
export const plainLines = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(UNSAFE, '\ufffd')
