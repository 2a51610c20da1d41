/**
 * Joins the words of a command, quoted as in a shell. Characters that a person cannot see (line breaks, control
 * characters, invisible and bidirectional ones) are written as escapes. Otherwise a command could hide what it
 * really does, for example after a comment and a line break.
 */

export const shownWords = (words: readonly string[]): string => words.map(quoted).join(' ')

/** Matches characters that are invisible, look like a space, or change how other characters are displayed. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

export function quoted(word: string): string {
  if (/^[\w./+:@%=,-]+$/u.test(word)) return word
  if (word.search(UNSEEN) === -1) return `'${word.replaceAll("'", "'\\''")}'`
  return `$'${word.replaceAll(/[\\']/gu, '\\$&').replaceAll(UNSEEN, escaped)}'`
}

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
