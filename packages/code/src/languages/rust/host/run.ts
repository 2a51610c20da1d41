/**
 * Runs a test program in a separate sandbox, in which no compiler, source or other program is visible. The program
 * file can be executed but not read. A nonce (a secret random text) is sent to the harness before any code of the
 * solution runs. A line of the report counts only if it contains the nonce, and each test may report only once. So a
 * solution cannot report results itself.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  limitedAs,
  PROFILES,
  SandboxError,
  WALL_FACTOR,
  whenIdle,
  type Ended,
  type Sandbox,
} from '@assay/sandbox'
import type { CodeLimits, Fault } from '../../../language.ts'
import { idleFault } from '../../../time/idle-fault.ts'
import { gather } from './build.ts'

const MOST_REPORT = 8 * 1024 * 1024
const MOST_OUTPUT = 16 * 1024 * 1024

export interface Reported {
  readonly passed: boolean
  /** The line of the crate at which the test panicked; 0 if unknown. */
  readonly line: number
  readonly message: string
}

export interface Ran {
  /** Results by test index. A test without an entry did not report, or reported more than once. */
  readonly results: ReadonlyMap<number, Reported>
  readonly ready: boolean
  readonly fault: Fault | null
}

export interface Running {
  readonly sandbox: Sandbox
  /** A folder of the host in which the program file is created. */
  readonly folder: string
  /** The shared standard library that the program needs when it runs; null if it is part of the program. */
  readonly std: string | null
  readonly limits: CodeLimits
  readonly signal: AbortSignal
}

export async function runProgram(
  program: Buffer,
  { sandbox, folder, std, limits, signal }: Running,
): Promise<Ran> {
  const path = join(folder, randomUUID())
  await writeFile(path, program, { mode: 0o700 })
  // The program contains the expected values of the tests as constants. So its file can be executed but not read.
  await chmod(path, 0o111)
  try {
    signal.throwIfAborted()
    const boxed = sandbox.start({
      argv: [path],
      reads: [path, ...(std === null || std.startsWith('/usr/lib') ? [] : [std])],
      env: {},
      ...limitedAs('rustSample', {
        cpuMs: limits.cpuMs,
        wallMs: limits.cpuMs * WALL_FACTOR,
        memoryBytes: PROFILES.rustSample.memoryBytes + limits.memoryBytes,
      }),
      pipes: 1,
      system: false,
    })
    const kill = (): void => void boxed.kill()
    signal.addEventListener('abort', kill, { once: true })
    let idle = false
    const unwatch = whenIdle([boxed.pid], limits.cpuMs, () => {
      idle = true
      kill()
    })
    const [pipe] = boxed.pipes
    if (pipe === undefined) throw new SandboxError('the sandbox gave no pipe')
    const nonce = randomBytes(16).toString('hex')
    const reader = new ReportReader(nonce)
    let printed = 0
    let flooded = false
    boxed.stdin.end()
    boxed.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.length
      if (printed <= MOST_OUTPUT || flooded) return
      flooded = true
      kill()
    })
    const complaints = gather(boxed.stderr, 64 * 1024)
    boxed.stderr.on('data', (chunk: Buffer) => boxed.stdout.emit('data', chunk))
    const closed = new Promise((resolve) => pipe.once('close', resolve))
    // When the report is complete, the program is killed, even if threads of the solution still run.
    pipe.on('data', (chunk: Buffer) => {
      if (reader.push(chunk)) kill()
    })
    pipe.write(nonce)
    const ended = await boxed.ended
    unwatch()
    await closed
    signal.removeEventListener('abort', kill)
    signal.throwIfAborted()
    const { results, ready, done } = reader
    const said = (await complaints).toString('utf8')
    const fault = done ? null : idle ? idleFault(limits) : faultOf(ended, { flooded, said, limits })
    return { results, ready, fault }
  } finally {
    await rm(path, { force: true })
  }
}

/** Reads a report of lines such as `NONCE ready`, `NONCE 3 ok`, `NONCE 4 failed LINE TEXT`, `NONCE end`. */
export class ReportReader {
  readonly results = new Map<number, Reported>()
  ready = false
  done = false
  readonly #nonce: string
  readonly #twice = new Set<number>()
  #rest = ''
  #bytes = 0

  constructor(nonce: string) {
    this.#nonce = nonce
  }

  /** Reads the next chunk of the test program's report. Returns true if the report is complete or too long. */
  push(chunk: Buffer): boolean {
    this.#bytes += chunk.length
    if (this.done || this.#bytes > MOST_REPORT) return true
    // A character may be split between two chunks. This garbles only text in messages, not results.
    const lines = (this.#rest + chunk.toString('utf8')).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#take(line)
    return this.done
  }

  #take(line: string): void {
    if (!line.startsWith(`${this.#nonce} `) || this.done) return
    const said = line.slice(this.#nonce.length + 1)
    if (said === 'ready') this.ready = true
    else if (said === 'end') this.done = true
    const found = /^(\d+) (?:(ok)|failed (\d+) (.*))$/u.exec(said)
    if (found === null) return
    const index = Number(found[1])
    if (this.results.has(index)) this.#twice.add(index)
    this.results.set(index, {
      passed: found[2] === 'ok' && !this.#twice.has(index),
      line: Number(found[3] ?? 0),
      message: this.#twice.has(index)
        ? 'the test reported more than once'
        : unescaped(found[4] ?? ''),
    })
  }
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\(.)/gu, (_, letter: string) =>
    letter === 'n' ? '\n' : letter === 'r' ? '\r' : letter,
  )

function faultOf(
  { how, code, signal }: Ended,
  { flooded, said, limits }: { flooded: boolean; said: string; limits: CodeLimits },
): Fault {
  const seconds = limits.cpuMs / 1000
  const number = code !== null && code > 128 ? code - 128 : 0
  if (flooded) return { kind: 'output', text: `printed more than ${MOST_OUTPUT / 2 ** 20} MB` }
  if (how === 'cpu' || number === 24 || signal === 'SIGXCPU')
    return { kind: 'timeout', text: `used more than ${seconds} s of processor time` }
  if (how === 'wall')
    return { kind: 'timeout', text: `did not end within ${seconds * WALL_FACTOR} s` }
  if (/memory allocation of \d+ bytes failed/u.test(said) || number === 9 || signal === 'SIGKILL')
    return { kind: 'memory', text: `needed more than ${limits.memoryBytes / 2 ** 20} MB of memory` }
  if (number === 11 || signal === 'SIGSEGV')
    return {
      kind: 'crash',
      text: 'crashed with a segmentation fault: the stack overflowed, most likely',
    }
  if (number === 6 || signal === 'SIGABRT') return { kind: 'crash', text: 'aborted' }
  if (signal !== null || number > 0)
    return { kind: 'crash', text: `was ended by signal ${signal ?? number}` }
  return { kind: 'exit', text: `ended the process with exit code ${code} before all tests had run` }
}
