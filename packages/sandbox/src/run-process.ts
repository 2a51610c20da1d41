/**
 * Runs a program to its end: input in, output out, within a time and a size, and leaves nothing behind.
 * It runs in a process group of its own. At the deadline the group is asked to end and then made to; when
 * the program ends by itself, what it started ends with it.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { killSurvivors, MARK_VARIABLE, signalGroup } from './survivors.ts'

interface ProcessRequest {
  /** Program and arguments. */
  readonly argv: readonly string[]
  readonly input: string
  readonly cwd: string
  /** All of the environment but the mark that is added to it. */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Most bytes on stdout. */
  readonly mostBytes: number
  readonly signal: AbortSignal
  /** Called with what it prints as it comes, which is then not collected. Returning `stop` ends the program. */
  readonly onOutput?: (chunk: Buffer) => 'go on' | 'stop'
}

export interface ProcessEnd {
  /** `stopped`: by `onOutput`. */
  readonly how: 'ended' | 'timeout' | 'too-much' | 'stopped'
  /** Null where a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** At most `mostBytes`. */
  readonly stdout: Buffer
  /** The end of it. */
  readonly stderr: Buffer
}

/** Between asking a group to end and making it. */
const GRACE_MS = 2000
/** For the last output to arrive after the end; nobody who could write more is alive by then. */
const DRAIN_MS = 1000
const MOST_STDERR = 8192
/** A timer beyond it would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/**
 * Rejects with the system's error where the program could not be started, and with the signal's reason
 * when that aborts; in both cases and in all others nothing is left running.
 */
export function runProcess(request: ProcessRequest): Promise<ProcessEnd> {
  const { argv, input, cwd, env, timeoutMs, mostBytes, signal, onOutput } = request
  const [program = '', ...words] = argv
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const mark = randomUUID()
    // Inside another trial both marks stay, so that the outer one finds these processes too.
    const marks = [process.env[MARK_VARIABLE], mark].filter((one) => one !== undefined).join('/')
    const child: Child = spawn(program, words, {
      cwd,
      env: { ...env, [MARK_VARIABLE]: marks },
      stdio: ['pipe', 'pipe', 'pipe'],
      // On POSIX: a session and a group of its own.
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
      // What may not be killed, or cannot die, is not waited for.
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
    // A program may end without reading its input, or close a stream when it likes.
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

/** The groups that are running, with their marks. They are not in ours, so our end would not end them. */
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
