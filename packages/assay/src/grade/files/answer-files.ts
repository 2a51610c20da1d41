/**
 * Returns the files of an answer. These are the files that the subject returned in addition to its text. If there
 * are none, they are the fenced code blocks in the text that have a file name. The name is in the block's opening
 * line (```ts src/a.ts, ```json title="a.json") or alone on the line before the block. Paths are normalized. A path
 * that leads outside the folder is ignored.
 */
import { fencedBlocks, type FencedBlock } from '@assay/code'
import { pathFault } from './file-path.ts'
import type { GraderInput } from '../grader.ts'

/**
 * The contents of files by path. It is a `Map` and not an object, because an answer may use any name, including
 * `__proto__`.
 */
export type AnswerFiles = ReadonlyMap<string, string>

/**
 * A line that is longer than this is not searched for a file name. No file name is this long, and the regular
 * expression is slow on long lines.
 */
const MOST_LINE = 300
/** The indentation up to which fenced blocks are recognised. It is enough for a block in a nested list. */
const LIST_INDENT = 12

export function answerFiles({ answer, files }: Pick<GraderInput, 'answer' | 'files'>): AnswerFiles {
  const found = new Map<string, string>()
  for (const [path, text] of Object.entries(files)) {
    const plain = plainPath(path)
    if (plain !== null) found.set(plain, text)
  }
  if (Object.keys(files).length > 0) return found
  for (const block of fencedBlocks(answer, LIST_INDENT)) {
    const path = pathOf(block)
    if (path !== null) found.set(path, block.content)
  }
  return found
}

/**
 * Returns the code of an answer that has no files: its longest fenced block or, if there is none, the whole answer.
 */
export function codeOf(answer: string): string {
  const blocks = fencedBlocks(answer, LIST_INDENT).map(({ content }) => content)
  if (blocks.length === 0) return answer
  return blocks.reduce((a, b) => (b.length > a.length ? b : a))
}

function plainPath(path: string): string | null {
  const plain = path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')
  return pathFault(plain) === null ? plain : null
}

const IN_INFO = /(?:title|file|filename|path|name)\s*=\s*["']?([^\s"'}]+)/i
const LONE_PATH = /^(?:#+\s*)?(?:\d+[.)]\s*)?(?:file(?:name)?:\s*)?[*_`]*([\w./@-]+)[*_`]*:?[*_]*$/i
/** Matches text that looks like a path: a name with an extension, or a path with a folder. */
const LIKE_A_PATH = /^[\w@.-]*(?:\/[\w@. -]+)+$|^[\w@-][\w@.-]*\.\w+$|^\.\w[\w.-]*$/

function pathOf({ info, before }: FencedBlock): string | null {
  const line = info.slice(0, MOST_LINE)
  const named = IN_INFO.exec(line)?.[1]
  const found = named === undefined ? [...line.split(/[\s,]+/), ...alone(before)] : [named]
  for (const one of found) {
    const path = LIKE_A_PATH.test(one) ? plainPath(one) : null
    if (path !== null) return path
  }
  return null
}

const alone = (before: string): string[] => {
  const found = LONE_PATH.exec(before.slice(0, MOST_LINE))?.[1]
  return found === undefined ? [] : [found]
}
