/** Matches characters that are invisible, or that change how a terminal shows other characters. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

/** Quotes a word for a shell if necessary. Characters that a reader cannot see are written as escapes. */
export function quoted(word: string): string {
  if (/^[\w.:/-]+$/.test(word)) return word
  if (word.search(UNSEEN) === -1) return `'${word.replaceAll("'", String.raw`'\''`)}'`
  return `$'${word.replaceAll(/[\\']/gu, String.raw`\$&`).replaceAll(UNSEEN, escaped)}'`
}

/** Quotes a path like `quoted`, and so that no program reads it as one of its flags. */
export const quotedPath = (path: string): string =>
  quoted(path.startsWith('-') ? `./${path}` : path)

const escaped = (char: string): string =>
  `\\U${(char.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`
