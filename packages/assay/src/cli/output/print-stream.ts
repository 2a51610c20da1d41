/**
 * Standard output or standard error, as commands print to it. Whoever reads it may close it at any moment
 * (`| head`, a pager that is left) and may read more slowly than Assay prints. So the first write that fails
 * is the last one, a command never ends because of it, and a command that prints much can wait for the reader.
 */
import type { Writable } from 'node:stream'

/** Characters that may wait for the reader before a command that prints much should wait too. */
const MOST_WAITING = 1_000_000

/** A pipe or a socket whose other end is closed. */
const CLOSED: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET'])

export class PrintStream {
  readonly #stream: Writable & { readonly isTTY?: boolean }
  readonly #onFailure: (error: Error) => void
  #isOver = false
  /** Characters that the reader has not taken yet. */
  #waiting = 0
  #readers: { readonly most: number; readonly resolve: () => void }[] = []

  /** `onFailure` is called once, for a failure that is not simply a reader who has seen enough. */
  constructor(
    stream: Writable & { readonly isTTY?: boolean },
    onFailure: (error: Error) => void = () => {},
  ) {
    this.#stream = stream
    this.#onFailure = onFailure
    // Each write gets its own error, below; without a listener the same error would end the process.
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

  /** Resolves when there is room for more, or nobody reads any more. Null where there is room already. */
  ready(): Promise<void> | null {
    return this.#atMost(MOST_WAITING)
  }

  /** Resolves when everything is written, or nobody reads any more. */
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
    // A terminal whose window is gone answers with EIO.
    const isClosed = CLOSED.has(error.code) || (error.code === 'EIO' && this.#stream.isTTY === true)
    if (!isClosed) this.#onFailure(error)
    this.#release()
  }
}
