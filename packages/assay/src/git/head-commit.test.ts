import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { headCommit } from './head-commit.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-head-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const git = (folder: string, ...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()

it('agrees with git: a branch, packed branches, no branch, a folder within, a worktree', () => {
  const folder = join(root, 'plain')
  mkdirSync(join(folder, 'deep', 'er'), { recursive: true })
  git(folder, 'init', '-q', '-b', 'topic/one')
  expect(headCommit(folder)).toBeNull()
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'first')
  const first = git(folder, 'rev-parse', 'HEAD')
  expect(headCommit(folder)).toBe(first)
  expect(headCommit(join(folder, 'deep', 'er'))).toBe(first)
  git(folder, 'pack-refs', '--all')
  expect(headCommit(folder)).toBe(first)
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'second')
  const second = git(folder, 'rev-parse', 'HEAD')
  expect(headCommit(folder)).toBe(second)
  git(folder, 'worktree', 'add', '-q', '-b', 'other', join(root, 'tree'), first)
  expect(headCommit(join(root, 'tree'))).toBe(first)
  git(folder, 'checkout', '-q', '--detach', first)
  expect(headCommit(folder)).toBe(first)
})

it('reads nothing outside of the repository, and starts nothing that it names', () => {
  const folder = join(root, 'hostile')
  const inner = join(folder, '.git')
  mkdirSync(join(inner, 'refs'), { recursive: true })
  writeFileSync(join(inner, 'config'), `[core]\n\tfsmonitor = "touch ${join(root, 'started')}"\n`)
  writeFileSync(join(root, 'secret'), 'a'.repeat(40))
  for (const head of ['ref: refs/../../../secret', 'ref: refs/x', 'ref: refs/loop', 'text', '']) {
    writeFileSync(join(inner, 'HEAD'), `${head}\n`)
    writeFileSync(join(inner, 'refs', 'loop'), 'ref: refs/loop\n')
    rmSync(join(inner, 'refs', 'x'), { force: true })
    symlinkSync(join(root, 'secret'), join(inner, 'refs', 'x'))
    expect(headCommit(folder), head).toBeNull()
  }
  expect(headCommit(join(root, 'missing'))).toBeNull()
})
