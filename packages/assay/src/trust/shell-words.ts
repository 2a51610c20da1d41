/** Joins the words of a command, quoted as for a shell. */

export const shownWords = (words: readonly string[]): string => words.map(quoted).join(' ')

export const quoted = (word: string): string =>
  /^[\w./+:@%=,-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
