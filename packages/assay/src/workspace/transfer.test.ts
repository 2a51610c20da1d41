import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hashFolder } from '../suite/index.ts'
import { checkOut } from './git-source.ts'
import { packCommit, packFolder, unpackFolder } from './transfer.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-transfer-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const skips = (): boolean => false
const { signal } = new AbortController()

it('unpacks a folder with the same hash, without the paths that are left out', async () => {
  const from = join(folder, 'from')
  mkdirSync(join(from, 'deep/er'), { recursive: true })
  mkdirSync(join(from, 'nothing/in it'), { recursive: true })
  writeFileSync(join(from, 'deep/er/empty'), '')
  writeFileSync(join(from, 'data.bin'), Buffer.from([0, 255, 10, 13]))
  writeFileSync(join(from, 'run.sh'), '#!/bin/sh\n')
  chmodSync(join(from, 'run.sh'), 0o755)
  symlinkSync('../run.sh', join(from, 'deep/link'))
  const hash = await hashFolder(from, { skips })
  writeFileSync(join(from, 'suite.toml'), 'the answers')
  const to = join(folder, 'to')
  await unpackFolder(await packFolder(from, ['suite.toml']), to)
  expect(await hashFolder(to, { skips })).toBe(hash)
  expect(existsSync(join(to, 'nothing/in it'))).toBe(true)
})

it('refuses bytes that lead out of the folder or are damaged', async () => {
  const pack = (entries: unknown, content = ''): Buffer =>
    gzipSync(Buffer.from(`${JSON.stringify(entries)}\n${content}`))
  const to = join(folder, 'to')
  for (const path of ['../out', '/etc/x', 'a/../../b', ''])
    await expect(unpackFolder(pack([{ path, mode: '100644', bytes: 0 }]), to)).rejects.toThrow(
      /damaged/u,
    )
  await expect(
    unpackFolder(pack([{ path: 'a', mode: '100644', bytes: 1 }], 'long'), to),
  ).rejects.toThrow(/sizes/u)
  await expect(unpackFolder(Buffer.from('no gzip'), to)).rejects.toThrow(/damaged/u)
})

it('packs a commit with only the history that the case shows', async () => {
  const repository = join(folder, 'repository')
  mkdirSync(repository)
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', repository, ...words], {
      encoding: 'utf8',
    }).trim()
  git('init', '--quiet')
  for (const text of ['one', 'two', 'three', 'four']) {
    writeFileSync(join(repository, 'file'), text)
    git('add', '.')
    git('commit', '--quiet', '-m', text)
  }
  const commit = git('rev-parse', 'HEAD~1')
  const path = join(folder, 'packed')
  await unpackFolder(await packCommit({ path: repository, commit, depth: 2 }, signal), path)
  const out = join(folder, 'out')
  mkdirSync(out)
  const options = { spare: join(folder, 'spare'), timeoutMs: () => 30_000, signal }
  await checkOut({ path, commit, depth: 2 }, out, options)
  expect(readFileSync(join(out, 'file'), 'utf8')).toBe('three')
  const log = execFileSync('git', ['-C', out, 'log', '--format=%s'], { encoding: 'utf8' })
  expect(log.trim().split('\n')).toEqual(['three', 'two'])
  expect(() => git('-C', path, 'cat-file', '-e', git('rev-parse', 'HEAD'))).toThrow(/cat-file/u)
})
