import { shellWord } from '@assay/contract'

/** Joins the words of a command, quoted as in a shell. */
export const shownWords = (words: readonly string[]): string => words.map(shellWord).join(' ')
