/**
 * Makes text from suites, models and providers safe to print. Such text can contain control characters, escape
 * sequences and marks that reverse the writing direction. A terminal would obey them, and could show something else
 * than the text.
 */

/** The C0 control characters except tab and newline, DEL, the C1 control characters, and the bidirectional controls. */
const UNSAFE =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Returns the text on one line, without characters that a terminal would interpret. */
export const plain = (text: string): string => plainLines(text).replaceAll(/[\n\t]+/g, ' ')

/** Returns the text like `plain`, but keeps line breaks and tabs. */
export const plainLines = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(UNSAFE, '\ufffd')
