/** Quotes a word for a shell if necessary. */
export const quoted = (word: string): string =>
  /^[\w.:/-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
