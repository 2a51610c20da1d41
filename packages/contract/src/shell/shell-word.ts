/**
 * Words for commands that Assay prints and that a user may paste into a shell. The words often come from a suite or a
 * run of somebody else. So each word stays one word, whatever characters it contains. Characters that a person cannot
 * see (line breaks, control characters, invisible and bidirectional ones) are written as escapes. Otherwise a command
 * could hide what it really does, for example after a comment and a line break.
 */

/** Matches characters that are invisible, look like a space, or change how other characters are displayed. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

/** Quotes a word so that a shell reads it as one word. */
export function shellWord(word: string): string {
  if (/^[\w./+:@%,-][\w./+:@%=,-]*$/u.test(word)) return word
  if (word.search(UNSEEN) === -1) return `'${word.replaceAll("'", String.raw`'\''`)}'`
  return `$'${word.replaceAll(/[\\']/gu, String.raw`\$&`).replaceAll(UNSEEN, escaped)}'`
}

/** Quotes a path like `shellWord`, and so that no program reads it as one of its flags. */
export const shellPath = (path: string): string =>
  shellWord(path.startsWith('-') ? `./${path}` : path)

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escaped(char: string): string {
  const code = char.codePointAt(0) ?? 0
  return (
    NAMED[char] ??
    (code > 0xffff
      ? `\\U${code.toString(16).padStart(8, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`)
  )
}
