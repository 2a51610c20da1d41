/** Changes every file that Assay reads from a folder, and runs every command that reads it. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { RunError, UsageError } from '@assay/contract'
import { change, mutated } from './mutate.ts'
import { makeTargets, quiet, type Reading, type Target } from './targets.ts'

/** The documented exit codes of a command that is not interrupted. */
export const EXIT_CODES: readonly (number | null)[] = [0, 1, 2, 3]
/** No message is longer than this, whatever the file contains. */
const MOST_PRINTED = 20_000_000

const isUsers = (error: unknown): boolean =>
  error instanceof UsageError || error instanceof RunError

/** Throws if the output says that there is a bug in Assay. */
async function read({ call, words }: Reading): Promise<void> {
  let printed = 0
  const output = quiet((text) => {
    printed += text.length
  })
  try {
    expect(EXIT_CODES, words.join(' ')).toContain(await call(output))
  } catch (error) {
    if (!isUsers(error)) throw error
    // No control character of a file may reach the terminal, except line breaks. main.ts escapes them.
    printed += (error as Error).message.length
  }
  expect(printed, words.join(' ')).toBeLessThan(MOST_PRINTED)
}

export interface FuzzFolder {
  readonly path: string
  readonly targets: readonly Target[]
  readonly remove: () => void
}

/** Makes a folder that is not trusted and changes into it. Everything next to it is outside. */
export async function fuzzFolder(): Promise<FuzzFolder> {
  const before = process.cwd()
  const parent = mkdtempSync(join(tmpdir(), 'assay-fuzz-'))
  writeFileSync(join(parent, 'outside'), 'outside')
  const path = mkdtempSync(join(parent, 'evil-'))
  process.chdir(path)
  const targets = await makeTargets()
  const next = readdirSync(parent)
  return {
    path,
    targets,
    remove() {
      process.chdir(before)
      expect(existsSync(join(path, 'started')), 'a program of the folder was started').toBe(false)
      expect(readdirSync(parent), 'something was written outside').toEqual(next)
      expect(readFileSync(join(parent, 'outside'), 'utf8')).toBe('outside')
      rmSync(parent, { recursive: true, force: true })
    },
  }
}

/** Fails with the smallest change that makes a command crash, if there is one. */
export async function fuzz(target: Target, numRuns: number, seed: number): Promise<void> {
  const original = existsSync(target.file) ? readFileSync(target.file) : null
  const changes = fc.array(change, { minLength: 1, maxLength: 4 })
  try {
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        const text = mutated(target.seed, list)
        for (const command of target.commands) {
          writeFileSync(target.file, text)
          await read(command)
          target.reset?.()
        }
      }),
      { numRuns, seed, endOnFailure: false, interruptAfterTimeLimit: 300_000 },
    )
  } finally {
    if (original !== null) writeFileSync(target.file, original)
  }
}
