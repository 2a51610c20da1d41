/** Fenced blocks of Markdown: where models put what they were asked for, amid talk. */

export interface FencedBlock {
  /** The first word after the opening fence, in lower case; empty where there is none. */
  readonly language: string
  /** All that stands after the opening fence. */
  readonly info: string
  readonly content: string
  /** The last line with text before the block, outside of any other block. */
  readonly before: string
  /** The answer ends before the block does. */
  readonly isUnclosed: boolean
}

/** Three or more backticks or tildes, also as the first thing of a list's item. */
const FENCE = /^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}|~{3,})(.*)$/
/** As CommonMark has it; deeper, a fence is text, unless it stands in a list. */
const MOST_INDENT = 3
/** A closing fence may be this much deeper than the opening one. */
const CLOSING_INDENT = 3

interface OpenBlock {
  readonly fence: string
  readonly margin: number
  readonly info: string
  readonly before: string
  readonly lines: string[]
}

/**
 * The fenced blocks in order, as CommonMark reads them: one that is not closed goes to the end, and a block
 * that is indented is moved back by that much. With a greater `indent`, those in nested lists are found too.
 * Unlike there, an opening fence with an info string ends a block that was not closed before it: an answer
 * that forgets a fence still has both.
 */
export function fencedBlocks(text: string, indent = MOST_INDENT): FencedBlock[] {
  const blocks: FencedBlock[] = []
  const all = text.split(/\r?\n/)
  let open: OpenBlock | null = null
  let before = ''
  const close = (isUnclosed = false): void => {
    if (open !== null) blocks.push(blockOf(open, isUnclosed))
    open = null
    before = ''
  }
  for (const [index, line] of all.entries()) {
    const [, margin = '', fence = '', rest = ''] = FENCE.exec(line) ?? []
    // Backticks after backticks on one line are code inside a sentence.
    const isFence = fence !== '' && !(fence.startsWith('`') && rest.includes('`'))
    const info = rest.trim()
    const canOpen = isFence && margin.trimEnd().length <= indent && margin.length <= indent + MARKER
    if (open === null) {
      if (canOpen && (margin.trim() !== '' || margin.length <= indent))
        open = { fence, margin: margin.length, info: plainInfo(info), before, lines: [] }
      else if (line.trim() !== '') before = line.trim()
      continue
    }
    const current: OpenBlock = open
    const isClosing =
      isFence &&
      info === '' &&
      fence.startsWith(current.fence) &&
      margin.trim() === '' &&
      margin.length <= current.margin + CLOSING_INDENT
    if (isClosing && !isInText(current, all, index)) close()
    else if (
      canOpen &&
      info !== '' &&
      fence === current.fence &&
      margin.length <= current.margin + CLOSING_INDENT &&
      !holdsMarkdown(current)
    ) {
      close(true)
      open = { fence, margin: margin.length, info: plainInfo(info), before: '', lines: [] }
    } else current.lines.push(moveBack(line, current.margin))
  }
  close(true)
  return blocks
}

/** The widest marker of a list's item, with its blanks. */
const MARKER = 12

const plainInfo = (info: string): string => info.replace(/^\{?\s*\.?/, '')

const languageOf = (info: string): string => info.split(/[\s,{}:;=]/, 1)[0]?.toLowerCase() ?? ''

const blockOf = ({ info, lines, before }: OpenBlock, isUnclosed: boolean): FencedBlock => ({
  language: languageOf(info),
  info,
  content: lines.join('\n'),
  before,
  isUnclosed,
})

/** Fences in it are its own. */
const holdsMarkdown = ({ info }: OpenBlock): boolean =>
  ['md', 'markdown', 'mdx'].includes(languageOf(info))

/**
 * Whether a closing fence stands inside a Python text of several lines that ends before another fence: then it is a
 * line of the text.
 */
function isInText(open: OpenBlock, all: readonly string[], index: number): boolean {
  const mark = ['"""', "'''"].find((one) => isOdd(open.lines, one))
  if (mark === undefined) return false
  const rest = all.slice(index + 1)
  const next = rest.findLastIndex((line) => line.trim().startsWith(open.fence))
  return next !== -1 && isOdd(rest.slice(0, next), mark)
}

const isOdd = (lines: readonly string[], mark: string): boolean =>
  lines.reduce((count, line) => count + line.split(mark).length - 1, 0) % 2 === 1

/** Takes away up to `margin` leading blanks. */
function moveBack(line: string, margin: number): string {
  let from = 0
  while (from < margin && (line[from] === ' ' || line[from] === '\t')) from++
  return line.slice(from)
}
