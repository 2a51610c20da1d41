import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { getItem, putItem, STORE_BYTES } from './items.ts'

let store: string
beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), 'assay-store-'))
})
afterEach(() => rmSync(store, { recursive: true, force: true }))

/** Large items must not reach Redis. */
const client = null as never

it('transfers a large item through the store, and checks its content', async () => {
  const content = randomBytes(STORE_BYTES + 1)
  const item = await putItem({ client, run: 'r', store }, content, 'a workspace')
  expect(item).toMatchObject({ in: 'store', bytes: content.length })
  expect(await getItem({ client, run: 'r', store }, item)).toEqual(content)
  await expect(getItem({ client, run: 'r', store: null }, item)).rejects.toThrow(/--store DIR/u)
  expect(readdirSync(store)).toEqual([item.sha256])
  writeFileSync(join(store, readdirSync(store)[0] ?? ''), 'changed')
  await expect(getItem({ client, run: 'r', store }, item)).rejects.toThrow(/its hash/u)
})

it('writes and reads nothing through a link that somebody put into the store', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'assay-store-'))
  try {
    const content = randomBytes(STORE_BYTES + 1)
    const at = { client, run: 'r', store }
    const name = createHash('sha256').update(content).digest('hex')
    const victim = join(outside, 'victim')
    writeFileSync(victim, 'mine')
    symlinkSync(victim, join(store, `${name}.${process.pid}.tmp`))
    symlinkSync(victim, join(store, name))
    await expect(getItem(at, { in: 'store', sha256: name, bytes: content.length })).rejects.toThrow(
      'symbolic link',
    )
    const item = await putItem(at, content, 'a workspace')
    expect(readFileSync(victim, 'utf8')).toBe('mine')
    expect(await getItem(at, item)).toEqual(content)
  } finally {
    rmSync(outside, { recursive: true })
  }
})

it('refuses what is too large for Redis if there is no store', async () => {
  const content = Buffer.alloc(65 * 1024 * 1024)
  await expect(putItem({ client, run: 'r', store: null }, content, 'a workspace')).rejects.toThrow(
    /a workspace has 65 MiB, .*--store DIR/u,
  )
})
