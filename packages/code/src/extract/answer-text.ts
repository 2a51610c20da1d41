/** Prepares the text of an answer, so that code can be found in it. */
import { fencedBlocks, type FencedBlock } from './fenced.ts'
import type { Language } from '../language.ts'

/**
 * The deepest indentation at which a fence (the line of backticks around a code block) is recognized. It is enough
 * for a block in a nested list.
 */
const LIST_INDENT = 12

/** Removes the byte order mark and turns `\r\n` into `\n`. */
export const plainText = (answer: string): string =>
  answer.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')

/** Returns the fenced blocks of an answer, including those in quotations and inside Markdown blocks. */
export function blocksOf(answer: string): FencedBlock[] {
  const blocks = fencedBlocks(unquoted(answer), LIST_INDENT)
  return blocks.flatMap((block) => {
    if (!['md', 'markdown', 'mdx', ''].includes(block.language)) return [block]
    const inner = fencedBlocks(block.content, LIST_INDENT)
    return inner.length > 0 ? inner : [block]
  })
}

/**
 * If all fences are inside quotations, returns the answer without the quotation marks (`>`). Otherwise returns it as it
 * is.
 */
function unquoted(answer: string): string {
  if (!/^ {0,3}> ?(?:`{3}|~{3})/m.test(answer) || /^[ \t]*(?:`{3}|~{3})/m.test(answer))
    return answer
  return answer.replaceAll(/^ {0,3}> ?/gm, '')
}

/** Returns the content of a block. If the block is not closed, prose after the code is part of it and is removed. */
export function withoutProse({ content, isUnclosed }: FencedBlock): string {
  if (!isUnclosed) return content
  const paragraphs = content.split(/\n[ \t]*\n/)
  while (paragraphs.length > 1 && isProse(paragraphs.at(-1) ?? '')) paragraphs.pop()
  return paragraphs.join('\n\n')
}

const SENTENCE = /^[A-Z][\p{L}'’,-]*(?:\s+[\p{L}\d`'’"(),:;/_.+*-]+){3,}[.!?:]?$/u

const isProse = (paragraph: string): boolean =>
  paragraph
    .trim()
    .split('\n')
    .every(
      (line) => SENTENCE.test(line.trim()) && !/^\s/.test(line) && !/[=;{}]|\)\s*:?$/.test(line),
    )

/**
 * Finds the code in a text that has no fenced blocks and starts with a sentence. The code goes from the first line
 * that starts a definition or an import to the last paragraph that is not prose. Returns null if the text does not
 * start with a sentence.
 */
export function codeInProse(text: string, language: Language): string | null {
  const lines = text.split('\n')
  const first = lines.find((line) => line.trim() !== '') ?? ''
  const isCode = (line: string): boolean =>
    language.source.isImport(line) || language.source.defined(`${line}\n`).length > 0
  if (isCode(first) || !/^[A-Z][\p{L}'’]*[ ,][^;{}=]*[.:!]$/u.test(first.trim())) return null
  const begin = lines.findIndex((line) => isCode(line) && /^[^\s]/.test(line))
  if (begin === -1) return null
  const marks = lines.slice(0, begin).findLastIndex((line) => line.trim() === '') + 1
  const decorated = lines.slice(marks, begin).every((line) => /^[@#]/.test(line)) ? marks : begin
  return withoutProse({
    ...{ language: '', info: '', before: '', isUnclosed: true },
    content: lines.slice(decorated).join('\n').trimEnd(),
  })
}
