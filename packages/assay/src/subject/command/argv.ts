/**
 * Splits a command in one line of text into words. No shell is used, and only quotes and backslashes have a special
 * meaning. So the content of a prompt or a path can never start another command.
 *
 * White space separates words. 'Single quotes' keep everything as it is. In "double quotes", a backslash escapes a
 * following " or \ and is an ordinary character otherwise. Outside of quotes, a backslash escapes any character.
 */
import { UsageError } from '@assay/contract'

/** Words that mean something only in a shell. If a command contains one of them, the user probably expects a shell. */
const SHELL_WORDS = new Set(['|', '||', '&', '&&', ';', '<', '>', '>>', '2>', '2>&1', '&>'])

const PIECE = /'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+)|(\s+)|([^])/gy

/**
 * Returns the words of a command.
 *
 * @example splitCommand(`node solve.js --name "two words"`) // ['node', 'solve.js', '--name', 'two words']
 */
export function splitCommand(line: string): string[] {
  const words: string[] = []
  let word: string | null = null
  const finish = (): void => {
    if (word !== null) words.push(word)
    word = null
  }
  for (const [piece, single, double, escaped, bare, space] of line.matchAll(PIECE)) {
    if (space !== undefined) finish()
    else if (bare !== undefined) {
      if (word === null && SHELL_WORDS.has(bare))
        throw new UsageError(
          `"${bare}" in the command ${JSON.stringify(line)} is for a shell, and none is used: quote it, or write command:sh -c '…'`,
        )
      word = (word ?? '') + bare
    } else if (single !== undefined) word = (word ?? '') + single
    else if (double !== undefined) word = (word ?? '') + double.replaceAll(/\\(["\\])/g, '$1')
    else if (escaped !== undefined) word = (word ?? '') + escaped
    else
      throw new UsageError(
        piece === '\\'
          ? `the command ${JSON.stringify(line)} ends in a backslash`
          : `the command ${JSON.stringify(line)} has a ${piece} that is not closed`,
      )
  }
  finish()
  if (words.length === 0) throw new UsageError('the command is empty: write command:PROGRAM …')
  return words
}
