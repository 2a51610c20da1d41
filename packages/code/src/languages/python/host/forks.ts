/**
 * The host's interface to a fork server in the sandbox (`sandboxed/server.py`). The server is an interpreter with
 * preloaded modules. It copies itself (forks) for each solution or tester. Only one fork works at a time. Others may
 * rest: they are stopped until the host wakes them.
 *
 * When a fork is ended, the server kills all forks and the processes that they left. Then it writes a random mark
 * that no fork has ever seen. The host discards all output before the mark, so that the output of one fork is not
 * taken for that of the next. A server that behaves unexpectedly, or that has started `MOST_FORKS` forks, is ended
 * and replaced.
 */
import { randomBytes } from 'node:crypto'
import {
  PYTHON_FORKS,
  type SandboxedProcess,
  type Program,
  type Sandbox,
  SandboxError,
} from '@assay/sandbox'
import { decodeFrame, encodeFrame, FrameReader } from '../../../frames.ts'

/** Time limit for a server to start. */
const START_MS = 60_000
/** Time limit for a server to end a fork. */
const END_MS = 3000
const MOST_FORKS = 1000
const MOST_STDERR = 4096
const MARK_BYTES = 16
/** The byte that the server writes after the mark if it is in a clean state. */
const CLEAN = '+'.charCodeAt(0)
/** The exit code of Assay's own program in the sandbox if that program fails. */
export const BROKE = 70

/** Limits that a fork sets for itself before it accepts work. */
export interface ForkLimits {
  readonly cpuMs: number
  readonly memoryBytes: number
  readonly fileBytes: number
  readonly openFiles: number
  /**
   * Whether the fork also installs a filter that prevents it from starting processes. Without the filter, only
   * the server's clean-up kills such processes.
   */
  readonly filter: boolean
}

/** How a fork ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: number | null
  readonly cpuMs: number
}

/**
 * Why a fork is gone.
 * - `unborn`: it ended before its work began, so the work is not the cause.
 * - `lost`: the server ended, and the fork with it.
 * - `flood`: it sent too much data, or data when it had to be silent.
 */
export type Gone = Exit | 'unborn' | 'lost' | 'flood'

/** A fork of a server: a process with one solution or tester. It begins to work at once. */
export interface Fork {
  send(frame: Buffer): void
  /**
   * Passes frames (messages) from the fork to `take`, beginning with those that have already arrived. If `take` is
   * null, frames are kept for later.
   */
  listen(take: ((frame: Buffer) => void) | null): void
  /** From now on, the fork must not send anything. If it does, the host ends it. */
  hush(): void
  /** Resolves if the fork ends by itself. Does not resolve if `end` was called. */
  readonly gone: Promise<Gone>
  /** Stops the fork, so that another fork of the same server can work. Never rejects. */
  rest(): Promise<void>
  /** Resumes a resting fork with this task on this core. Throws `SandboxError` if that is not possible. */
  wake(task: Buffer, core: number | null): void
  /** Kills the fork, whatever it is doing, and all resting forks of its server. Never rejects. */
  end(): Promise<void>
}

/** A living fork: the callback for its end, and whether it has sent any data. */
interface Living {
  readonly tell: (how: Gone) => void
  isHeard: boolean
}

/**
 * The states of a server, in order: `starting`, then `idle`, `working` and `ending` for each fork, and finally
 * `dead`.
 */
type State = 'starting' | 'idle' | 'working' | 'ending' | 'dead'

export class ForkServer {
  readonly #boxed: SandboxedProcess
  readonly #limits: ForkLimits['fileBytes']
  readonly #control = new FrameReader()
  readonly #mostFrame: number
  #channel: FrameReader
  #state: State = 'starting'
  #isTaken = false
  #why = ''
  #timer: NodeJS.Timeout | undefined
  #frames: Buffer[] = []
  #take: ((frame: Buffer) => void) | null = null
  readonly #forks = new Map<number, Living>()
  /** The number of the fork that is working. Other forks are resting. */
  #seat = 0
  #mark: Buffer | null = null
  #tail: Buffer = Buffer.alloc(0)
  #ended: (() => void) | null = null
  #served = 0
  #seats = 0
  #isRest = false
  #stderr = ''

