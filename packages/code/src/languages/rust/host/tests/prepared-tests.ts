/** Turns the tests of a case into the crate that is compiled with a solution. */
import type { CodeWork } from '../../../../language.ts'
import { testCrate, type TestCrate } from './crate.ts'
import { EDITION } from '../edition.ts'
import type { MadeTest } from './inventory.ts'
import { undeclaredIn } from './undeclared.ts'
import { wholeTests, type WholeTests } from './whole-tests.ts'

export interface PreparedTests extends TestCrate, Pick<WholeTests, 'originOf'> {}

export interface ListsTests {
  /** Asks the compiler which tests a source has. */
  readonly madeTests: (source: string, edition: string) => Promise<readonly MadeTest[]>
}

/** Prepares the tests for one solution. `root` is the source of the solution's main file. */
export async function preparedTests(
  root: string,
  source: string,
  { madeTests }: ListsTests,
  work: CodeWork,
): Promise<PreparedTests> {
  const edition = work.edition ?? EDITION
  const { module, includeIgnored = false } = work
  const { text, refused, originOf } = wholeTests(source, work.support, module)
  const options = { module, edition, includeIgnored }
  let crate = testCrate(root, text, options)
  const why = crate.inventory.refused ?? refused ?? undeclaredIn(text, work)
  if (why !== null)
    crate = { ...crate, inventory: { ...crate.inventory, unlisted: false, refused: why } }
  else if (crate.inventory.unlisted)
    crate = testCrate(root, text, { ...options, made: await madeTests(text, edition) })
  return { ...crate, originOf }
}
