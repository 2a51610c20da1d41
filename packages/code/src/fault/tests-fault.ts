/**
 * Thrown if the tests of a case cannot be run with any answer. The trial then counts as errored (not graded), not as
 * failed.
 */
export class TestsFault extends Error {
  override readonly name = 'TestsFault'

  constructor(text: string, options?: ErrorOptions) {
    super(`the tests of the case are at fault: ${text}`, options)
  }
}

/**
 * Thrown if the tests must run in the process of the solution. This is a fault only if the case sets the level
 * `isolated`.
 */
export class NeedsInProcess extends TestsFault {
  /** What the tests do that needs the solution's process, for example `they replace time.sleep`. */
  readonly what: string

  constructor(what: string) {
    super(`${what}, and the integrity "isolated" does not allow that`)
    this.what = what
  }
}

export const allSkipped = (count: number): string =>
  count === 1 ? 'their only test is skipped' : `all of their ${count} tests are skipped`
