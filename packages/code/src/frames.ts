/**
 * How the host and programs in the sandbox talk: four bytes of length, then that many bytes of JSON. What
 * comes out of a sandbox is a stranger's: a frame that is too long or no JSON is an error of the sender.
 */

/** No message of ours comes near it; a sample's may try. */
export const MOST_FRAME_BYTES = 64 * 1024 * 1024

export class FrameError extends Error {
  override readonly name = 'FrameError'
}

export function encodeFrame(value: unknown): Buffer {
  const text = JSON.stringify(value)
  const length = Buffer.byteLength(text)
  const frame = Buffer.allocUnsafe(4 + length)
  frame.writeUInt32BE(length, 0)
  frame.write(text, 4)
  return frame
}

/** Puts frames together from the pieces in which they arrive. */
export class FrameReader {
  readonly #most: number
  #chunks: Buffer[] = []
  #bytes = 0
  #wanted: number | null = null

  constructor(most = MOST_FRAME_BYTES) {
    this.#most = most
  }

  /** Whether it has nothing, not even a part of a frame. */
  get isEmpty(): boolean {
    return this.#bytes === 0 && this.#wanted === null
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
  }

  /** The next frame's bytes without its length; null where it has not arrived in full. Throws `FrameError`. */
  take(): Buffer | null {
    if (this.#wanted === null) {
      if (this.#bytes < 4) return null
      this.#wanted = this.#cut(4).readUInt32BE(0)
      if (this.#wanted > this.#most)
        throw new FrameError(`a message of ${this.#wanted} bytes, more than ${this.#most}`)
    }
    if (this.#bytes < this.#wanted) return null
    const frame = this.#cut(this.#wanted)
    this.#wanted = null
    return frame
  }

  #cut(length: number): Buffer {
    const [first] = this.#chunks
    const all =
      first !== undefined && first.length >= length
        ? first
        : Buffer.concat(this.#chunks, this.#bytes)
    const rest = all.subarray(length)
    this.#chunks = all === first ? this.#chunks.slice(1) : []
    if (rest.length > 0) this.#chunks.unshift(rest)
    this.#bytes -= length
    return all.subarray(0, length)
  }
}

/** What a frame says. Throws `FrameError` where it is no JSON. */
export function decodeFrame(frame: Buffer): unknown {
  try {
    return JSON.parse(frame.toString('utf8'))
  } catch (error) {
    throw new FrameError('a message that is no JSON', { cause: error })
  }
}
