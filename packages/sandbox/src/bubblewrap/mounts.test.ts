import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mountsArguments } from './mounts.ts'
import { SandboxError } from '../sandbox.ts'

let home: string

beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'assay-room-')))
  mkdirSync(join(home, 'real', 'deep'), { recursive: true })
  writeFileSync(join(home, 'real', 'deep', 'file'), 'x')
  symlinkSync('real', join(home, 'folder'))
  symlinkSync(join(home, 'folder', 'deep', 'file'), join(home, 'link'))
  symlinkSync('round', join(home, 'round'))
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Returns the arguments that concern paths in `home`. */
function shown(...reads: readonly string[]): string[][] {
  const args = mountsArguments({
    reads: reads.map((read) => join(home, read)),
    system: false,
    scratchBytes: 0,
  })
  const operations: string[][] = []
  for (const [at, word] of args.entries()) {
    if (word === '--symlink' || word === '--ro-bind') operations.push(args.slice(at, at + 3))
    if (word === '--dir') operations.push(args.slice(at, at + 2))
  }
  return operations
    .filter((words) => words.at(-1)?.startsWith(home))
    .map((words) => words.map((word) => word.replace(home, '~')))
}

describe.skipIf(process.platform === 'win32')('what a room shows', () => {
  it('binds a file at its own path, in folders that all may enter', () => {
    expect(shown('real/deep/file')).toEqual([
      ['--dir', '~'],
      ['--dir', '~/real'],
      ['--dir', '~/real/deep'],
      ['--ro-bind', '~/real/deep/file', '~/real/deep/file'],
    ])
  })

  it('shows a link as a link, with every one on the way and what is at the end', () => {
    expect(shown('link')).toEqual([
      ['--dir', '~'],
      ['--symlink', '~/folder/deep/file', '~/link'],
      ['--symlink', 'real', '~/folder'],
      ['--dir', '~/real'],
      ['--dir', '~/real/deep'],
      ['--ro-bind', '~/real/deep/file', '~/real/deep/file'],
    ])
  })

  it('binds nothing twice, whatever the order', () => {
    const once = [
      ['--dir', '~'],
      ['--ro-bind', '~/real', '~/real'],
    ]
    expect(shown('real', 'real/deep', 'real/deep/file')).toEqual(once)
    expect(shown('real/deep/file', 'real/deep', 'real', 'real/../real/./deep/')).toEqual(once)
  })

  it('refuses, by name, what is not there, relative, everything, or a circle', () => {
    const reading = (path: string) => () =>
      mountsArguments({ reads: [path], system: false, scratchBytes: 0 })
    expect(reading(join(home, 'missing'))).toThrow(SandboxError)
    expect(reading(join(home, 'missing'))).toThrow(/missing in the sandbox: there is no such file/)
    expect(reading('--dev-bind')).toThrow(/absolute paths only, not "--dev-bind"/)
    expect(reading('/')).toThrow(/whole file system/)
    expect(reading(join(home, 'round'))).toThrow(/circles/)
  })
})
