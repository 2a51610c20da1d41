/**
 * The channel of a sandboxed program to the host or to another program. It sends and receives frames over a file
 * descriptor. Frames are received in two ways: through the event loop, or by blocking while a call waits for its
 * answer. One frame reader serves both ways, so that frames stay in order. The descriptor is non-blocking for the
 * event loop and is made blocking while a call waits. That costs two system calls but needs no polling.
 */
import { closeSync, readSync, writeSync } from '../builtins.ts'
import type { Socket } from 'node:net'
import { FrameReader } from '../../../../frames.ts'

/** The file descriptor of the channel to the host. */
export const HOST = 3
/**
 * The file descriptor of the channel to the other program. For a solution, that is its tester. For a tester, it is
 * its first solution.
 */
export const OTHER = 4
const BUFFER_BYTES = 64 * 1024
const LENGTH_BYTES = 4
/** The longest text that fits into the buffer in any case: a UTF-16 code unit takes at most three bytes in UTF-8. */
const MOST_CHARACTERS = Math.floor((BUFFER_BYTES - LENGTH_BYTES) / 3)

// Functions of Node, saved before a solution in the same process can replace them.
const { allocUnsafe, from } = Buffer as unknown as Bytes
const parse: (text: string) => unknown = Reflect.get(JSON, 'parse')
const stringify = Reflect.get(JSON, 'stringify') as (value: unknown) => string
const resources: () => string[] = Reflect.get(process, 'getActiveResourcesInfo')
/**
 * Node's function that runs the callbacks that are due at once: promise callbacks and `process.nextTick`. It is not
 * part of Node's public interface, so it may be missing.
 */
const runTicks = Reflect.get(process, '_tickCallback') as (() => void) | undefined
const { clearImmediate, setImmediate } = globalThis

/** One buffer for reading and one for writing, shared by all channels. */
let read: Buffer | null = null
let written: Buffer | null = null

interface Bytes {
  readonly allocUnsafe: (length: number) => Buffer
  readonly from: (data: string | Uint8Array, encoding?: string) => Buffer
}

interface Blocking {
  readonly _handle?: { readonly setBlocking?: (blocking: boolean) => void } | null
}

/** Thrown if the other process has closed the descriptor. */
export class ChannelClosed extends Error {
  override readonly name = 'LinkClosed'
}

type Receive = (text: string) => void

const closedLink = (why: string): never => {
  throw new ChannelClosed(why)
}

export class Link {
  readonly #descriptor: number
  readonly #whenClosed: (why: string) => never
  readonly #reader = new FrameReader()
  #socket: Socket | null = null
  #receive: Receive | null = null
  #onEnd: (error: unknown) => void = () => {}
  #later: NodeJS.Immediate | null = null
  #waiting = 0
  #drains = false
  #closed = false

  constructor(descriptor: number, whenClosed = closedLink) {
    this.#descriptor = descriptor
    this.#whenClosed = whenClosed
  }

