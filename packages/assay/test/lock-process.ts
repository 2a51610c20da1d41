/** A process that takes the lock of a folder when it is told to. The test starts many of them at once. */
import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Lock } from '../src/log/lock/lock.ts'

interface Round {
  readonly folder: string
  /** Ends the process while it holds the lock, instead of releasing it. */
  readonly die: boolean
}

/**
 * `won`: it took and released the lock. `lost`: another process had it. `shared`: two processes had it at once.
 */
export type RoundEnd = 'won' | 'lost' | 'shared'

process.on('message', (round: Round) => {
  void take(round).then((end) => process.send?.(end))
})
process.send?.('ready')

async function take({ folder, die }: Round): Promise<RoundEnd> {
  let lock: Lock
  try {
    lock = Lock.take(folder)
  } catch {
    return 'lost'
  }
  const mark = join(folder, 'holder')
  try {
    closeSync(openSync(mark, 'wx'))
  } catch {
    return 'shared'
  }
  await wait(Math.random() * 2)
  rmSync(mark)
  if (die) process.kill(process.pid, 'SIGKILL')
  lock.release()
  return 'won'
}
