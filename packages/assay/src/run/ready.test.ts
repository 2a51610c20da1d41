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

function go(options: Partial<RunOptions>) {
  const subject = fakeSubject(() => saying('right'), { concurrency: { start: 4, most: 4 } })
  const result = run({
    suites: [fakeSuite(PLANNED)],
    subjects: [subject],
    folder: join(root, 'run'),
    clock: skippingClock(),
    ...options,
  })
  return { result, asked: subject.asked }
}

/**
 * Waits until the receiver waits and every trial that was started has ended, also at several looks one after the other: on a slow
 * machine a trial may be about to start at the first look.
 */
async function untilHeld(
  receiver: { readonly waits: number; readonly taken: number },
  asked: readonly unknown[],
): Promise<void> {
  for (let looks = 0; looks < 20; looks++) {
    await setTimeout(5)
    if (receiver.waits === 0 || receiver.taken !== asked.length) looks = 0
  }
}

describe('a receiver of events that is behind', () => {
  it('lets trials under way end and no new one start, until it has caught up', async () => {
    const receiver = slowReceiver()
    const { result, asked } = go(receiver)
    await untilHeld(receiver, asked)
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
    const { result, asked } = go({ ...receiver, signal: stop.signal })
    await untilHeld(receiver, asked)
    const { taken } = receiver
    stop.abort()
    expect((await result).ended).toBe('interrupted')
    expect(receiver.taken).toBe(taken)
  })

  it('ends the run where it fails', async () => {
    const receiver = slowReceiver()
    const { result, asked } = go(receiver)
    await untilHeld(receiver, asked)
    receiver.giveUp(new Error('nobody takes them'))
    await expect(result).rejects.toThrow('nobody takes them')
  })
})
