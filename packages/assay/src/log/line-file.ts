/**
 * An append-only file of lines that survives `kill -9`. A line counts once it is on the disk: appends
 * gather while the disk is busy and go out together with one sync (group commit), so that durability
 * costs a sync per batch, not per line. A failed write cuts the file back to its last whole line.
 */
import { closeSync, constants, fstatSync, ftruncateSync, fdatasync, write } from 'node:fs'
import { promisify } from 'node:util'
import { RunError } from '@assay/contract'
import { openOwn } from './own-file.ts'

const writeAt = promisify(write)
const sync = promisify(fdatasync)

/** Joined at most this many characters at a time, so that a million waiting lines do not become one string. */
const BATCH_CHARACTERS = 4_000_000

interface Batch {
  readonly lines: string[]
  readonly written: PromiseWithResolvers<void>
}

const newBatch = (): Batch => {
  const written = Promise.withResolvers<void>()
  // A failure is reported through whoever awaits; if nobody does yet it must not crash the process.
  written.promise.catch(() => {})
  return { lines: [], written }
}

export class LineFile {
  readonly #path: string
  readonly #fd: number
  readonly #check: () => void
  #offset: number
  #next: Batch = newBatch()
  #flushing: Promise<void> | null = null
  #failure: Error | null = null

  private constructor(path: string, fd: number, offset: number, check: () => void) {
    this.#path = path
    this.#fd = fd
    this.#check = check
    this.#offset = offset
  }

  /**
   * Opens for appending after `length` bytes; what lies beyond, a torn line, is cut off. `check` throws where the file
   * may not be written any more.
   */
  static open(path: string, length: number, check: () => void = () => {}): LineFile {
    try {
      // Not emptied by opening it: only once it is known to be an ordinary file, and no link to another.
      const fd = openOwn(path, constants.O_RDWR | (length === 0 ? constants.O_CREAT : 0))
      if (fstatSync(fd).size > length) ftruncateSync(fd, length)
      return new LineFile(path, fd, length, check)
    } catch (error) {
      throw new RunError(`cannot open ${path} for writing: ${said(error)}`, { cause: error })
    }
  }

  /** Bytes that are safely on disk. */
  get length(): number {
    return this.#offset
  }

  /** Adds a line (without its newline); the promise resolves when it is on the disk. */
  append(line: string): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure)
    const batch = this.#next
    batch.lines.push(line)
    this.#flushing ??= this.#flush()
    return batch.written.promise
  }

  async #flush(): Promise<void> {
    // One turn of the event loop, so that all lines of this tick share a sync.
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
    while (this.#next.lines.length > 0 && this.#failure === null) {
      const batch = this.#next
      this.#next = newBatch()
      try {
        await this.#write(batch.lines)
        batch.written.resolve()
      } catch (error) {
        this.#fail(error)
        batch.written.reject(this.#failure)
        this.#next.written.reject(this.#failure)
      }
    }
    this.#flushing = null
  }

  async #write(lines: readonly string[]): Promise<void> {
    this.#check()
    let offset = this.#offset
    let start = 0
    while (start < lines.length) {
      let end = start
      let characters = 0
      while (end < lines.length && characters < BATCH_CHARACTERS)
        characters += (lines[end++] as string).length
      const bytes = Buffer.from(`${lines.slice(start, end).join('\n')}\n`)
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await writeAt(this.#fd, bytes, done, bytes.length - done, offset)
        done += bytesWritten
        offset += bytesWritten
      }
      start = end
    }
    await sync(this.#fd)
    // Writing to a deleted file succeeds and is lost.
    if (fstatSync(this.#fd).nlink === 0)
      throw new Error('the file was deleted while the run was writing it')
    this.#offset = offset
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
      // The reader drops a torn last line by itself; cutting it here is only tidier.
    }
  }

  /** Starts the file again if, once it is quiet, everything in it has served. */
  async clear(served: () => boolean): Promise<void> {
    await this.settle()
    if (this.#failure !== null) throw this.#failure
    if (!served()) return
    ftruncateSync(this.#fd, 0)
    this.#offset = 0
  }

  /** Waits until nothing is on its way to the disk. Does not throw: the appends do. */
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