  /** From now on, the event loop delivers each frame that no call is waiting for. */
  listen(
    receive: Receive,
    onEnd: (error?: unknown) => void = () => this.#whenClosed('nobody listens any more'),
  ): void {
    // `node:net` is loaded only when needed, because loading it takes milliseconds.
    const { Socket } = process.getBuiltinModule('node:net')
    const socket = new Socket({ fd: this.#descriptor, readable: true, writable: true })
    this.#socket = socket
    this.#receive = receive
    this.#onEnd = onEnd
    socket.on('data', (piece: Buffer) => {
      this.#reader.push(piece)
      this.#drain()
    })
    this.#drainLater()
    socket.on('error', () => onEnd())
    socket.on('end', () => onEnd())
  }

  /**
   * Like `listen`, but starts only when this process returns to the event loop. Until then each call reads its own
   * answer, which is much cheaper. For most exchanges, that is enough.
   */
  listenWhenIdle(receive: Receive, onEnd: (error?: unknown) => void): void {
    this.#later = setImmediate(() => {
      this.#later = null
      this.listen(receive, onEnd)
      // Deliver the buffered frames now, because a `setImmediate` callback of the test run may be waiting for one of
      // them.
      this.#drain()
    })
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#receive = null
    if (this.#later !== null) clearImmediate(this.#later)
    if (this.#socket === null) closeSync(this.#descriptor)
    else this.#socket.destroy()
  }

  #drain(): void {
    this.#drains = false
    for (let frame = this.#take(); frame !== null; frame = this.#take())
      this.#receive?.(frame.toString('utf8'))
  }

  #take(): Buffer | null {
    try {
      return this.#reader.take()
    } catch (error) {
      this.#onEnd(error)
      return null
    }
  }

  /**
   * Delivers frames that arrived while a call waited for another frame. Without this, they would stay in the buffer.
   */
  #drainLater(): void {
    if (this.#drains || this.#receive === null) return
    this.#drains = true
    setImmediate(() => this.#drain())
  }

  /**
   * Delivers frames one after another. While nothing else is pending in this process, it blocks in a read, which is
   * the fastest way. As soon as a timer or other work is pending, the event loop delivers the frames instead. `onEnd`
   * is called when the other process has closed the channel. `isClean` says whether nothing else was pending then.
   */
  pump(receive: Receive, onEnd: (isClean: boolean) => void): void {
    const turn = (): void => {
      let isOurs = true
      let isClosed = false
      try {
        for (;;) {
          const active = resources()
          if (active.length > 0) {
            isOurs = active.every((name) => name === 'Immediate')
            break
          }
          receive(this.wait())
          if (runTicks === undefined) break
          runTicks()
        }
      } catch (error) {
        if (!(error instanceof ChannelClosed)) throw error
        isClosed = true
      } finally {
        // Continue in a `setImmediate` callback, so that `setImmediate` callbacks of the solution run first.
        if (isClosed) setImmediate(() => onEnd(resources().every((name) => name === 'Immediate')))
        else if (isOurs) setImmediate(turn)
        else this.listen(receive, () => onEnd(false))
      }
    }
    setImmediate(turn)
  }

  /** Blocks until the next frame arrives, without running the event loop, and returns its text. */
  wait(): string {
    if (this.#closed) this.#whenClosed('it was closed')
    let frame: Buffer | null = null
    if (!this.#reader.isEmpty) {
      frame = this.#reader.take()
      this.#drainLater()
      if (frame !== null) return frame.toString('utf8')
    }
    if (this.#waiting++ === 0) this.#block(true)
    try {
      for (; frame === null; frame = this.#reader.take()) {
        const length = this.#read()
        if (length === 0) this.#whenClosed('nobody listens any more')
        const bytes = read as Buffer
        // Usually one read returns exactly one frame. Then the frame reader, which joins parts of frames, is not
        // needed.
        if (
          length > LENGTH_BYTES &&
          this.#reader.isEmpty &&
          lengthIn(bytes) === length - LENGTH_BYTES
        )
          return bytes.toString('utf8', LENGTH_BYTES, length)
        this.#reader.push(from(bytes.subarray(0, length)))
        this.#drainLater()
      }
    } finally {
      if (--this.#waiting === 0) this.#block(false)
    }
    return frame.toString('utf8')
  }

  #read(): number {
    try {
      read ??= allocUnsafe(BUFFER_BYTES)
      return readSync(this.#descriptor, read, 0, BUFFER_BYTES, null)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return 0
      throw error
    }
  }

  /** Sends one frame. */
  send(value: unknown): void {
    this.sendText(stringify(value))
  }

  sendText(text: string): void {
    if (this.#closed) this.#whenClosed('it was closed')
    if (text.length > MOST_CHARACTERS) {
      const body = from(text, 'utf8')
      const frame = allocUnsafe(LENGTH_BYTES + body.length)
      body.copy(frame, LENGTH_BYTES)
      this.#write(frame, body.length)
      return
    }
    written ??= allocUnsafe(BUFFER_BYTES)
    this.#write(written, written.write(text, LENGTH_BYTES, 'utf8'))
  }

  /** Writes a frame whose body is already in the buffer. */
  #write(frame: Buffer, bodyBytes: number): void {
    frame[0] = bodyBytes >>> 24
    frame[1] = bodyBytes >>> 16
    frame[2] = bodyBytes >>> 8
    frame[3] = bodyBytes
    const length = LENGTH_BYTES + bodyBytes
    let sent = 0
    let blocked = false
    while (sent < length) {
      try {
        sent += writeSync(this.#descriptor, frame, sent, length - sent)
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'EPIPE' || code === 'ECONNRESET') this.#whenClosed('nobody listens any more')
        if (code !== 'EAGAIN') throw error
        blocked = true
        this.#block(true)
      }
    }
    if (blocked && this.#waiting === 0) this.#block(false)
  }

  #block(blocking: boolean): void {
    // Node has no public function that makes a descriptor blocking.
    // oxlint-disable-next-line no-underscore-dangle
    ;(this.#socket as unknown as Blocking | null)?._handle?.setBlocking?.(blocking)
  }
}

/** Returns the length that is stored in the first four bytes of a frame. */
const lengthIn = (bytes: Buffer): number =>
  (((bytes[0] as number) << 24) |
    ((bytes[1] as number) << 16) |
    ((bytes[2] as number) << 8) |
    (bytes[3] as number)) >>>
  0

/** Parses the JSON text of a frame. */
export const parsed = (text: string): unknown => parse(text)
