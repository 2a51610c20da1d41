/**
 * Runs the functions of a suite in a separate process. Several calls can run in it at once. If the process ends or
 * hangs, Assay does not know which of these calls caused it. So it repeats each of them alone, in a new process. If the
 * process ends or hangs again during such a call, that call has failed.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  plainLines,
  type FunctionCall,
  type FunctionHost,
  type FunctionReply,
  type FunctionsDescription,
} from '@assay/contract'
import { diesWithUs } from '@assay/sandbox'
import { MODULE_FLAGS } from '../pool/index.ts'

export type HostRequest =
  | { readonly kind: 'call'; readonly id: number; readonly call: FunctionCall }
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'env'; readonly variables: Readonly<Record<string, string>> }

export type HostMessage =
  | {
      readonly kind: 'ready'
      readonly description: FunctionsDescription
      readonly files: Readonly<Record<string, string>>
    }
  /** The module is a suite without functions. */
  | { readonly kind: 'data' }
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly files: Readonly<Record<string, string>>
    }
  | { readonly kind: 'reply'; readonly id: number; readonly reply: FunctionReply }

/**
 * `LOADING_MS` limits how long a module may take to load. `GRACE_MS` is how long Assay waits for a reply after a call's
 * time limit, before it stops the process.
 */
const LOADING_MS = 60_000
const GRACE_MS = 5000
const MOST_TAIL = 2000
const PROGRAM = fileURLToPath(
  new URL(`./host-process${path.extname(import.meta.url)}`, import.meta.url),
)

export type Loaded =
  | { readonly kind: 'functions'; readonly host: ProcessHost }
  | { readonly kind: 'data' }
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly files: Readonly<Record<string, string>>
    }

interface Child {
  readonly process: ChildProcess
  readonly first: HostMessage
  readonly calls: Map<number, (end: FunctionReply | Lost) => void>
  tail: string
}

/** The result of a call during which the process ended or stopped answering. */
interface Lost {
  readonly lost: string
  readonly isTimeout: boolean
  /** Whether this was the only call at that time, and so the cause. */
  readonly isAlone: boolean
}

/** Loads a file that may be a suite with functions. `kind` says what the file contains. */
export async function openProcessHost(file: string, graceMs = GRACE_MS): Promise<Loaded> {
  const child = await startChild(file)
  const { first } = child
  if (first.kind === 'ready')
    return { kind: 'functions', host: new ProcessHost(file, child, first, graceMs) }
  child.process.kill('SIGKILL')
  if (first.kind === 'failed') return first
  return { kind: 'data' }
}

export class ProcessHost implements FunctionHost {
  readonly description: FunctionsDescription
  readonly files: Readonly<Record<string, string>>
  readonly #file: string
  readonly #graceMs: number
  #child: Child | null
  #starting: Promise<Child> | null = null
  #variables: Readonly<Record<string, string>> = {}
  /**
   * Calls that were running when the process ended are repeated one at a time. This promise resolves when all of them
   * have ended. New calls wait for it.
   */
  #alone: Promise<unknown> = Promise.resolve()
  #next = 0

  constructor(
    file: string,
    child: Child,
    first: Extract<HostMessage, { kind: 'ready' }>,
    graceMs: number,
  ) {
    this.#graceMs = graceMs
    this.#file = file
    this.#child = child
    this.description = first.description
    this.files = first.files
    this.#watch(child)
  }

