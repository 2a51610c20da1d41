/** Fenced blocks of Markdown: where models put what they were asked for, amid talk. */

export interface FencedBlock {
  /** The first word after the opening fence, in lower case; empty where there is none. */
  readonly language: string
  /** All that stands after the opening fence. */
  readonly info: string
  readonly content: string
  /** The last line with text before the block, outside of any other block. */
  readonly before: string
}

/** Three or more backticks or tildes. */
const FENCE = /^([ \t]*)(`{3,}|~{3,})(.*)$/
/** As CommonMark has it; deeper, a fence is text, unless it stands in a list. */
const MOST_INDENT = 3

/**
 * The fenced blocks in order, as CommonMark reads them: one that is not closed goes to the end, and a block
 * that is indented is moved back by that much. With a greater `indent`, those in nested lists are found too.
 */
export function fencedBlocks(text: string, indent = MOST_INDENT): FencedBlock[] {
  const blocks: FencedBlock[] = []
  let open: {
    fence: string
    margin: number
    info: string
    before: string
    lines: string[]
  } | null = null
  let before = ''
  const close = (): void => {
    if (open !== null)
      blocks.push({
        language: open.info.split(/[\s,{}:]/, 1)[0]?.toLowerCase() ?? '',
        info: open.info,
        content: open.lines.join('\n'),
        before: open.before,
      })
    open = null
    before = ''
  }
  for (const line of text.split(/\r?\n/)) {
    const [, margin = '', fence = '', info = ''] = FENCE.exec(line) ?? []
    const isFence = fence !== '' && margin.length <= indent
    if (open === null) {
      // Backticks after backticks on one line are code inside a sentence.
      if (!isFence || (fence.startsWith('`') && info.includes('`'))) {
        if (line.trim() !== '') before = line.trim()
        continue
      }
      const told = info.trim().replace(/^\{?\.?/, '')
      open = { fence, margin: margin.length, info: told, before, lines: [] }
    } else if (isFence && fence.startsWith(open.fence) && info.trim() === '') close()
    else open.lines.push(moveBack(line, open.margin))
  }
  close()
  return blocks
}

/** Takes away up to `margin` leading blanks. */
function moveBack(line: string, margin: number): string {
  let from = 0
  while (from < margin && (line[from] === ' ' || line[from] === '\t')) from++
  return line.slice(from)
}
