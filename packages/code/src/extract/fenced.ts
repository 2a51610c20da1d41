/**
 * Finds fenced Markdown blocks (between lines of three backticks or tildes), in which models write the requested
 * code.
 */

export interface FencedBlock {
  /** The first word after the opening fence, in lower case; empty if there is none. */
  readonly language: string
  /** The whole text after the opening fence. */
  readonly info: string
  readonly content: string
  /** The last non-blank line before the block and outside all blocks. */
  readonly before: string
  /** True if the answer ends before the block is closed. */
  readonly isUnclosed: boolean
}

/** Three or more backticks or tildes, possibly directly after the marker of a list item. */
const FENCE = /^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}|~{3,})(.*)$/
/**
 * The greatest indentation of a fence in CommonMark. A fence that is indented more is plain text, unless it is in a
 * list.
 */
const MOST_INDENT = 3
/** How much deeper than its opening fence a closing fence may be indented. */
const CLOSING_INDENT = 3

interface OpenBlock {
  readonly fence: string
  readonly margin: number
  readonly info: string
  readonly before: string
  readonly lines: string[]
}

/**
 * Returns the fenced blocks in order. As in CommonMark (the Markdown standard), an unclosed block extends to the end
 * of the text, and the indentation of a block is removed from its lines. A greater `indent` also finds blocks in
 * nested lists.
 *
 * Unlike in CommonMark, an opening fence with an info string ends an unclosed block before it. So if an answer
 * forgets to close a block, both blocks are still found.
 */
export function fencedBlocks(text: string, indent = MOST_INDENT): FencedBlock[] {
  const blocks: FencedBlock[] = []
  const all = text.split(/\r?\n/)
  let open: OpenBlock | null = null
  let closings = 0
  let before = ''
  const close = (isUnclosed = false): void => {
    if (open !== null) blocks.push(blockOf(open, isUnclosed))
    open = null
    before = ''
  }
  for (const [index, line] of all.entries()) {
    const [, margin = '', fence = '', rest = ''] = FENCE.exec(line) ?? []
    // If backticks follow on the same line, this is code within a line of text, not a fence.
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
    if (isClosing && (++closings > MOST_CLOSINGS || !isInText(current, all, index))) close()
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

/** Only this many closing fences are checked with `isInText`, because each check reads the rest of the answer. */
const MOST_CLOSINGS = 50

/** The width of the widest list marker, including its spaces. */
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

/** True for a block that contains Markdown. Fences inside it are part of its content. */
const holdsMarkdown = ({ info }: OpenBlock): boolean =>
  ['md', 'markdown', 'mdx'].includes(languageOf(info))

/**
 * True if a closing fence is inside a multi-line Python string. The fence is then part of the string and does not
 * close the block.
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

/** Removes up to `margin` leading spaces or tabs. */
function moveBack(line: string, margin: number): string {
  let from = 0
  while (from < margin && (line[from] === ' ' || line[from] === '\t')) from++
  return line.slice(from)
}
