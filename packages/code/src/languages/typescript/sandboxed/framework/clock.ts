/** A clock that a test moves by hand, for the integrity level `in-process`: Node's own mock timers. */
import type { Clock } from './library.ts'

interface MockTimers {
  enable(options: { apis: string[]; now?: number | Date }): void
  reset(): void
  tick(ms: number): void
  runAll(): void
  setTime(now: number): void
}

export function fakeClock(): Clock {
  let on = false
  const timers = (): MockTimers =>
    (process.getBuiltinModule('node:test') as unknown as { mock: { timers: MockTimers } }).mock
      .timers
  return {
    use() {
      if (on) timers().reset()
      on = true
      timers().enable({
        apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'],
        now: Date.now(),
      })
    },
    restore() {
      if (on) timers().reset()
      on = false
    },
    advance: (ms) => timers().tick(ms),
    runAll: () => timers().runAll(),
    set: (now) => timers().setTime(Number(now)),
  }
}
