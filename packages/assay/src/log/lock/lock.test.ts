/**
 * The lock between machines and containers: the heartbeat, and the atomic takeover. The tests also cover: `assay
 * report` of a run whose container died (isLocked), and a writer that lost its lock (line-file.ts).
 */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RunError, UsageError } from '@assay/contract'
import { isLocked, Lock, type LockClock } from './lock.ts'
import { idOfText, newOwner } from './owner.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const LIMITS = { beatMs: 5000, limitMs: 60_000 }
const lockFile = () => join(folder, 'lock')
const heartbeat = () => join(folder, 'heartbeat')

/** A clock that advances only while the code under test waits. */
function fakeClock(onWait: (now: number) => void = () => {}) {
  let now = 0
  const beats: (() => void)[] = []
  const clock: LockClock = {
    now: () => now,
    wait: async (ms) => {
      now += ms
      onWait(now)
    },
    every: (_, work) => {
      beats.push(work)
      return { stop: () => {} }
    },
  }
  return { clock, beats, pass: (ms: number) => (now += ms), time: () => now }
}

/** Writes a lock that a process in another container holds. */
function foreignLock(): void {
  const owner = { ...newOwner(), host: 'elsewhere', space: 'another container' }
  writeFileSync(lockFile(), JSON.stringify(owner))
  writeFileSync(heartbeat(), `${owner.id} 0`)
}

describe('a lock of another host or container', () => {
  it('is taken over when its heartbeat has stood still for the limit, and not before', async () => {
    foreignLock()
    expect(() => Lock.take(folder)).toThrow(UsageError)
    const said: string[] = []
    const { clock, time } = fakeClock()
    const lock = await Lock.takeOver(folder, {
      ...LIMITS,
      clock,
      onWait: (text) => void said.push(text),
    })
    expect(time()).toBeGreaterThanOrEqual(LIMITS.limitMs)
    expect(time()).toBeLessThan(LIMITS.limitMs + LIMITS.beatMs)
    expect(said).toHaveLength(1)
    expect(said[0]).toContain('process')
    expect(said[0]).toContain('within 60 s')
    lock.release()
    expect(readdirSync(folder)).toEqual([])
  })

  it('is respected as soon as its heartbeat changes, whatever the clocks of the hosts say', async () => {
    foreignLock()
    utimesSync(heartbeat(), 1, 1)
    const { clock, time } = fakeClock((now) => {
      if (now > 10_000) writeFileSync(heartbeat(), 'another beat')
    })
    const before = readFileSync(lockFile(), 'utf8')
    await expect(Lock.takeOver(folder, { ...LIMITS, clock })).rejects.toThrow('on elsewhere')
    expect(time()).toBeLessThan(20_000)
    expect(readFileSync(lockFile(), 'utf8')).toBe(before)
  })

  it('is taken over also where it names nobody, as one that was never written', async () => {
    writeFileSync(lockFile(), '')
    const { clock } = fakeClock()
    const lock = await Lock.takeOver(folder, { ...LIMITS, clock })
    lock.release()
    expect(readdirSync(folder)).toEqual([])
  })

  it('shows as not running when its heartbeat is an hour old', () => {
    foreignLock()
    expect(isLocked(folder)).toBe(true)
    for (const path of [lockFile(), heartbeat()]) utimesSync(path, 1, 1)
    expect(isLocked(folder)).toBe(false)
  })
})

describe('the holder', () => {
  it('beats, and stops writing when another one has taken the lock', () => {
    const { clock, beats, pass } = fakeClock()
    const lock = Lock.take(folder, { ...LIMITS, clock })
    const first = readFileSync(heartbeat(), 'utf8')
    beats[0]?.()
    expect(readFileSync(heartbeat(), 'utf8')).not.toBe(first)
    lock.check()
    foreignLock()
    const theirs = readFileSync(heartbeat(), 'utf8')
    // After a long pause, the writer finds that another process has taken the lock before its next write. It does not
    // wait for the next heartbeat.
    pass(LIMITS.limitMs)
    expect(() => lock.check()).toThrow(RunError)
    beats[0]?.()
    expect(readFileSync(heartbeat(), 'utf8')).toBe(theirs)
    lock.release()
    expect(existsSync(lockFile())).toBe(true)
  })
})

it('what processes left that died while they took the lock is removed by the next', () => {
  const dead = { ...newOwner(), pid: 2 ** 22 + 1, started: '1' }
  const stale = { ...dead, id: 'stale' }
  writeFileSync(lockFile(), JSON.stringify(stale))
  // One process died while it held the claim, and another one while it held the claim of that claim.
  writeFileSync(join(folder, 'lock.stale.claim'), JSON.stringify({ ...dead, id: 'claimant' }))
  const claimOfClaim = `lock.${idOfText('lock.stale.claim claimant')}.claim`
  writeFileSync(join(folder, claimOfClaim), JSON.stringify({ ...dead, id: 'second' }))
  writeFileSync(join(folder, 'lock.third.new'), JSON.stringify({ ...dead, id: 'third' }))
  const lock = Lock.take(folder)
  expect(readdirSync(folder).toSorted()).toEqual(['heartbeat', 'lock'])
  lock.release()
  expect(readdirSync(folder)).toEqual([])
})

it.each([
  ['itself', { 'lock.a.claim': 'a' }],
  ['one another', { 'lock.a.claim': 'b', 'lock.b.claim': 'a' }],
])('claims of dead processes that name %s do not keep the lock', (_, claims) => {
  const dead = { ...newOwner(), pid: 2 ** 22 + 1, started: '1' }
  for (const [name, id] of Object.entries({ lock: 'a', ...claims }))
    writeFileSync(join(folder, name), JSON.stringify({ ...dead, id }))
  Lock.take(folder).release()
  expect(readdirSync(folder)).toEqual([])
})
