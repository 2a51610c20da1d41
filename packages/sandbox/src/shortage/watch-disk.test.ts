/** Measuring what a program writes to its folders, on a simulated disk whose free space the test sets. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { watchDisk, type DiskAmounts } from './watch-disk.ts'

const MIB = 2 ** 20
const ENOUGH = { bytes: 100 * MIB, files: 10_000 }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'disk-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Watches the folders while `work` writes. `after` is the free space afterwards. */
async function watched(work: () => void, after: Partial<DiskAmounts>, looks = false) {
  let free: DiskAmounts = ENOUGH
  let stopped = 0
  const isStopped = Promise.withResolvers<void>()
  const stop = (): void => {
    stopped++
    isStopped.resolve()
  }
  const watch = watchDisk([folder], stop, {
    most: { bytes: 4 * MIB, files: 100 },
    lookMs: looks ? 1 : 1_000_000,
    free: () => free,
  })
  work()
  free = { ...ENOUGH, ...after }
  if (looks) await isStopped.promise
  return { end: await watch.end(), stopped }
}

const write = (mib: number): void => writeFileSync(join(folder, 'file'), Buffer.alloc(mib * MIB, 1))

function writeMany(count: number): void {
  mkdirSync(join(folder, 'many'))
  for (let n = 0; n < count; n++) writeFileSync(join(folder, 'many', String(n)), '')
}

it('stops a program that writes more than it may', async () => {
  const end = await watched(() => write(6), { bytes: 94 * MIB }, true)
  expect(end).toEqual({ end: 'reached', stopped: 1 })
})

it('tells of it when the program has ended before it was seen', async () => {
  const { end } = await watched(() => write(6), { bytes: 94 * MIB })
  expect(end).toBe('reached')
})

it('counts files too', async () => {
  const { end } = await watched(() => writeMany(150), { files: 9_850 })
  expect(end).toBe('reached')
})

it('lets a program write while there is room, whatever others write', async () => {
  expect(await watched(() => write(2), { bytes: 98 * MIB })).toEqual({ end: null, stopped: 0 })
  expect(await watched(() => write(2), { bytes: 10 * MIB })).toEqual({ end: null, stopped: 0 })
})

it('does not count what was there before', async () => {
  write(6)
  await sleep(50)
  const little = (): void => {
    writeFileSync(join(folder, 'small'), 'x')
  }
  expect(await watched(little, { bytes: 10 * MIB })).toEqual({ end: null, stopped: 0 })
})

it('tells a disk that others filled from one that the program filled', async () => {
  expect((await watched(() => write(2), { bytes: 0 })).end).toBe('starved')
  expect((await watched(() => write(6), { bytes: 0 })).end).toBe('reached')
  expect((await watched(() => write(1), { files: 3 })).end).toBe('starved')
})

it('watches nothing where there is no folder, or the system does not tell', async () => {
  expect(await watchDisk([], () => {}).end()).toBeNull()
  expect(await watchDisk([folder], () => {}, { free: () => null }).end()).toBeNull()
})
