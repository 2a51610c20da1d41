/**
 * Hostile input: whatever a file in a folder contains, a command reads it or reports what is wrong, and never prints
 * "this is a bug in assay". No program in the folder is started, and nothing outside of the folder is written.
 * fuzz.long.test.ts has more rounds and tests the command itself with little memory. suite/fuzz.test.ts tests suites
 * only.
 */
import { afterAll, expect, it } from 'vitest'
import { fuzz, fuzzFolder } from '../../test/fuzz/fuzz.ts'

const ROUNDS = 12

const folder = await fuzzFolder()
afterAll(() => folder.remove())

it.each(folder.targets.map((target) => [target.file, target] as const))(
  '%s with anything in it is read or refused',
  async (_, target) => {
    await fuzz(target, ROUNDS, 1)
    expect(process.cwd()).toBe(folder.path)
  },
)
