/**
 * Turns a child process into a `SandboxedProcess`: ends it when its wall time is over, and finds out how it ended. A
 * program counts as ended when none of its processes is left and its output has been read. If nobody reads one of its
 * streams, that stream is not waited for.
 */
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Readable, Writable, type Duplex } from 'node:stream'
import type { SandboxedProcess, Ended } from './sandbox.ts'

type MaybePromise<T> = T | Promise<T>

export interface Ending {
  readonly wallMs: number | null
  readonly cpuMs: number
  /** Kills the program and everything that it started. Called again if a process is left after the first call. */
  kill(): void
  /** Returns whether no process of the program is left. `thorough`: use a slower and more exact check. */
  isGone(thorough: boolean): boolean
  /** Converts how the child process ended to how the program ended. */
  read(code: number | null, signal: NodeJS.Signals | null): Pick<Ended, 'code' | 'signal'>
  /** Cleans up when the program has ended. Returns which limits of its `total` the program reached. */
  clear(): MaybePromise<Pick<Ended, 'reached' | 'starved'>>
}

/** The first pause before checking again whether a process is left. It is short, because usually none is. */
const FIRST_LOOK_MS = 1
const LAST_LOOK_MS = 50
/** After this time, processes that are still left are killed again, and the exact check is used. */
const PATIENCE_MS = 60
/**
 * After this time, Assay stops waiting. Some processes cannot be killed, because they are blocked inside the kernel.
 */
const MOST_WAIT_MS = 30_000
/** How long to wait for the last output after no process is left that could write. */
const DRAIN_MS = 1000
/** The longest timer of Node. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Watches a started child process and returns it as a `SandboxedProcess`. `child` must have been started with pipes
 * for its descriptors, except for stdin and stdout of a program with `isQuiet`.
 */
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
  // The program can close its ends of the pipes at any time. Writing then fails with errors such as EPIPE, which are
  // ignored.
  for (const stream of child.stdio) stream?.on('error', () => {})
  child.on('error', () => {})

  const ended = exited.then(async (last): Promise<Ended> => {
    await whenGone(ending)
    await atMost(DRAIN_MS, closed)
    for (const stream of child.stdio) stream?.destroy()
    const group = await ending.clear()
    const spent = (performance.now() - began) * availableParallelism() >= ending.cpuMs
    const isLate = how === 'exit' && isOutOfTime(last.signal, spent)
    return { ...last, how: isLate ? 'cpu' : how, ...group }
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
 * Whether a program was ended because it used up its processor time. At that limit it gets SIGXCPU. If it ignores
 * SIGXCPU, the kernel kills it a second later with SIGKILL. So a SIGKILL that Assay did not send counts as this
 * limit, if the program ran long enough to have used up its time.
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
