/**
 * Runs a program to its end with limits on its time and its output, and leaves no process behind. The program runs in
 * its own process group. When its time is over, the group gets SIGTERM and later SIGKILL. When the program ends by
 * itself, everything that it started is killed too.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { killSurvivors, MARK_VARIABLE, signalGroup } from './survivors.ts'

interface ProcessRequest {
  /** The path of the program, and its arguments. */
  readonly argv: readonly string[]
  readonly input: string
  readonly cwd: string
  /**
   * The complete environment of the program. Only one variable is added: `MARK_VARIABLE`, by which Assay finds the
   * program's processes.
   */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** The most bytes that the program may write to stdout. */
  readonly mostBytes: number
  readonly signal: AbortSignal
  /**
   * Called with each chunk of output. The chunks are then not collected in `stdout`. If it returns `stop`, the
   * program is ended.
   */
  readonly onOutput?: (chunk: Buffer) => 'go on' | 'stop'
}

export interface ProcessEnd {
  /** How the program ended. `stopped`: `onOutput` returned `stop`. */
  readonly how: 'ended' | 'timeout' | 'too-much' | 'stopped'
  /** Null if a signal ended the program. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The collected output, at most `mostBytes`. */
  readonly stdout: Buffer
  /** The last part of stderr. */
  readonly stderr: Buffer
}

/** The time between SIGTERM, which a program can handle, and SIGKILL, which it cannot. */
const GRACE_MS = 2000
/** How long to wait for the last output after the program has ended and no process that could write is left. */
const DRAIN_MS = 1000
const MOST_STDERR = 8192
/** The longest timer of Node. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/**
 * Runs the program. Rejects with the system's error if the program could not be started, and with the reason of
 * `signal` if the signal aborts. In every case, no process is left running.
 */
export function runProcess(request: ProcessRequest): Promise<ProcessEnd> {
  const { argv, input, cwd, env, timeoutMs, mostBytes, signal, onOutput } = request
  const [program = '', ...words] = argv
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const mark = randomUUID()
    // If Assay itself runs in a trial of another Assay, it has the mark of that trial. The mark is kept, so that the
    // outer Assay finds these processes too.
    const marks = [process.env[MARK_VARIABLE], mark].filter((one) => one !== undefined).join('/')
    const child: Child = spawn(program, words, {
      cwd,
      env: { ...env, [MARK_VARIABLE]: marks },
      stdio: ['pipe', 'pipe', 'pipe'],
      // On POSIX, this gives the program its own session and process group.
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    const { pid } = child
    if (pid === undefined) {
      child.once('error', reject)
      return
    }
    const untrack = track(pid, mark)

    let how: ProcessEnd['how'] | 'aborted' = 'ended'
    let exit: Pick<ProcessEnd, 'code' | 'signal'> | null = null
    const stdout: Buffer[] = []
    let bytes = 0
    let stderr: Buffer = Buffer.alloc(0)
    const timers: NodeJS.Timeout[] = []
    const after = (ms: number, act: () => void): void => {
      timers.push(setTimeout(act, Math.min(ms, LONGEST_TIMER_MS)))
    }

    const kill = (): void => {
      killSurvivors(pid, mark)
      // A process that cannot be killed may still hold the output open. Do not wait for it longer than this.
      after(DRAIN_MS, settle)
    }
    const end = (why: typeof how): void => {
      if (how !== 'ended' || exit !== null) return
      how = why
      if (why === 'too-much' || why === 'stopped') {
        kill()
        return
      }
      signalGroup(pid, 'SIGTERM')
      after(GRACE_MS, kill)
    }
    const abort = (): void => end('aborted')
    after(timeoutMs, () => end('timeout'))
    signal.addEventListener('abort', abort, { once: true })

    child.stdout.on('data', (chunk: Buffer) => {
      const within = chunk.subarray(0, Math.max(0, mostBytes - bytes))
      bytes += chunk.length
      if (onOutput === undefined) stdout.push(within)
      else if (how === 'ended' && within.length > 0 && onOutput(within) === 'stop') end('stopped')
      if (bytes > mostBytes) end('too-much')
    })
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = Buffer.concat([stderr, chunk.subarray(-MOST_STDERR)]).subarray(-MOST_STDERR)
    })
    // A program may end without reading its input, or close a stream at any time. The resulting errors are ignored.
    for (const stream of [child, child.stdin, child.stdout, child.stderr])
      stream.on('error', () => {})
    child.stdin.end(input)

    child.once('exit', (code, killer) => {
      exit = { code, signal: killer }
      kill()
    })
    child.once('close', settle)

    function settle(): void {
      for (const timer of timers) clearTimeout(timer)
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
      child.unref()
      untrack()
      signal.removeEventListener('abort', abort)
      if (how === 'aborted') reject(signal.reason)
      else
        resolve({
          how,
          ...(exit ?? { code: null, signal: 'SIGKILL' }),
          stdout: Buffer.concat(stdout),
          stderr,
        })
    }
  })
}

// ── When this process itself ends ────────────────────────────────────────────────────────────────────

/**
 * The running process groups with their marks. They are separate from our own process group, so they would continue
 * to run after this process ends. The code below kills them then.
 */
const running = new Map<number, string>()

function track(pid: number, mark: string): () => void {
  if (running.size === 0) process.on('exit', endAll)
  running.set(pid, mark)
  return () => {
    running.delete(pid)
    if (running.size === 0) process.off('exit', endAll)
  }
}

function endAll(): void {
  for (const [pid, mark] of running) killSurvivors(pid, mark)
}
