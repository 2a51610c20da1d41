/**
 * Detects programs that have stopped doing anything, from the processor time that each program and its descendants
 * use. A program that is ready to run but gets no processor is not idle.
 */
import { readdirSync, readFileSync } from 'node:fs'

/** The unit in which Linux reports processor time: a hundredth of a second. */
const TICK_MS = 10
/** How many times the processor time is checked during `idleMs`. */
const LOOKS = 8
/**
 * A program that uses at most this share of the time counts as idle. It is not 0, because timers and garbage
 * collection of a waiting program use some time.
 */
const NOTHING = 0.01

/** Limits on how a program uses the processor, together with everything that it starts. */
export interface UseLimits {
  /** The processor time that all processes together may use. */
  readonly cpuMs: number
  /** How long the processes may use almost no processor time while none of them is ready to run. */
  readonly idleMs: number
}

/** The longest time between two checks of the processor time. */
const MOST_LOOK_MS = 1000

/**
 * Calls `tell` once, when the program and everything that it started have used more than their processor time, or
 * were idle for too long. Neither depends on how busy the machine is. Returns a function that stops the checks. The
 * time of a child process counts while it runs. After its end, it counts only if its parent waited for it.
 */
export function watchUse(
  pid: number,
  { cpuMs, idleMs }: UseLimits,
  tell: (why: 'cpu' | 'idle') => void,
): () => void {
  let most = 0
  const stopIdle = whenIdle([pid], idleMs, () => end('idle'))
  const timer = setInterval(
    () => {
      most = Math.max(most, useOf(pid)?.ms ?? 0)
      if (most > cpuMs) end('cpu')
    },
    Math.min(MOST_LOOK_MS, Math.max(cpuMs / LOOKS, TICK_MS)),
  )
  timer.unref()
  const stop = (): void => {
    clearInterval(timer)
    stopIdle()
  }
  const end = (why: 'cpu' | 'idle'): void => {
    stop()
    tell(why)
  }
  return stop
}

/**
 * Calls `tell` once, when the programs have used almost no processor time for `idleMs`. Returns a function that
 * stops the checks.
 */
export function whenIdle(pids: readonly number[], idleMs: number, tell: () => void): () => void {
  let base = { at: performance.now(), ms: 0 }
  const timer = setInterval(() => {
    const now = performance.now()
    const uses = pids.map(useOf)
    const ms = uses.reduce((sum, use) => sum + (use?.ms ?? 0), 0)
    const isBusy = uses.some((use) => use === null || use.isRunning)
    if (isBusy || Math.abs(ms - base.ms) > idleMs * NOTHING) base = { at: now, ms }
    else if (now - base.at >= idleMs) {
      clearInterval(timer)
      tell()
    }
  }, idleMs / LOOKS)
  timer.unref()
  return () => clearInterval(timer)
}

interface Use {
  readonly ms: number
  /** Whether a thread of the process or of a descendant runs, or waits for a processor or a disk. */
  readonly isRunning: boolean
}

/** Returns the use of a process and its descendants; null if the system does not report it. */
function useOf(pid: number): Use | null {
  let ticks = 0
  let isRunning = false
  const waiting = [pid]
  try {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      ticks += ticksOf(`/proc/${one}/stat`)
      for (const task of readdirSync(`/proc/${one}/task`)) {
        isRunning ||= /^[RD]/.test(afterName(`/proc/${one}/task/${task}/stat`))
        const children = readFileSync(`/proc/${one}/task/${task}/children`, 'utf8')
        waiting.push(...children.split(' ').filter(Boolean).map(Number))
      }
    }
  } catch {
    // The system is not Linux, or one of the processes ended just now. Null then means that the use is unknown, and
    // the caller does not count the program as idle.
    return null
  }
  return { ms: ticks * TICK_MS, isRunning }
}

/** Returns the fields after the name, which is in parentheses and may contain any character. */
const afterName = (path: string): string => {
  const text = readFileSync(path, 'latin1')
  return text.slice(text.lastIndexOf(')') + 2)
}

/** Processor time of the process and of its children that have ended. */
const ticksOf = (path: string): number =>
  afterName(path)
    .split(' ')
    .slice(11, 15)
    .reduce((sum, text) => sum + Number(text), 0)
