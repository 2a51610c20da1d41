/**
 * A child process as a sandboxed program: its wall time, its end and how it came about. The end counts when
 * nobody of it is left and what it wrote has been read; a stream that nobody reads does not hold it up.
 */
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Readable, Writable, type Duplex } from 'node:stream'
import type { SandboxedProcess, Ended } from './sandbox.ts'

export interface Ending {
  readonly wallMs: number | null
  readonly cpuMs: number
  /** Ends the program and everything it started; called again while somebody is left. */
  kill(): void
  /** Whether nobody is left. `thorough`: there is time for a closer look. */
  isGone(thorough: boolean): boolean
  /** What the child's own end says of the program's. */
  read(code: number | null, signal: NodeJS.Signals | null): Pick<Ended, 'code' | 'signal'>
  /** When all is over. */
  clear(): void
}

/** Between looks at who is left: the first ones come soon, since mostly nobody is. */
const FIRST_LOOK_MS = 1
const LAST_LOOK_MS = 50
/** From here on those who are left are killed once more, and looked at more closely. */
const PATIENCE_MS = 60
/** A process that the kernel cannot end is not waited for for ever. */
const MOST_WAIT_MS = 30_000
/** For output to be read after the end of all who could write any. */
const DRAIN_MS = 1000
/** A timer beyond it would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** `child` has started, with pipes for its descriptors; perhaps not for standard input and output. */
export function watchProcess(
  child: ChildProcess,
  pid: number,
  pipes: number,
  ending: Ending,
): SandboxedProcess {
  let how: Ended['how'] = 'exit'
  const began = performance.now()
  const end = (why: 'killed' | 'wall'): void => {
    if (child.exitCode !== null || child.signalCode !== null) return
    if (how === 'exit') how = why
    ending.kill()
  }
  const { wallMs } = ending
  const timer =
    wallMs === null ? undefined : setTimeout(() => end('wall'), Math.min(wallMs, LONGEST_TIMER_MS))
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
  })
  const exited = new Promise<Pick<Ended, 'code' | 'signal'>>((resolve) => {
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      resolve(ending.read(code, signal))
    })
  })
  // What the other side does to its ends of the pipes is no error of ours.
  for (const stream of child.stdio) stream?.on('error', () => {})
  child.on('error', () => {})

  const ended = exited.then(async (last): Promise<Ended> => {
    await whenGone(ending)
    await atMost(DRAIN_MS, closed)
    for (const stream of child.stdio) stream?.destroy()
    ending.clear()
    const spent = (performance.now() - began) * availableParallelism() >= ending.cpuMs
    return { ...last, how: how === 'exit' && isOutOfTime(last.signal, spent) ? 'cpu' : how }
  })
  return {
    pid,
    stdin: child.stdin ?? new Writable({ write: (_chunk, _encoding, then) => then() }),
    stdout: child.stdout ?? Readable.from([]),
    stderr: child.stdio[2] as unknown as Readable,
    pipes: child.stdio.slice(3, 3 + pipes) as unknown as Duplex[],
    ended,
    kill() {
      end('killed')
      child.ref()
      return ended
    },
    unref() {
      for (const held of [child, ...child.stdio] as (Partial<Socket> | null)[]) held?.unref?.()
    },
  }
}

/**
 * At its limit a program gets a signal that says so; whoever ignores that one is killed a second later. A
 * kill that is not ours and comes when so much time may have been used is taken for that.
 */
const isOutOfTime = (signal: NodeJS.Signals | null, spent: boolean): boolean =>
  signal === 'SIGXCPU' || (signal === 'SIGKILL' && spent)

function atMost(ms: number, done: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    void done.finally(() => clearTimeout(timer)).then(resolve)
  })
}

async function whenGone(ending: Ending): Promise<void> {
  const began = performance.now()
  let wait = FIRST_LOOK_MS
  for (;;) {
    const waited = performance.now() - began
    const thorough = waited > PATIENCE_MS
    if (ending.isGone(thorough) || waited > MOST_WAIT_MS) return
    if (thorough) ending.kill()
    await sleep(wait)
    wait = Math.min(2 * wait, LAST_LOOK_MS)
  }
}
