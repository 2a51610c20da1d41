/** The tests of a case cannot be run, whatever the answer is. The trial counts as errored, not failed. */
export class TestsFault extends Error {
  override readonly name = 'TestsFault'

  constructor(text: string, options?: ErrorOptions) {
    super(`the tests of the case are at fault: ${text}`, options)
  }
}

export const allSkipped = (count: number): string =>
  count === 1 ? 'their only test is skipped' : `all of their ${count} tests are skipped`
