/** Words of a command as they could be typed into a shell. */

export const shownWords = (words: readonly string[]): string => words.map(quoted).join(' ')

export const quoted = (word: string): string =>
  /^[\w./+:@%=,-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
