import { existsSync, mkdtempSync, mkdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openFileThreads } from './file-threads.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'assay-threads-'))
  onTestFinished(async () => await rm(made, { recursive: true, force: true }))
  return made
}

it('threads of the one pool work on folders, and tell what went wrong', async () => {
  const root = folder()
  mkdirSync(join(root, 'a'))
  writeFileSync(join(root, 'a', 'x'), '1')
  const threads = openFileThreads()
  onTestFinished(async () => await threads.close())
  const copies = Array.from({ length: 20 }, (_, i) => join(root, `b${i}`))
  const copied = copies.map((to) =>
    threads.run({ kind: 'copy', from: join(root, 'a'), to, owner: null }),
  )
  const failed = threads.run({ kind: 'index', folder: join(root, 'missing') })
  await expect(failed).rejects.toThrow('ENOENT')
  await Promise.all(copied)
  expect(copies.filter((to) => existsSync(join(to, 'x')))).toEqual(copies)
})

it('threads that were closed do no more', async () => {
  const threads = openFileThreads()
  const waiting = threads.run({ kind: 'index', folder: folder() }).catch((error: unknown) => error)
  await threads.close()
  expect(await waiting).toEqual(new Error('the workspaces were closed'))
  await expect(threads.run({ kind: 'index', folder: '.' })).rejects.toThrow('were closed')
})
