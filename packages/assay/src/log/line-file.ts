/**
 * An append-only file of lines that survives `kill -9`. The promise of an append resolves when the line is on the disk.
 * Lines that arrive while the disk is busy are written together with one sync (group commit). So there is one sync per
 * batch, not one per line. If a write fails, the file is cut back to its last whole line.
 */
import { createHash, type Hash } from 'node:crypto'
import { closeSync, constants, fstatSync, ftruncateSync, fdatasync, write } from 'node:fs'
import { promisify } from 'node:util'
import { RunError } from '@assay/contract'
import { openOwn } from './own-file.ts'

const writeAt = promisify(write)
const sync = promisify(fdatasync)

/**
 * The maximum number of characters that are joined for one write. Without it, a million waiting lines would become one
 * huge string.
 */
const BATCH_CHARACTERS = 4_000_000

/** Called with a line's offset in the file, once the line is on the disk. */
type OnLine = (start: number) => void

interface Batch {
  readonly lines: string[]
  /** For each line: the function to call when the line is on the disk, or undefined. */
  readonly onLine: (OnLine | undefined)[]
  readonly written: PromiseWithResolvers<void>
}

const NEWLINE = 0x0a

const newBatch = (): Batch => {
  const written = Promise.withResolvers<void>()
  // The caller of `append` handles a failure. Without this handler, a failure before the caller awaits the promise
  // would crash the process.
  written.promise.catch(() => {})
  return { lines: [], onLine: [], written }
}

export class LineFile {
  readonly #path: string
  readonly #fd: number
  readonly #check: () => void
  /** The hash of all bytes of the file. Null if the file already had content when it was opened. */
  #hash: Hash | null
  #offset: number
  #next: Batch = newBatch()
  #flushing: Promise<void> | null = null
  #failure: Error | null = null

  private constructor(path: string, fd: number, offset: number, check: () => void) {
    this.#path = path
    this.#fd = fd
    this.#check = check
    this.#hash = offset === 0 ? createHash('sha256') : null
    this.#offset = offset
  }

  /**
   * Opens the file for appending after its first `length` bytes. Cuts off the rest, which is an incomplete line.
   * `check` runs before writes and throws if another process has taken over the folder.
   */
  static open(path: string, length: number, check: () => void = () => {}): LineFile {
    try {
      // The flags do not truncate the file. A link could lead to any file of the user, so the file is truncated only
      // after `openOwn` has checked that it is an ordinary file.
      const fd = openOwn(path, constants.O_RDWR | (length === 0 ? constants.O_CREAT : 0))
      if (fstatSync(fd).size > length) ftruncateSync(fd, length)
      return new LineFile(path, fd, length, check)
    } catch (error) {
      throw new RunError(`cannot open ${path} for writing: ${said(error)}`, { cause: error })
    }
  }

  /** The number of bytes that are on the disk. */
  get length(): number {
    return this.#offset
  }

  /**
   * Returns the SHA-256 of the complete file. Null if the file already had content when it was opened, or if a write
   * failed.
   */
  digest(): string | null {
    return this.#failure === null ? (this.#hash?.digest('hex') ?? null) : null
  }

  /**
   * Adds a line (given without its newline). The promise resolves when the line is on the disk. Shortly before that,
   * `onLine` is called; the calls come in the order of the lines in the file.
   */
  append(line: string, onLine?: OnLine): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure)
    const batch = this.#next
    batch.lines.push(line)
    batch.onLine.push(onLine)
    this.#flushing ??= this.#flush()
    return batch.written.promise
  }

  async #flush(): Promise<void> {
    // The function waits for one turn of the event loop, so that all lines that are appended in this turn share one
    // sync.
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
    while (this.#next.lines.length > 0 && this.#failure === null) {
      const batch = this.#next
      this.#next = newBatch()
      try {
        await this.#write(batch)
        batch.written.resolve()
      } catch (error) {
        this.#fail(error)
        batch.written.reject(this.#failure)
        this.#next.written.reject(this.#failure)
      }
    }
    this.#flushing = null
  }

  async #write({ lines, onLine }: Batch): Promise<void> {
    this.#check()
    let offset = this.#offset
    const starts: number[] = []
    let start = 0
    while (start < lines.length) {
      let end = start
      let characters = 0
      while (end < lines.length && characters < BATCH_CHARACTERS)
        characters += (lines[end++] as string).length
      const bytes = Buffer.from(`${lines.slice(start, end).join('\n')}\n`)
      this.#hash?.update(bytes)
      for (let at = 0, i = start; i < end; i++, at = bytes.indexOf(NEWLINE, at) + 1)
        starts.push(offset + at)
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await writeAt(this.#fd, bytes, done, bytes.length - done, offset)
        done += bytesWritten
        offset += bytesWritten
      }
      start = end
    }
    await sync(this.#fd)
    // Writing to a deleted file reports success, although the data is lost. So a deleted file is an error.
    if (fstatSync(this.#fd).nlink === 0)
      throw new Error('the file was deleted while the run was writing it')
    this.#offset = offset
    for (const [i, at] of starts.entries()) onLine[i]?.(at)
  }

  #fail(error: unknown): void {
    this.#failure = new RunError(
      `cannot write ${this.#path}: ${said(error)}. What was recorded before is safe`,
      { cause: error },
    )
    try {
      this.#check()
      ftruncateSync(this.#fd, this.#offset)
    } catch {
      // If the file cannot be cut back, the incomplete last line stays. That is harmless, because readers drop it.
    }
  }

  /**
   * Waits for all pending writes. Then empties the file if `served` returns true, which means that none of its lines is
   * needed.
   */
  async clear(served: () => boolean): Promise<void> {
    await this.settle()
    if (this.#failure !== null) throw this.#failure
    if (!served()) return
    ftruncateSync(this.#fd, 0)
    this.#hash = null
    this.#offset = 0
  }

  /**
   * Waits until all pending writes have ended. A failed write rejects the promise that its `append` returned, not the
   * promise of this function.
   */
  async settle(): Promise<void> {
    while (this.#flushing !== null) await this.#flushing
  }

  async close(): Promise<void> {
    await this.settle()
    closeSync(this.#fd)
  }
}

function said(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'ENOSPC':
      return 'no space left on the disk'
    case 'EDQUOT':
      return 'the disk quota is used up'
    case 'EROFS':
      return 'the file system is read-only'
    case 'EACCES':
    case 'EPERM':
      return 'permission denied'
    case 'ENOENT':
      return 'the folder is not there'
    default:
      return message
  }
}
