/**
 * Whether programs still do something: the processor time of each with everything below it, as the kernel counts it.
 * A program that is ready to run and gets no processor is not idle, whatever the machine is busy with.
 */
import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second for everybody. */
const TICK_MS = 10
/** So often it is looked at in the time that counts as idle. */
const LOOKS = 8
/** A share of the time: timers and garbage take some, and none of that is progress. */
const NOTHING = 0.01

/** Calls back once, when the programs have used no processor for so long. Returns what stops it. */
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
  /** One of its threads runs, waits for a processor or for a disk. */
  readonly isRunning: boolean
}

/** Null where the system does not tell. */
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
    // Not Linux, or one of them ended just now: then something did happen.
    return null
  }
  return { ms: ticks * TICK_MS, isRunning }
}

/** The name is in parentheses and may hold any character. */
const afterName = (path: string): string => {
  const text = readFileSync(path, 'latin1')
  return text.slice(text.lastIndexOf(')') + 2)
}

/** Of the process and of its children that have ended. */
const ticksOf = (path: string): number =>
  afterName(path)
    .split(' ')
    .slice(11, 15)
    .reduce((sum, text) => sum + Number(text), 0)
