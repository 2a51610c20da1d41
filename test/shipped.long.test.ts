/**
 * Proves the shipped suites: every reference scores 1, and no faulty answer passes. rust-toolchains.long.test.ts
 * does this with every Rust on the machine.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { languageByName } from '@assay/code'
import { inspectSandbox } from '@assay/sandbox'

const root = fileURLToPath(new URL('..', import.meta.url))
const command = join(root, 'packages/assay/bin/assay.js')
const sandbox = await inspectSandbox()
const python = ((await languageByName('python')?.inspect()) ?? []).every(
  ({ how }) => how === undefined,
)

describe.skipIf(!sandbox.ready)('the suites that ship', () => {
  const prove = async (name: string): Promise<string> => {
    const suite = join(root, 'suites', `${name}.toml`)
    const words = [command, 'validate', '--prove', suite]
    const { stdout } = await promisify(execFile)(process.execPath, words, { timeout: 170_000 })
    return stdout
  }
  const PROVEN = /(\d+) of \1 references score 1, (\d+) of \2 faulty answers fail/

  it('prove themselves in TypeScript', async () => {
    expect(await prove('typescript-basics')).toMatch(PROVEN)
  })

  it.skipIf(!python)('prove themselves in Python', async () => {
    expect(await prove('python-basics')).toMatch(PROVEN)
  })
})
