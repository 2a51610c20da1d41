/** Fenced blocks of Markdown: where models put what they were asked for, amid talk. */

interface FencedBlock {
  /** The first word after the opening fence, in lower case; empty where there is none. */
  readonly language: string
  readonly content: string
}

/** Three or more backticks or tildes, indented by at most three spaces. */
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/

/** The fenced blocks in order, as CommonMark reads them: one that is not closed goes to the end. */
export function fencedBlocks(text: string): FencedBlock[] {
  const blocks: FencedBlock[] = []
  let open: { fence: string; language: string; lines: string[] } | null = null
  const close = (): void => {
    if (open !== null) blocks.push({ language: open.language, content: open.lines.join('\n') })
    open = null
  }
  for (const line of text.split(/\r?\n/)) {
    const [, fence = '', info = ''] = FENCE.exec(line) ?? []
    if (open === null) {
      // Backticks after backticks on one line are code inside a sentence.
      if (fence === '' || (fence.startsWith('`') && info.includes('`'))) continue
      open = { fence, language: info.trim().split(/\s/, 1)[0]?.toLowerCase() ?? '', lines: [] }
    } else if (fence.startsWith(open.fence) && info.trim() === '') close()
    else open.lines.push(line)
  }
  close()
  return blocks
}
