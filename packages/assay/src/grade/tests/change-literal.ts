/**
 * Makes copies of tests in which an expected value is changed, so that the copies must fail. An assertion is changed
 * only if it is certain to run when the test passes: a statement on one line, directly in the body of the test. The
 * source is not parsed, only split into lines and their indentation. A test in another form gets no copy.
 */

const NUMBER = String.raw`-?\d+(?:\.\d+)?`
const STRING = String.raw`"[^"\\\n]*"|'[^'\\\n]*'`
/** Matches a value that can be changed to another value of the same type. */
export const LITERAL = `(?:${NUMBER}|${STRING}|true|false|True|False)`

/** Returns another value of the same type. */
export function otherLiteral(literal: string): string {
  const opposite = { true: 'false', false: 'true', True: 'False', False: 'True' }[literal]
  if (opposite !== undefined) return opposite
  if (/^["']/u.test(literal)) return `${literal.slice(0, -1)}~${literal.at(-1) ?? ''}`
  // The number must stay valid in every type. A lower number fits into small types, and 0 is raised because an
  // unsigned number cannot be negative.
  const [whole = '0', ...rest] = literal.split('.')
  const other = Number(whole) > 0 ? BigInt(whole) - 1n : BigInt(whole) + 1n
  return [String(other), ...rest].join('.')
}

/** The first and last line of a test, as indexes. */
interface Block {
  readonly first: number
  /** The index of the line after the block. */
  readonly end: number
}

const indentOf = (line: string): number => line.length - line.trimStart().length

/**
 * Returns the lines of the test that begins with `opening`. Null if there is not exactly one. The test ends at a
 * line that matches `closing` and has the indentation of the first line. If `closing` is null, the test ends where
 * its indentation ends.
 */
export function blockOf(
  lines: readonly string[],
  opening: RegExp,
  closing: RegExp | null,
): Block | null {
  const starts = lines.flatMap((line, at) => (opening.test(line) ? [at] : []))
  const [first] = starts
  if (first === undefined || starts.length > 1) return null
  const line = lines[first] ?? ''
  if (closing !== null && isBalanced(line)) return { first, end: first + 1 }
  const indent = indentOf(line)
  for (let at = first + 1; at < lines.length; at++) {
    const next = lines[at] ?? ''
    if (next.trim() === '' || indentOf(next) > indent) continue
    if (closing === null) return { first, end: at }
    return closing.test(next.trim()) ? { first, end: at + 1 } : null
  }
  return closing === null ? { first, end: lines.length } : null
}

/**
 * Whether a line closes all brackets that it opens. Brackets inside strings are counted too, so the result may
 * wrongly be false.
 */
const isBalanced = (line: string): boolean => {
  let open = 0
  for (const char of line) {
    if ('([{'.includes(char)) open++
    if (')]}'.includes(char)) open--
  }
  return open === 0
}

/**
 * Returns the lines of the block with one changed assertion. `assertion` has three groups: what is before the
 * expected value, the value, and what is after it. Null if no line of the body matches.
 */
export function changedBlock(
  lines: readonly string[],
  { first, end }: Block,
  assertion: RegExp,
): string[] | null {
  const block = lines.slice(first, end)
  const body = block.length === 1 ? block : block.slice(1).filter((line) => line.trim() !== '')
  const indent = Math.min(...body.map(indentOf).filter((one) => one > indentOf(block[0] ?? '')))
  const at = block.findIndex(
    (line, index) =>
      assertion.test(line) &&
      isBalanced(line) &&
      (block.length === 1 || (index > 0 && indentOf(line) === indent)),
  )
  // If the body may return before the assertion, a passed test does not show that the assertion ran.
  const before = at === -1 ? [] : block.slice(1, at)
  if (at === -1 || before.some((line) => /\breturn\b/u.test(line))) return null
  return block.map((line, index) =>
    index === at
      ? line.replace(
          assertion,
          (_, head: string, value: string, tail: string) => `${head}${otherLiteral(value)}${tail}`,
        )
      : line,
  )
}

export const escaped = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\/]/gu, String.raw`\$&`)