  /** Resolves when the server is ready, or when it has failed to start. */
  readonly started: Promise<void>
  #isStarted: () => void = () => {}

  constructor(sandbox: Sandbox, program: Program, hello: unknown, mostFrame: number) {
    this.#boxed = sandbox.start(program)
    this.started = new Promise((resolve) => {
      this.#isStarted = resolve
    })
    this.#limits = program.limits.fileBytes
    this.#mostFrame = mostFrame
    this.#channel = new FrameReader(mostFrame)
    this.#boxed.stdout.resume()
    this.#boxed.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-MOST_STDERR)
    })
    const [control, channel] = this.#boxed.pipes
    control?.on('data', (chunk: Buffer) => this.#try(() => this.#controlled(chunk)))
    channel?.on('data', (chunk: Buffer) => this.#try(() => this.#received(chunk)))
    void this.#boxed.ended.then(() => this.#die('it ended'))
    control?.write(encodeFrame(hello))
  }

  get pid(): number {
    return this.#boxed.pid
  }

  /** True if the server can be asked for a fork now. */
  get isFree(): boolean {
    return this.#state === 'starting' ? !this.#isTaken : this.#state === 'idle'
  }

  get isDead(): boolean {
    return this.#state === 'dead'
  }

  /**
   * Starts a fork with its first task, on the core with this number or, with null, on any core. Rejects with
   * `SandboxError` if no fork could be started.
   */
  async fork(
    limits: Omit<ForkLimits, 'fileBytes' | 'openFiles'>,
    task: Buffer,
    core: number | null,
  ): Promise<Fork> {
    if (this.#state === 'starting' && !this.#isTaken) {
      this.#isTaken = true
      this.#wind(START_MS)
      await this.started
    }
    if (this.#state !== 'idle')
      throw new SandboxError(`the Python server ${this.#why === '' ? 'is gone' : this.#why}`)
    const seat = ++this.#seats
    this.#seat = seat
    this.#state = 'working'
    const own: ForkLimits = {
      ...limits,
      fileBytes: this.#limits,
      openFiles: PYTHON_FORKS.openFiles,
    }
    this.#boxed.pipes[0]?.write(encodeFrame({ fork: own, seat, core }))
    this.#boxed.pipes[1]?.write(task)
    return this.#fork(seat)
  }

  get #unsent(): number {
    return this.#boxed.pipes[1]?.writableLength ?? 0
  }

  async close(): Promise<void> {
    this.#die('it was closed')
    await this.#boxed.kill()
  }

  // ── Incoming data ──────────────────────────────────────────────────────────────────────────────────

  #controlled(chunk: Buffer): void {
    this.#control.push(chunk)
    for (let frame = this.#control.take(); frame !== null; frame = this.#control.take()) {
      const message = decodeFrame(frame)
      if (message === 'ready' && this.#state === 'starting') {
        clearTimeout(this.#timer)
        this.#state = 'idle'
        this.#isStarted()
      } else this.#told((message ?? {}) as Record<string, unknown>)
    }
  }

  #told(message: Record<string, unknown>): void {
    if ('exited' in message) {
      if (this.#state === 'ending' && !this.#isRest) return
      if (message['seat'] === this.#seat && this.#state === 'working')
        this.#gone(message['exited'] as Exit)
      else this.#die('a fork ended that was not at work')
    } else this.#die('refused' in message ? 'it could not fork' : 'it broke the protocol')
  }

  #received(chunk: Buffer): void {
    if (this.#state === 'ending') {
      this.#seekMark(chunk)
      return
    }
    if (this.#state !== 'working') throw new Error('a fork spoke that is not there')
    const living = this.#forks.get(this.#seat)
    if (living !== undefined) living.isHeard = true
    this.#channel.push(chunk)
    let frame: Buffer | null
    while ((frame = this.#next()) !== null) {
      if (this.#take === null) this.#frames.push(frame)
      else this.#take(frame)
      // `take` may have ended the fork. Then the rest of the data is not read.
      if (this.#state !== 'working') return
    }
  }

  #next(): Buffer | null {
    try {
      return this.#channel.take()
    } catch {
      this.#gone('flood')
      return null
    }
  }

  #fork(seat: number): Fork {
    const gone = new Promise<Gone>((tell) => this.#forks.set(seat, { tell, isHeard: false }))
    const isAtWork = (): boolean => this.#state === 'working' && this.#seat === seat
    return {
      gone,
      send: (data) => {
        if (isAtWork()) this.#boxed.pipes[1]?.write(data)
      },
      listen: (take) => {
        this.#take = take
        while (this.#take !== null && this.#state === 'working') {
          const held = this.#frames.shift()
          if (held === undefined) return
          this.#take(held)
        }
      },
      hush: () => {
        this.#frames = []
        this.#take = () => this.#gone('flood')
      },
      rest: () => (isAtWork() ? this.#quieten('rest') : Promise.resolve()),
      wake: (task, core) => {
        if (this.#state !== 'idle' || !this.#forks.has(seat))
          throw new SandboxError('the Python server is gone')
        this.#state = 'working'
        this.#seat = seat
        this.#boxed.pipes[0]?.write(encodeFrame({ turn: seat, core }))
        this.#boxed.pipes[1]?.write(task)
      },
      end: () => this.#quieten('end'),
    }
  }

  #gone(how: Gone): void {
    const living = this.#forks.get(this.#seat)
    const isOurs = living?.isHeard === false && typeof how === 'object' && how.code === BROKE
    living?.tell(isOurs ? 'unborn' : how)
  }

  // ── Between forks ──────────────────────────────────────────────────────────────────────────────────

  #quieten(how: 'rest' | 'end'): Promise<void> {
    if (this.#state !== 'working' && this.#state !== 'idle') return Promise.resolve()
    if (this.#unsent > 0) {
      // Some data for this fork is not sent yet. The server discards unread data between two forks, but this data
      // would arrive later, and the next fork would read it. So the server is ended.
      this.#die('its fork did not read')
      return Promise.resolve()
    }
    this.#state = 'ending'
    this.#mark = randomBytes(MARK_BYTES)
    this.#isRest = how === 'rest'
    this.#boxed.pipes[0]?.write(
      encodeFrame({ [how]: this.#mark.toString('hex'), seat: this.#seat }),
    )
    this.#wind(END_MS)
    return new Promise((resolve) => {
      this.#ended = resolve
    })
  }

  #seekMark(chunk: Buffer): void {
    const held = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk])
    const at = this.#mark === null ? -1 : held.indexOf(this.#mark)
    const sign = at === -1 ? undefined : held[at + MARK_BYTES]
    if (sign === undefined) this.#tail = held.subarray(Math.max(0, held.length - MARK_BYTES))
    else this.#free(sign === CLEAN)
  }

  #free(isClean: boolean): void {
    clearTimeout(this.#timer)
    this.#channel = new FrameReader(this.#mostFrame)
    this.#tail = Buffer.alloc(0)
    this.#frames = []
    this.#take = null
    this.#state = 'idle'
    if (!this.#isRest) {
      this.#forks.clear()
      this.#served++
    }
    if (this.#served >= MOST_FORKS || !isClean) this.#die('it has served its time')
    this.#settleEnd()
  }

  #settleEnd(): void {
    const ended = this.#ended
    this.#ended = null
    ended?.()
  }

  #try(work: () => void): void {
    if (this.#state === 'dead') return
    try {
      work()
    } catch (error) {
      this.#die(error instanceof Error ? error.message : String(error))
    }
  }

  #wind(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#die('it did not answer'), ms)
  }

  #die(why: string): void {
    if (this.#state === 'dead') return
    this.#state = 'dead'
    clearTimeout(this.#timer)
    void this.#boxed.kill()
    const stderr = this.#stderr.trim()
    this.#why = `failed: ${why}${stderr === '' ? '' : `\n${stderr}`}`
    this.#isStarted()
    for (const { tell, isHeard } of this.#forks.values()) tell(isHeard ? 'lost' : 'unborn')
    this.#settleEnd()
  }
}
