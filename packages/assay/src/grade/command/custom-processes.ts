/**
 * Runs custom graders in separate processes. These processes have neither Assay's environment nor its memory, so
 * they cannot read its API keys. When a process is killed, all processes that it started are killed too. With a
 * sandbox, the processes run inside it, in a separate pool for each suite's folder.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { extname } from 'node:path'
import type { Duplex, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { diesWithUs, killSurvivors, MARK_VARIABLE } from '@assay/sandbox'
import { plain } from '@assay/contract'
import {
  MODULE_FLAGS,
  READY,
  type Deadline,
  type Runner,
  type RunnerEvents,
} from '../../pool/index.ts'
import { startSandboxed, type GraderSandbox } from './grader-sandbox.ts'
import { GraderPool, tooMuchMemory } from '../worker/grader-pool.ts'
import { readReply, type CustomTask, type Reply } from '../worker/task.ts'

const MEMORY_MB = 512
/** The limit on the bytes of one reply. A log record stores far less. */
const MOST_REPLY = 16 * 1024 * 1024
const MOST_STDERR = 8192
const MOST_QUOTED = 300
/** How long to wait for the remaining output after the process has ended. */
const DRAIN_MS = 1000

// The module custom-process is in the same folder as this file, both in the sources and in the build.
const PROGRAM = fileURLToPath(
  new URL(`./custom-process${extname(import.meta.url)}`, import.meta.url),
)
const COMMAND = [
  process.execPath,
  `--max-old-space-size=${MEMORY_MB}`,
  ...MODULE_FLAGS,
  PROGRAM,
] as const

/** A started process, inside or outside a sandbox. */
interface Started {
  readonly channel: Duplex
  readonly stderr: Readable
  /** Resolves when the process has ended. */
  readonly ended: Promise<unknown>
  end(): Promise<unknown>
}

const pool = new GraderPool<CustomTask>((events) => connect(startProcess(), events))
const sandboxed = new Map<string, GraderPool<CustomTask>>()

/** Runs a custom grader. Runs it in the sandbox if one is given. Rejects with the same errors as `GraderPool.run`. */
export function runCustom(
  task: CustomTask,
  deadline: Deadline,
  sandbox: GraderSandbox | null,
): Promise<unknown> {
  return (sandbox === null ? pool : poolIn(sandbox)).run(task, deadline)
}

function poolIn(sandbox: GraderSandbox): GraderPool<CustomTask> {
  const known = sandboxed.get(sandbox.folder)
  if (known !== undefined) return known
  const made = new GraderPool<CustomTask>((events) => connect(startInSandbox(sandbox), events))
  sandboxed.set(sandbox.folder, made)
  return made
}

/** Ends all processes. The next task starts a new one. */
export async function closeProcesses(): Promise<void> {
  const pools = [pool, ...sandboxed.values()]
  sandboxed.clear()
  await Promise.all(pools.map((one) => one.close()))
}

// ── Starting ─────────────────────────────────────────────────────────────────────────────────────────

function startProcess(): Started {
  const mark = randomUUID()
  const [program, ...words] = [...diesWithUs(), ...COMMAND]
  const child = spawn(program, words, {
    env: { [MARK_VARIABLE]: mark },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    // The process gets its own process group. So all processes that it started can be killed with it. And Ctrl-C in
    // the terminal reaches only Assay.
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  const { pid } = child
  child.on('error', () => {})
  if (pid === undefined) throw new Error('the process of a custom grader could not be started')
  const kill = (): void => killSurvivors(pid, mark)
  process.once('exit', kill)
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      process.off('exit', kill)
      kill()
      // A child process that cannot be killed may keep a pipe open. So resolve after a while even if the pipe is not
      // closed.
      setTimeout(resolve, DRAIN_MS).unref()
    })
    child.once('close', () => resolve())
  })
  const channel = child.stdio[3] as unknown as Duplex & { unref(): void }
  const stderr = child.stdio[2] as Readable & { unref(): void }
  for (const held of [child, channel, stderr]) held.unref()
  return {
    channel,
    stderr,
    ended,
    end() {
      kill()
      child.ref()
      return ended
    },
  }
}

function startInSandbox(sandbox: GraderSandbox): Started {
  const boxed = startSandboxed(sandbox, { argv: COMMAND, timeoutMs: null, pipes: 1 })
  const [channel] = boxed.pipes
  if (channel === undefined) throw new Error('the sandbox gave the grader no pipe')
  boxed.stdout.resume()
  boxed.unref()
  return { channel, stderr: boxed.stderr, ended: boxed.ended, end: () => boxed.kill() }
}

// ── Messages ─────────────────────────────────────────────────────────────────────────────────────────

function connect(started: Started, events: RunnerEvents<Reply>): Runner<CustomTask> {
  const { channel, stderr, ended } = started
  let said = ''
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(-MOST_STDERR)
  })
  let part: string[] = []
  let length = 0
  channel.setEncoding('utf8')
  channel.on('error', () => {})
  channel.on('data', (chunk: string) => {
    const lines = chunk.split('\n')
    for (const [i, line] of lines.entries()) {
      part.push(line)
      length += line.length
      if (length > MOST_REPLY) {
        events.failed(new Error(`it gave back more than ${MOST_REPLY} characters`))
        return
      }
      if (i === lines.length - 1) break
      const whole = part.join('')
      part = []
      length = 0
      received(whole, events)
    }
  })
  void ended.then(() =>
    events.failed(
      OUT_OF_MEMORY.test(said)
        ? tooMuchMemory(MEMORY_MB)
        : new Error(`the grader’s process ended by itself${quotedEnd(said)}`),
    ),
  )
  return {
    send: (task) => void channel.write(`${JSON.stringify(task)}\n`),
    end: () => started.end(),
  }
}

const quotedEnd = (said: string): string =>
  said.trim() === '' ? '' : `; stderr: ${plain(said.trim().slice(-MOST_QUOTED))}`

/**
 * Matches V8's message when memory runs out. The grader's own output is collected separately and normally does
 * not appear on this stream.
 */
const OUT_OF_MEMORY = /JavaScript heap out of memory|Reached heap limit/

function received(line: string, events: RunnerEvents<Reply>): void {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    message = null
  }
  if (message === READY) {
    events.ready()
    return
  }
  const reply = readReply(message)
  if (reply === null)
    events.failed(new Error('the grader’s process wrote something else than a reply'))
  else if ('broken' in reply) events.failed(new Error(reply.broken))
  else events.reply(reply)
}
