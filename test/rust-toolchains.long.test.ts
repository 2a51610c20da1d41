/** Proves the shipped Rust suite with every Rust on this machine: that of Debian, and the current one. */
import { execFile } from 'node:child_process'
import { accessSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { inspectSandbox } from '@assay/sandbox'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const command = join(root, 'packages/assay/bin/assay.js')
const { ready } = await inspectSandbox()

const isThere = (path: string): boolean => {
  try {
    accessSync(path)
    return true
  } catch {
    return false
  }
}

const path = (process.env['PATH'] ?? '').split(delimiter)
const folders = [...new Set([...path, '/usr/bin'])].filter((folder) =>
  ['rustc', 'cargo', 'clippy-driver'].every((name) => isThere(join(folder, name))),
)

describe.skipIf(!ready || folders.length === 0)(
  'rust-basics proves itself with the Rust in',
  () => {
    it.each(folders)('%s', async (folder) => {
      const env = { ...process.env, PATH: [folder, ...path].join(delimiter) }
      const run = (...args: string[]) =>
        execute(process.execPath, [command, ...args], { cwd: root, env, timeout: 400_000 })
      const { stdout } = await run('validate', '--prove', 'suites/rust-basics.toml')
      expect(stdout).toMatch(/(\d+) of \1 references score 1, (\d+) of \2 faulty answers fail/)
    })
  },
)
