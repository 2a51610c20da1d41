/**
 * A descriptor as a program inside the sandbox sees it: frames out, frames in, either when the event loop
 * has time or at once, blocking, while a call waits for its answer. There is one reader of frames for
 * both, so their order holds. The descriptor is non-blocking for the event loop and made blocking for
 * as long as somebody waits, which costs two system calls and no polling.
 */
import fs from 'node:fs'
import type { Socket } from 'node:net'
import { FrameReader } from '../../frames.ts'

/** Where the host is. */
export const HOST = 3
/** Where the other program is: for a sample its judge, for a judge the first of its samples. */
export const OTHER = 4
const READ_BYTES = 64 * 1024

// Taken before a sample can put something else in their place.
const { readSync, writeSync } = fs
const { allocUnsafe, from } = Buffer as unknown as Bytes
const parse: (text: string) => unknown = Reflect.get(JSON, 'parse')
const stringify = Reflect.get(JSON, 'stringify') as (value: unknown) => string
const resources: () => string[] = Reflect.get(process, 'getActiveResourcesInfo')
const { setImmediate } = globalThis

/** Where all of them read to. */
let chunk: Buffer | null = null

interface Bytes {
  readonly allocUnsafe: (length: number) => Buffer
  readonly from: (data: string | Uint8Array, encoding?: string) => Buffer
}

interface Blocking {
  readonly _handle?: { readonly setBlocking?: (blocking: boolean) => void } | null
}

/** The descriptor was closed: whoever listened is gone. */
export class LinkClosed extends Error {
  override readonly name = 'LinkClosed'
}

export class Link {
  readonly #descriptor: number
  readonly #reader = new FrameReader()
  #socket: Socket | null = null
  #receive: ((frame: Buffer) => void) | null = null
  #onEnd: (error: unknown) => void = () => {}
  #waiting = 0
  #drains = false

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  /** From now on frames that nobody waits for are handed over by the event loop. */
  listen(
    receive: (frame: Buffer) => void,
    onEnd: (error?: unknown) => void = () => process.exit(0),
  ): void {
    // Loaded when needed: it takes milliseconds.
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

  close(): void {
    this.#receive = null
    this.#socket?.destroy()
  }

  #drain(): void {
    this.#drains = false
    for (let frame = this.#take(); frame !== null; frame = this.#take()) this.#receive?.(frame)
  }

  #take(): Buffer | null {
    try {
      return this.#reader.take()
    } catch (error) {
      this.#onEnd(error)
      return null
    }
  }

  /** What somebody read while waiting for something else would otherwise lie there. */
  #drainLater(): void {
    if (this.#drains || this.#receive === null) return
    this.#drains = true
    setImmediate(() => this.#drain())
  }

  /**
   * Hands frames over one after another, and sleeps in a read for as long as nothing else is under way in
   * this process. With the first timer, or whatever else there is to wait for, the event loop takes over.
   */
  pump(receive: (frame: Buffer) => void): void {
    const turn = (): void => {
      const active = resources()
      if (active.length === 0) receive(this.wait())
      else if (active.some((name) => name !== 'Immediate')) {
        this.listen(receive)
        return
      }
      // Immediates of the sample's come first.
      setImmediate(turn)
    }
    setImmediate(turn)
  }

  /** The next frame, waited for without the event loop. It is good until the next one is read. */
  wait(): Buffer {
    let frame = this.#reader.take()
    this.#drainLater()
    if (frame !== null) return frame
    if (this.#waiting++ === 0) this.#block(true)
    try {
      for (; frame === null; frame = this.#reader.take()) {
        const length = this.#read()
        if (length === 0) throw new LinkClosed('nobody listens any more')
        const read = (chunk as Buffer).subarray(0, length)
        // Almost always one read is one frame.
        if (this.#reader.isEmpty && length > 4 && read.readUInt32BE(0) === length - 4)
          return read.subarray(4)
        this.#reader.push(from(read))
      }
    } finally {
      if (--this.#waiting === 0) this.#block(false)
    }
    return frame
  }

  #read(): number {
    try {
      chunk ??= allocUnsafe(READ_BYTES)
      return readSync(this.#descriptor, chunk, 0, READ_BYTES, null)
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
    const body = from(text, 'utf8')
    const frame = allocUnsafe(4 + body.length)
    frame.writeUInt32BE(body.length, 0)
    body.copy(frame, 4)
    let sent = 0
    let blocked = false
    while (sent < frame.length) {
      try {
        sent += writeSync(this.#descriptor, frame, sent)
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'EPIPE' || code === 'ECONNRESET')
          throw new LinkClosed('nobody listens any more')
        if (code !== 'EAGAIN') throw error
        blocked = true
        this.#block(true)
      }
    }
    if (blocked && this.#waiting === 0) this.#block(false)
  }

  #block(blocking: boolean): void {
    // Node has no other way to this.
    // oxlint-disable-next-line no-underscore-dangle
    ;(this.#socket as unknown as Blocking | null)?._handle?.setBlocking?.(blocking)
  }
}

/** What a frame says. */
export const parsed = (frame: Buffer): unknown => parse(frame.toString('utf8'))
