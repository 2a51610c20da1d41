/**
 * A long-lived program in the sandbox that answers requests: a type checker, a linter or a tester. Each request and
 * each reply is one frame on file descriptor 3. The program starts with the first request. If a request exceeds its
 * deadline or the program violates the protocol, the program is ended, and the next request starts a new one. Only
 * one request is sent at a time. So if the program crashes, it is known which request is the cause.
 */
import { type SandboxedProcess, type Program, type Sandbox, SandboxError } from '@assay/sandbox'
import { decodeFrame, encodeFrame, FrameReader } from './frames.ts'

/** Thrown if a request ended the server: it exceeded its deadline or crashed the server. */
export class ServerDied extends Error {
  override readonly name = 'ServerDied'
  readonly how: 'timeout' | 'crash'

  constructor(how: 'timeout' | 'crash', message: string) {
    super(message)
    this.how = how
  }
}

/** How long a server may take to start. It reports that it is ready with its first frame, `"ready"`. */
const START_MS = 60_000
const MOST_STDERR = 4096

interface Waiting {
  readonly request: unknown
  readonly timeoutMs: number
  readonly resolve: (reply: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Running {
  readonly boxed: SandboxedProcess
  readonly reader: FrameReader
  ready: boolean
  served: number
  stderr: string
}

export class SandboxServer {
  readonly #sandbox: Sandbox
  readonly #program: () => Program
  readonly #mostRequests: number
  #running: Running | null = null
  #queue: Waiting[] = []
  #current: Waiting | null = null
  #timer: NodeJS.Timeout | undefined
  #closed = false

  /**
   * `mostRequests`: after this many requests, a new program replaces the old one, so that a memory leak in a tool
   * cannot grow forever.
   */
  constructor(sandbox: Sandbox, program: () => Program, mostRequests = 5000) {
    this.#sandbox = sandbox
    this.#program = program
    this.#mostRequests = mostRequests
  }

  /**
   * Sends a request and returns the reply. Rejects with `ServerDied` if this request ended the server, and with
   * `SandboxError` if the server could not be started.
   */
  ask(request: unknown, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(new SandboxError('the graders were closed'))
        return
      }
      this.#queue.push({ request, timeoutMs, resolve, reject })
      this.#next()
    })
  }

  /**
   * Starts the program before the first request. If the start fails, the first request tries again and reports the
   * failure.
   */
  start(): void {
    if (this.#closed || this.#running !== null) return
    try {
      this.#running = this.#start()
    } catch {
      // Ignore the failure: the first request starts the program again.
    }
  }

  /** The number of requests that are queued or running. */
  get load(): number {
    return this.#queue.length + (this.#current === null ? 0 : 1)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    const waiting = [...(this.#current === null ? [] : [this.#current]), ...this.#queue]
    this.#current = null
    this.#queue = []
    for (const one of waiting) one.reject(new SandboxError('the graders were closed'))
    await this.#running?.boxed.kill()
    this.#running = null
  }

  #next(): void {
    if (this.#current !== null) return
    const waiting = this.#queue.shift()
    if (waiting === undefined) return
    this.#current = waiting
    if (this.#running !== null && this.#running.served >= this.#mostRequests) this.#drop()
    try {
      this.#running ??= this.#start()
    } catch (error) {
      this.#settle((one) => one.reject(error))
      return
    }
    const running = this.#running
    if (running.ready) this.#send(running, waiting)
    else this.#wind(START_MS)
  }

  #start(): Running {
    const boxed = this.#sandbox.start(this.#program())
    const running: Running = {
      boxed,
      reader: new FrameReader(),
      ready: false,
      served: 0,
      stderr: '',
    }
    boxed.stdout.resume()
    boxed.stderr.on('data', (chunk: Buffer) => {
      running.stderr = (running.stderr + chunk.toString('utf8')).slice(-MOST_STDERR)
    })
    boxed.pipes[0]?.on('data', (chunk: Buffer) => {
      if (this.#running !== running) return
      try {
        running.reader.push(chunk)
        for (let frame = running.reader.take(); frame !== null; frame = running.reader.take())
          this.#received(running, decodeFrame(frame))
      } catch (error) {
        this.#lost(running, 'crash', error instanceof Error ? error.message : String(error))
      }
    })
    void boxed.ended.then(({ code, signal }) =>
      this.#lost(running, 'crash', `ended with ${signal ?? code}`),
    )
    return running
  }

  #received(running: Running, message: unknown): void {
    const current = this.#current
    if (!running.ready) {
      if (message !== 'ready') throw new Error('spoke before it was ready')
      running.ready = true
      if (current !== null) this.#send(running, current)
      return
    }
    running.served++
    this.#settle((one) => one.resolve(message))
  }

  #send(running: Running, waiting: Waiting): void {
    this.#wind(waiting.timeoutMs)
    running.boxed.pipes[0]?.write(encodeFrame(waiting.request))
  }

  #wind(ms: number): void {
    clearTimeout(this.#timer)
    const running = this.#running
    this.#timer = setTimeout(() => {
      if (running !== null)
        this.#lost(running, 'timeout', `did not end within ${Math.round(ms) / 1000} s`)
    }, ms)
  }

  /** Called when the server has ended or is unusable. Rejects the request that it was working on. */
  #lost(running: Running, how: 'timeout' | 'crash', message: string): void {
    if (this.#running !== running) return
    this.#drop()
    const { ready, stderr } = running
    this.#settle((one) =>
      one.reject(
        ready
          ? new ServerDied(how, message)
          : new SandboxError(
              `a tool did not start: ${message}${stderr === '' ? '' : `\n${stderr.trim()}`}`,
            ),
      ),
    )
  }

  #drop(): void {
    const running = this.#running
    this.#running = null
    void running?.boxed.kill()
  }

  #settle(how: (waiting: Waiting) => void): void {
    clearTimeout(this.#timer)
    const current = this.#current
    this.#current = null
    if (current !== null) how(current)
    this.#next()
  }
}
