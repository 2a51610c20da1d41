/**
 * Descriptor 3 as a program inside the sandbox sees it: frames out, frames in, either when the event loop
 * has time or at once, blocking, while a call waits for its answer. There is one reader of frames for
 * both, so their order holds. The descriptor is non-blocking for the event loop and made blocking for
 * as long as somebody waits, which costs two system calls and no polling.
 */
import fs from 'node:fs'
import type { Socket } from 'node:net'
import { FrameReader } from '../../frames.ts'

const DESCRIPTOR = 3
const READ_BYTES = 64 * 1024

// Taken before a sample can put something else in their place.
const { readSync, writeSync } = fs
const { allocUnsafe, from } = Buffer as unknown as Bytes
const parse: (text: string) => unknown = Reflect.get(JSON, 'parse')
const stringify = Reflect.get(JSON, 'stringify') as (value: unknown) => string
const resources: () => string[] = Reflect.get(process, 'getActiveResourcesInfo')
const { setImmediate } = globalThis

interface Bytes {
  readonly allocUnsafe: (length: number) => Buffer
  readonly from: (data: string | Uint8Array, encoding?: string) => Buffer
}

interface Blocking {
  readonly _handle?: { readonly setBlocking?: (blocking: boolean) => void } | null
}

/** Descriptor 3 was closed: whoever listened is gone. */
export class LinkClosed extends Error {
  override readonly name = 'LinkClosed'
}

export class Link {
  readonly #reader: FrameReader
  readonly #chunk = allocUnsafe(READ_BYTES)
  #socket: Socket | null = null
  #receive: ((frame: Buffer) => void) | null = null
  #waiting = 0
  #drains = false

  constructor(most?: number) {
    this.#reader = new FrameReader(most)
  }

  /** From now on frames that nobody waits for are handed over by the event loop. */
  listen(receive: (frame: Buffer) => void): void {
    // Loaded when needed: it takes milliseconds.
    const { Socket } = process.getBuiltinModule('node:net')
    const socket = new Socket({ fd: DESCRIPTOR, readable: true, writable: true })
    this.#socket = socket
    this.#receive = receive
    socket.on('data', (chunk: Buffer) => {
      this.#reader.push(chunk)
      this.#drain()
    })
    this.#drainLater()
    socket.on('error', () => process.exit(0))
    socket.on('end', () => process.exit(0))
  }

  #drain(): void {
    this.#drains = false
    for (let frame = this.#reader.take(); frame !== null; frame = this.#reader.take())
      this.#receive?.(frame)
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
      const others = resources().filter((name) => name !== 'Immediate')
      if (others.length > 0) this.listen(receive)
      else {
        // Immediates of the sample's come first.
        if (resources().length === 0) receive(this.wait())
        setImmediate(turn)
      }
    }
    setImmediate(turn)
  }

  /** The next frame, waited for without the event loop. */
  wait(): Buffer {
    let frame = this.#reader.take()
    this.#drainLater()
    if (frame !== null) return frame
    if (this.#waiting++ === 0) this.#block(true)
    try {
      for (; frame === null; frame = this.#reader.take()) {
        const length = readSync(DESCRIPTOR, this.#chunk, 0, READ_BYTES, null)
        if (length === 0) throw new LinkClosed('nobody listens any more')
        this.#reader.push(from(this.#chunk.subarray(0, length)))
      }
    } finally {
      if (--this.#waiting === 0) this.#block(false)
    }
    return frame
  }

  /** Sends one frame: the mark, which may be empty, and then the value as JSON. */
  send(value: unknown, mark = ''): void {
    this.sendText(mark + stringify(value))
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
        sent += writeSync(DESCRIPTOR, frame, sent)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
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
export const parsed = (frame: Buffer, start = 0): unknown => parse(frame.toString('utf8', start))
