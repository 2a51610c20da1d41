/**
 * Standard output or standard error. Their reader may close them at any time (`| head`, quitting a pager) or may
 * read more slowly than Assay prints. So a failed write never ends a command, and nothing is written after it. A
 * command that prints a lot can wait for the reader.
 */
import type { Writable } from 'node:stream'

/** How many unread characters may wait before a command that prints a lot should pause. */
const MOST_WAITING = 1_000_000

/** Error codes of a pipe or socket whose other end is closed. */
const CLOSED: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET'])

export class PrintStream {
  readonly #stream: Writable & { readonly isTTY?: boolean }
  readonly #onFailure: (error: Error) => void
  #isOver = false
  /** The number of characters that were written and that the reader has not accepted yet. */
  #waiting = 0
  #readers: { readonly most: number; readonly resolve: () => void }[] = []

  /** `onFailure` is called once, when a write fails. It is not called if the reader closed the stream. */
  constructor(
    stream: Writable & { readonly isTTY?: boolean },
    onFailure: (error: Error) => void = () => {},
  ) {
    this.#stream = stream
    this.#onFailure = onFailure
    // Each write handles its own error, below. Without this listener the same error would also end the process.
    stream.on('error', (error) => this.#end(error))
  }

  write(text: string): void {
    if (this.#isOver || text === '') return
    this.#waiting += text.length
    this.#stream.write(text, (error) => {
      this.#waiting -= text.length
      if (error !== null && error !== undefined) this.#end(error)
      else this.#release()
    })
  }

  /**
   * Resolves when more can be written, or when the reader has closed the stream. Null if more can be written
   * already.
   */
  ready(): Promise<void> | null {
    return this.#atMost(MOST_WAITING)
  }

  /** Resolves when everything is written, or when the reader has closed the stream. */
  async flushed(): Promise<void> {
    await this.#atMost(0)
  }

  #atMost(most: number): Promise<void> | null {
    if (this.#isOver || this.#waiting <= most) return null
    return new Promise((resolve) => this.#readers.push({ most, resolve }))
  }

  #release(): void {
    if (this.#readers.length === 0) return
    const isFree = ({ most }: { most: number }): boolean => this.#isOver || this.#waiting <= most
    const free = this.#readers.filter(isFree)
    this.#readers = this.#readers.filter((one) => !isFree(one))
    for (const { resolve } of free) resolve()
  }

  #end(error: NodeJS.ErrnoException): void {
    if (this.#isOver) return
    this.#isOver = true
    // A terminal whose window was closed fails with EIO.
    const isClosed = CLOSED.has(error.code) || (error.code === 'EIO' && this.#stream.isTTY === true)
    if (!isClosed) this.#onFailure(error)
    this.#release()
  }
}
