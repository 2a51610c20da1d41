/** A run whose receiver of events is slow. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeSubject, fakeSuite, saying, skippingClock } from '../../test/fakes.ts'
import type { RunEvent } from './schedule/events.ts'
import type { RunOptions } from './run-options.ts'
import { run } from './run.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-ready-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** More trials than may be in progress at the same time. */
const PLANNED = 2000

/** A receiver that waits after each trial until the test lets it continue. */
function slowReceiver() {
  let wait = Promise.withResolvers<void>()
  const state = {
    taken: 0,
    waits: 0,
    onEvent: ({ type }: RunEvent) => {
      if (type === 'trial') state.taken++
    },
    ready: () => {
      state.waits++
      wait = Promise.withResolvers<void>()
      return wait.promise
    },
    goOn: () => wait.resolve(),
    giveUp: (error: Error) => wait.reject(error),
  }
  return state
}

const go = (options: Partial<RunOptions>) =>
  run({
    suites: [fakeSuite(PLANNED)],
    subjects: [fakeSubject(() => saying('right'), { concurrency: { start: 4, most: 4 } })],
    folder: join(root, 'run'),
    clock: skippingClock(),
    ...options,
  })

/** Waits until the receiver waits and all trials in progress have ended. */
async function untilHeld(receiver: { readonly waits: number; readonly taken: number }) {
  while (receiver.waits === 0) await setTimeout(1)
  for (let before = -1; before !== receiver.taken;) {
    before = receiver.taken
    await setTimeout(50)
  }
}

describe('a receiver of events that is behind', () => {
  it('lets trials under way end and no new one start, until it has caught up', async () => {
    const receiver = slowReceiver()
    const result = go(receiver)
    await untilHeld(receiver)
    expect(receiver.waits).toBe(1)
    const { taken } = receiver
    expect(taken).toBeGreaterThan(0)
    expect(taken).toBeLessThan(PLANNED / 2)
    for (let i = 0; i < 20; i++) await setTimeout(1)
    expect(receiver.taken).toBe(taken)
    const goingOn = setInterval(receiver.goOn, 1)
    try {
      expect((await result).ended).toBe('complete')
    } finally {
      clearInterval(goingOn)
    }
    expect(receiver.taken).toBe(PLANNED)
  })

  it('does not hold a run that is stopped', async () => {
    const receiver = slowReceiver()
    const stop = new AbortController()
    const result = go({ ...receiver, signal: stop.signal })
    await untilHeld(receiver)
    const { taken } = receiver
    stop.abort()
    expect((await result).ended).toBe('interrupted')
    expect(receiver.taken).toBe(taken)
  })

  it('ends the run where it fails', async () => {
    const receiver = slowReceiver()
    const result = go(receiver)
    await untilHeld(receiver)
    receiver.giveUp(new Error('nobody takes them'))
    await expect(result).rejects.toThrow('nobody takes them')
  })
})
