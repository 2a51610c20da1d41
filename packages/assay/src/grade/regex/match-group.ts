/**
 * Finds a group in the first or the last match of a regular expression. Both the main thread and grading threads use
 * this file.
 */

/** The position of a match in a text. */
export interface Match {
  readonly index: number
  readonly length: number
}

/** The wanted group of the first or the last match. Group 0 is the whole match. */
export interface WantedGroup {
  readonly group: number | string
  readonly match: 'first' | 'last'
}

/** Compiles a pattern so that `matchGroup` can use it. */
export const groupPattern = (pattern: string, flags: string): RegExp =>
  new RegExp(pattern, `${flags}dg`)

/**
 * Returns where the group is, or null if the pattern does not match, or if the match does not contain the group. The
 * pattern comes from `groupPattern`.
 */
export function matchGroup(pattern: RegExp, text: string, wanted: WantedGroup): Match | null {
  pattern.lastIndex = 0
  let found: RegExpExecArray | null = null
  for (let next = pattern.exec(text); next !== null; next = pattern.exec(text)) {
    found = next
    if (wanted.match === 'first') break
    // After an empty match, JavaScript does not move `lastIndex`, and the loop would never end.
    if (next[0] === '') pattern.lastIndex += 1
  }
  pattern.lastIndex = 0
  const { group } = wanted
  const place =
    typeof group === 'number' ? found?.indices?.[group] : found?.indices?.groups?.[group]
  return place === undefined ? null : { index: place[0], length: place[1] - place[0] }
}
