/** An answer's text before code is looked for in it. */
import { fencedBlocks, type FencedBlock } from './fenced.ts'
import type { Language } from '../language.ts'

/** Deep enough for a block in a list in a list. */
const LIST_INDENT = 12

/** Without a mark of the byte order, and with one kind of line end. */
export const plainText = (answer: string): string =>
  answer.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')

/** The blocks of an answer, those in quoted text and in blocks of Markdown among them. */
export function blocksOf(answer: string): FencedBlock[] {
  const blocks = fencedBlocks(unquoted(answer), LIST_INDENT)
  return blocks.flatMap((block) => {
    if (!['md', 'markdown', 'mdx', ''].includes(block.language)) return [block]
    const inner = fencedBlocks(block.content, LIST_INDENT)
    return inner.length > 0 ? inner : [block]
  })
}

/** Where every fence stands in a quotation, without the marks of that. */
function unquoted(answer: string): string {
  if (!/^ {0,3}> ?(?:`{3}|~{3})/m.test(answer) || /^[ \t]*(?:`{3}|~{3})/m.test(answer))
    return answer
  return answer.replaceAll(/^ {0,3}> ?/gm, '')
}

/** A block without an end, without the prose behind its code. */
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
 * The code in a text without blocks that begins with a sentence: from the first line that begins a definition or an
 * import to the last paragraph that is no prose. Null where the text does not begin so.
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
