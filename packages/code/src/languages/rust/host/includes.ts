/**
 * Makes relative paths in `include_str!("data.txt")` and similar macros work. The compiler reads the crate's main
 * file from a pipe. So it does not know the folder to which such a path is relative. This code puts the folder before
 * the path. The compiler gets the folder in an environment variable.
 */
import { edited, read, textOf, type Edit } from './source/lex.ts'

export const FOLDER = 'ASSAY_FOLDER'

const INCLUDES = new Set(['include', 'include_str', 'include_bytes'])

export function withFolder(source: string): string {
  const lexed = read(source)
  const edits: Edit[] = []
  for (let at = 0; at < lexed.tokens.length; at++) {
    const open = lexed.tokens[at + 2]
    const close = lexed.tokens[lexed.partner[at + 2] ?? -1]
    if (!INCLUDES.has(textOf(lexed, at)) || textOf(lexed, at + 1) !== '!') continue
    if (open?.kind !== 'open' || close === undefined) continue
    const folder = `::core::concat!(::core::env!("${FOLDER}"), "/", `
    edits.push(
      { start: open.end, end: open.end, text: folder },
      { start: close.start, end: close.start, text: ')' },
    )
  }
  return edited(source, edits)
}
