/**
 * The message format between the host (Assay's own process) and programs in the sandbox. A frame is a length in four
 * bytes, followed by that many bytes of JSON. Data from a sandbox is untrusted: a frame that is too long or is not
 * JSON is an error of the sender.
 */

/**
 * The longest frame that is accepted. Assay's own messages are far smaller, but a solution may try to exhaust the
 * host's memory with larger ones.
 */
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

/** Assembles frames from the chunks in which they arrive. */
export class FrameReader {
  readonly #most: number
  #chunks: Buffer[] = []
  #bytes = 0
  #wanted: number | null = null

  constructor(most = MOST_FRAME_BYTES) {
    this.#most = most
  }

  /** True if no bytes are buffered, not even a part of a frame. */
  get isEmpty(): boolean {
    return this.#bytes === 0 && this.#wanted === null
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
  }

  /**
   * Returns the bytes of the next frame without its length, or null if it has not fully arrived. Throws `FrameError`.
   */
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

/** Parses the JSON of a frame. Throws `FrameError` if it is not JSON. */
export function decodeFrame(frame: Buffer): unknown {
  try {
    return JSON.parse(frame.toString('utf8'))
  } catch (error) {
    throw new FrameError('a message that is not valid JSON', { cause: error })
  }
}
