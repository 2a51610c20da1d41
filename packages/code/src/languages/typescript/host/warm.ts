/**
 * Starts processes for solutions in advance, because starting Node takes longer than most solutions run. Each process
 * serves one solution and is then ended. Waiting processes block in a read and use no CPU time.
 */
import {
  SandboxError,
  type SandboxedProcess,
  type Ended,
  type Program,
  type Sandbox,
} from '@assay/sandbox'
import { decodeFrame, encodeFrame, FrameReader } from '../../../frames.ts'

const START_MS = 60_000
const MOST_STDERR = 4096

export interface Warm {
  readonly pid: number
  /** Called with each frame from the process, except the first one, which reports that it is ready. */
  onFrame: (frame: Buffer) => void
  /** Called if the process sent an invalid frame. */
  onBadFrame: (error: unknown) => void
  readonly ended: Promise<Ended>
  /** The program's pipes, except the one to the host. */
  readonly pipes: SandboxedProcess['pipes']
  /** The indices of the tester's pipes to which this process is linked. */
  readonly links: readonly number[]
  stderr(): string
  send(value: unknown): void
  /** Sends the last message and closes the connection. After that, no frames are received from the process. */
  sendLast(value: unknown): void
  kill(): Promise<Ended>
}

/** A program, and the indices of its links to a tester, if it has any. */
export interface Linked {
  readonly program: Program
  readonly links?: readonly number[]
}

interface Waiting {
  readonly warm: Warm
  readonly ready: Promise<void>
}

export class WarmProcesses {
  readonly #sandbox: Sandbox
  readonly #program: (key: string) => Linked
  readonly #spare: (key: string) => number
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #live = new Set<Warm>()
  readonly #ending = new Set<Promise<unknown>>()
  #closed = false

  /** `key` identifies the kind of program. `spare` returns how many processes of a kind to keep waiting. */
  constructor(sandbox: Sandbox, program: (key: string) => Linked, spare: (key: string) => number) {
    this.#sandbox = sandbox
    this.#program = program
    this.#spare = spare
  }

  /** Returns a process that is ready. The caller must end it. */
  async take(key: string): Promise<Warm> {
    if (this.#closed) throw new SandboxError('the graders were closed')
    const waiting = this.#waiting.get(key) ?? []
    this.#waiting.set(key, waiting)
    const one = waiting.shift() ?? this.#start(key)
    this.#refill(key, waiting)
    await one.ready
    return one.warm
  }

  /** Starts processes of this kind for the solutions that will need them. */
  prepare(key: string): void {
    if (this.#closed) return
    const waiting = this.#waiting.get(key) ?? []
    this.#waiting.set(key, waiting)
    this.#refill(key, waiting)
  }

  /**
   * Starts processes of this kind until enough are waiting. Ends waiting processes of kinds that were used longer
   * ago.
   */
  #refill(key: string, waiting: Waiting[]): void {
    while (waiting.length < this.#spare(key)) waiting.push(this.#start(key))
    this.#makeLocation(key)
  }

  /** Returns how many processes of this kind are waiting. */
  waiting(key: string): number {
    return this.#waiting.get(key)?.length ?? 0
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#waiting.clear()
    for (const warm of this.#live) void warm.kill()
    await Promise.all(this.#ending)
  }

  #makeLocation(used: string): void {
    this.#waiting.set(used, take(this.#waiting, used))
    for (const [key] of this.#waiting) {
      if (this.#waiting.size <= 2) break
      if (key !== used) this.#drop(key)
    }
  }

  #drop(key: string): void {
    for (const { warm } of take(this.#waiting, key)) void warm.kill()
  }

  #start(key: string): Waiting {
    const { program, links = [] } = this.#program(key)
    const boxed = this.#sandbox.start(program)
    const ready = Promise.withResolvers<void>()
    ready.promise.catch(() => {})
    const stderr = collected(boxed)
    const warm = warmed(boxed, links, stderr, ready, (ending) => this.#keep(ending))
    const timer = setTimeout(() => {
      ready.reject(new SandboxError('the process for a sample did not start'))
      void warm.kill()
    }, START_MS)
    timer.unref()
    ready.promise.then(
      () => clearTimeout(timer),
      () => clearTimeout(timer),
    )
    this.#keep(boxed.ended)
    this.#live.add(warm)
    const left = ({ code, signal }: Ended): void => {
      this.#live.delete(warm)
      ready.reject(
        new SandboxError(
          `the process for a sample did not start: ${signal ?? code}\n${stderr().trim()}`,
        ),
      )
      const waiting = this.#waiting.get(key)
      const at = waiting?.findIndex((one) => one.warm === warm) ?? -1
      if (at !== -1) waiting?.splice(at, 1)
    }
    void boxed.ended.then(left)
    return { warm, ready: ready.promise }
  }

  #keep(ending: Promise<unknown>): void {
    this.#ending.add(ending)
    void ending.finally(() => this.#ending.delete(ending))
  }
}

/** Removes the list under this key from the map and returns it. */
function take(lists: Map<string, Waiting[]>, key: string): Waiting[] {
  const list = lists.get(key) ?? []
  lists.delete(key)
  return list
}

function collected({ stderr }: SandboxedProcess): () => string {
  let text = ''
  stderr.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString('latin1')).slice(-MOST_STDERR)
  })
  return () => text
}

function warmed(
  boxed: SandboxedProcess,
  links: readonly number[],
  stderr: () => string,
  ready: PromiseWithResolvers<void>,
  keep: (ending: Promise<unknown>) => void,
): Warm {
  const [pipe, ...pipes] = boxed.pipes
  if (pipe === undefined) throw new SandboxError('the sandbox made no pipe')
  const reader = new FrameReader()
  let isReady = false
  const warm: Warm = {
    pid: boxed.pid,
    onFrame: () => {},
    onBadFrame: () => {},
    ended: boxed.ended,
    pipes,
    links,
    stderr,
    send: (value) => void pipe.write(encodeFrame(value)),
    sendLast: (value) => void pipe.end(encodeFrame(value), () => pipe.destroy()),
    kill() {
      const ending = boxed.kill()
      keep(ending)
      return ending
    },
  }
  pipe.on('data', (chunk: Buffer) => {
    try {
      reader.push(chunk)
      for (let frame = reader.take(); frame !== null; frame = reader.take())
        if (isReady) warm.onFrame(frame)
        else {
          if (decodeFrame(frame) !== 'ready') throw new Error('spoke before it was ready')
          isReady = true
          ready.resolve()
        }
    } catch (error) {
      warm.onBadFrame(error)
      void warm.kill()
    }
  })
  return warm
}
