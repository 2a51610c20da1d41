/** The result of a matcher: a check of `expect`, such as `toBe`. */

export interface Finding {
  readonly pass: boolean
  /** The text that follows “expected” in the message. */
  readonly wanted: string
  /** The text to show instead of the actual value, if the matcher describes that value itself. */
  readonly got?: string
  /** The whole message, if a custom matcher of the tests returns one. */
  readonly message?: string
}

export type Matcher = (actual: unknown, ...args: never[]) => Finding & object
