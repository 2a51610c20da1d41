import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GitSource } from '@assay/contract'
import { gitIn as git } from '../../test/git-server.ts'
import { hasGit, newFolder } from '../../test/workspaces.ts'
import { checkOut } from './git-source.ts'
import { removeTree } from './files/remove.ts'

let root: string
let repository: string
let commits: string[]
let made = 0

/** Creates a repository with four commits. */
beforeAll(() => {
  root = newFolder()
  if (!hasGit) return
  repository = join(root, 'source')
  mkdirSync(repository)
  git(repository, 'init', '--quiet', '-b', 'trunk')
  commits = ['one', 'two', 'three', 'four'].map((text) => {
    writeFileSync(join(repository, 'a.txt'), text)
    writeFileSync(join(repository, 'run.sh'), '#!/bin/sh\n')
    chmodSync(join(repository, 'run.sh'), 0o755)
    git(repository, 'add', '.')
    git(repository, 'commit', '--quiet', '-m', text)
    return git(repository, 'rev-parse', 'HEAD')
  })
  git(repository, 'tag', 'later')
  git(repository, 'remote', 'add', 'origin', 'https://x.example/secret.git')
  git(repository, 'config', 'user.email', 'author@x.example')
  writeFileSync(join(repository, '.git/hooks/post-checkout'), '#!/bin/sh\necho hook > hooked\n')
  chmodSync(join(repository, '.git/hooks/post-checkout'), 0o755)
})
afterAll(() => removeTree(root))

async function checkedOut(change: Partial<GitSource>): Promise<string> {
  const folder = join(root, `out-${++made}`)
  mkdirSync(folder)
  const source = { path: repository, commit: commits[2] ?? '', depth: 1, ...change }
  await checkOut(source, folder, {
    spare: join(root, `spare-${made}`),
    timeoutMs: () => 60_000,
    signal: new AbortController().signal,
  })
  return folder
}

/** Returns the hashes of all objects of a type in the repository, including objects that no branch leads to. */
const objects = (folder: string, type: string): string[] =>
  git(folder, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objecttype)')
    .split('\n')
    .filter((line) => line.endsWith(` ${type}`))
    .map((line) => line.split(' ')[0] ?? '')

describe.skipIf(!hasGit)('a commit as a start', () => {
  it('has that commit alone, clean, on a branch, with the modes of its files', async () => {
    const folder = await checkedOut({})
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('three')
    expect(git(folder, 'status', '--porcelain', '--branch')).toBe('## main')
    expect(git(folder, 'rev-parse', 'HEAD')).toBe(commits[2])
    expect(objects(folder, 'commit')).toEqual([commits[2]])
    expect(readdirSync(folder).toSorted()).toEqual(['.git', 'a.txt', 'run.sh'])
    expect(readdirSync(root).filter((name) => name.startsWith('spare'))).toEqual([])
  })

  it('has as much of its history as the case says, and nothing later', async () => {
    const folder = await checkedOut({ depth: 2 })
    expect(git(folder, 'log', '--format=%H').split('\n')).toEqual([commits[2], commits[1]])
    expect(objects(folder, 'commit').toSorted()).toEqual([commits[1], commits[2]].toSorted())
    expect(objects(folder, 'blob')).toHaveLength(3)
    const whole = await checkedOut({ depth: 1000 })
    expect(git(whole, 'log', '--format=%s').split('\n')).toEqual(['three', 'two', 'one'])
  })

  it('has no trace of where it came from', async () => {
    const folder = await checkedOut({ depth: 3 })
    expect(git(folder, 'remote')).toBe('')
    expect(git(folder, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
    const names = readdirSync(join(folder, '.git'), { recursive: true, encoding: 'utf8' })
    expect(names.filter((name) => /hooks|logs|FETCH_HEAD|ORIG_HEAD|alternates/.test(name))).toEqual(
      [],
    )
    expect(readFileSync(join(folder, '.git/config'), 'utf8')).not.toMatch(/remote|email|source/)
    expect(readdirSync(folder)).not.toContain('hooked')
  })

  it('comes from a bundle as well', async () => {
    const bundle = join(root, 'source.bundle')
    git(repository, 'bundle', 'create', '--quiet', bundle, 'trunk')
    const folder = await checkedOut({ path: bundle, commit: commits[1] ?? '' })
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('two')
    expect(objects(folder, 'commit')).toEqual([commits[1]])
  })

  it('is refused if a small repository unpacks to very much', async () => {
    const piece = join(root, 'zeros')
    writeFileSync(piece, Buffer.alloc(32 * 1024 * 1024))
    const blob = git(repository, 'hash-object', '-w', piece)
    const tree = (kind: string, hash: string, length: number): string => {
      const entries = Array.from({ length }, (_, i) => `${kind} ${hash}\tf${i}\n`)
      const input = entries.join('')
      return execFileSync('git', ['-C', repository, 'mktree'], { input, encoding: 'utf8' }).trim()
    }
    const commit = (hash: string): string => git(repository, 'commit-tree', '-m', 'x', hash)
    const large = commit(tree('100644 blob', blob, 130))
    await expect(checkedOut({ commit: large })).rejects.toThrow(/its files have 4.1 GB/)
    let many = tree('100644 blob', blob, 1)
    for (let depth = 0; depth < 9; depth++) many = tree('040000 tree', many, 10)
    await expect(checkedOut({ commit: commit(many) })).rejects.toThrow(/has too many files/)
  })

  it.each([
    ['a commit that is not there', { commit: 'a'.repeat(40) }, /could not be checked out: \S/],
    ['a name instead of a hash', { commit: '--upload-pack=x' }, /is not a full hash of a commit/],
    ['no repository', { path: '/' }, /could not be checked out: \S/],
    ['nothing', { path: '/nowhere' }, /there is no repository or bundle at \/nowhere/],
  ])('says so where it cannot be: %s', async (_, change, message) => {
    await expect(checkedOut(change)).rejects.toThrow(message)
  })
})