  give(variables: Readonly<Record<string, string>>): void {
    this.#variables = variables
    if (this.#child !== null) sendTo(this.#child, { kind: 'env', variables })
  }

  async call(call: FunctionCall, signal: AbortSignal): Promise<FunctionReply> {
    for (let alone: unknown = null; alone !== this.#alone;) {
      alone = this.#alone
      await alone
    }
    const end = await this.#attempt(call, signal)
    if (!('lost' in end)) return end
    if (end.isAlone) return lostReply(end)
    const again = this.#alone.then(() => this.#attempt(call, signal))
    this.#alone = again.catch(() => {})
    const last = await again
    return 'lost' in last ? lostReply(last) : last
  }

  async close(): Promise<void> {
    this.#child?.process.kill('SIGKILL')
    this.#child = null
  }

  toJSON(): undefined {
    return undefined
  }

  async #attempt(call: FunctionCall, signal: AbortSignal): Promise<FunctionReply | Lost> {
    signal.throwIfAborted()
    const child = this.#child ?? (await this.#started())
    const id = this.#next++
    const { promise, resolve, reject } = Promise.withResolvers<FunctionReply | Lost>()
    const timer = setTimeout(
      () => this.#lose(child, 'did not answer any more and was stopped', true),
      Math.min(call.timeoutMs + this.#graceMs, 2 ** 31 - 1),
    )
    const abort = (): void => {
      sendTo(child, { kind: 'abort', id })
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', abort, { once: true })
    hold(child, true)
    child.calls.set(id, resolve)
    sendTo(child, { kind: 'call', id, call })
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      child.calls.delete(id)
      if (child.calls.size === 0) hold(child, false)
    }
  }

  /**
   * Starts the process again. Only its functions are used, because the suite's data was already read from the first
   * process.
   */
  #started(): Promise<Child> {
    this.#starting ??= startChild(this.#file).then((child) => {
      this.#starting = null
      if (child.first.kind !== 'ready') {
        child.process.kill('SIGKILL')
        throw new Error(`${this.#file} does not load any more`)
      }
      sendTo(child, { kind: 'env', variables: this.#variables })
      this.#watch(child)
      this.#child = child
      return child
    })
    return this.#starting
  }

  #watch(child: Child): void {
    child.process.once('exit', (code, how) => this.#lose(child, how ?? `exit code ${code}`, false))
  }

  #lose(child: Child, why: string, isTimeout: boolean): void {
    if (this.#child === child) this.#child = null
    child.process.kill('SIGKILL')
    const waiting = [...child.calls.values()]
    child.calls.clear()
    const tail = child.tail.trim() === '' ? '' : `\n${child.tail.trim()}`
    for (const end of waiting)
      end({ lost: `${why}${tail}`, isTimeout, isAlone: waiting.length === 1 })
  }
}

const lostReply = ({ lost, isTimeout }: Lost): FunctionReply => ({
  how: isTimeout ? 'timeout' : 'died',
  text: isTimeout ? `its process ${lost}` : `its process ended: ${lost}`,
  log: '',
  usage: null,
  usd: null,
  steps: [],
  ms: 0,
})

function sendTo({ process: child }: Child, request: HostRequest): void {
  if (child.connected) child.send(request, () => {})
}

/** While a call runs, its process keeps Assay alive. Otherwise it does not, so that Assay can exit. */
function hold({ process: child }: Pick<Child, 'process'>, isHeld: boolean): void {
  const word = isHeld ? 'ref' : 'unref'
  child[word]()
  child.channel?.[word]()
}

async function startChild(file: string): Promise<Child> {
  const [program, ...words] = [
    ...diesWithUs(),
    process.execPath,
    ...MODULE_FLAGS,
    PROGRAM,
    pathToFileURL(path.resolve(file)).href,
  ]
  const child = spawn(program, words, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // This environment contains no secret variables, because the code in environment/ has already removed them.
    env: process.env,
  })
  const calls: Child['calls'] = new Map()
  const made = { process: child, calls, tail: '' }
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      made.tail = (made.tail + text).slice(-MOST_TAIL)
      process.stderr.write(plainLines(text))
    })
    ;(stream as unknown as { unref?: () => void } | null)?.unref?.()
  }
  const first = await new Promise<HostMessage>((resolve) => {
    const failed = (reason: string): void => resolve({ kind: 'failed', reason, files: {} })
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      failed(`it does not load within ${LOADING_MS / 1000} s`)
    }, LOADING_MS)
    child.once('error', (error) => failed(error.message))
    child.once('exit', (code, signal) =>
      failed(`it ended with ${signal ?? `exit code ${code}`} before it exported anything`),
    )
    child.on('message', (message: HostMessage) => {
      clearTimeout(timer)
      if (message.kind === 'reply') calls.get(message.id)?.(message.reply)
      else resolve(message)
    })
  })
  hold({ process: child }, false)
  return Object.assign(made, { first })
}
