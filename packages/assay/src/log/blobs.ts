/**
 * Stores large texts in files (blobs) that are named by the SHA-256 of their content. A text that many trials share is
 * stored once. A blob is on the disk before the log line that refers to it. Small texts stay in the log line. A run
 * folder may be untrusted, so reading a blob fails if its file is a link, or if its content does not have the hash in
 * its name.
 */
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, readFile, readSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Text, RunError } from '@assay/contract'
import { checkOwnFolder, openOwn } from './own-file.ts'

const readAll = promisify(readFile)
const PIECE = 1 << 20
/**
 * The maximum size of a stored text. An untrusted run folder may contain a sparse file of any size, and hashing it
 * would take hours.
 */
const MOST_BYTES = 512 * 1024 * 1024

type Reference = Exclude<Text, string>

export const INLINE_BYTES = 4096

/** The name of a text's temporary file while it is being written. */
const UNFINISHED = /^[0-9a-f]{62}\.\d+\.tmp$/

export class Blobs {
  readonly #folder: string
  /** The texts that are stored or being written, by hash. Each promise resolves once its text is on the disk. */
  readonly #known = new Map<string, Promise<void>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Returns the text itself if it is small. Otherwise stores it and returns a reference to it. */
  put(text: string): Text | Promise<Text> {
    // A UTF-16 unit takes at most 3 bytes in UTF-8. So a text that passes this check is small, and its bytes need not
    // be counted.
    if (text.length * 3 <= INLINE_BYTES) return text
    const bytes = Buffer.byteLength(text)
    return bytes <= INLINE_BYTES ? text : this.store(text)
  }

  /** Stores the text in a file, even if it is small enough for the log line. */
  async store(text: string): Promise<{ blob: string; bytes: number }> {
    const content = Buffer.from(text)
    const blob = createHash('sha256').update(content).digest('hex')
    let stored = this.#known.get(blob)
    if (stored === undefined) {
      stored = this.#write(blob, content)
      this.#known.set(blob, stored)
    }
    try {
      await stored
    } catch (error) {
      this.#known.delete(blob)
      throw new RunError(`cannot store a text under ${this.#folder}: ${(error as Error).message}`, {
        cause: error,
      })
    }
    return { blob, bytes: content.length }
  }

  async #write(blob: string, content: Buffer): Promise<void> {
    const folder = join(this.#folder, blob.slice(0, 2))
    const path = join(folder, blob.slice(2))
    const isThere = await this.#read({ blob, bytes: content.length }).then(
      () => true,
      () => false,
    )
    if (isThere) return
    this.#checkFolders(path)
    await mkdir(folder, { recursive: true })
    const temporary = `${path}.${process.pid}.tmp`
    try {
      await rm(temporary, { force: true })
      const file = await open(temporary, 'wx')
      try {
        await file.writeFile(content)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    const entry = await open(folder, 'r')
    try {
      await entry.sync()
    } finally {
      await entry.close()
    }
  }

  /** Returns the text that a reference points to. */
  async read(text: Text): Promise<string> {
    return typeof text === 'string' ? text : (await this.#read(text)).toString('utf8')
  }

  async #read(text: Reference): Promise<Buffer> {
    const fd = this.#open(text)
    try {
      const content = await readAll(fd)
      checkHash(text, createHash('sha256').update(content).digest('hex'))
      return content
    } finally {
      closeSync(fd)
    }
  }

  /** Like `read`, but synchronous. If `most` is given, returns only about the first `most` bytes. */
  readSync(text: Text, most?: number): string {
    if (typeof text === 'string') return most === undefined ? text : text.slice(0, most)
    const fd = this.#open(text)
    try {
      const start = Buffer.alloc(Math.min(text.bytes, most ?? text.bytes))
      const piece = Buffer.alloc(Math.min(text.bytes, PIECE))
      const hash = createHash('sha256')
      let done = 0
      for (let read = 0; (read = readSync(fd, piece)) > 0; done += read) {
        if (done < start.length) piece.copy(start, done, 0, read)
        hash.update(piece.subarray(0, read))
      }
      checkHash(text, hash.digest('hex'))
      return start.toString('utf8')
    } finally {
      closeSync(fd)
    }
  }

  #open({ blob, bytes }: Reference): number {
    const path = this.#pathOf(blob)
    this.#checkFolders(path)
    const fd = openOwn(path)
    const { size } = fstatSync(fd)
    if (size === bytes && size <= MOST_BYTES) return fd
    closeSync(fd)
    if (size === bytes)
      throw new RunError(`the stored text ${blob} is damaged: ${size} bytes are more than any text`)
    throw new RunError(`the stored text ${blob} is damaged: ${size} bytes instead of ${bytes}`)
  }

  /**
   * Removes the temporary files of processes that died while writing a text. The caller must hold the folder's lock.
   */
  async removeUnfinished(): Promise<void> {
    checkOwnFolder(this.#folder)
    const folders = await readdir(this.#folder, { withFileTypes: true }).catch(() => [])
    for (const entry of folders) {
      if (!entry.isDirectory() || !/^[0-9a-f]{2}$/.test(entry.name)) continue
      const folder = join(this.#folder, entry.name)
      for (const name of await readdir(folder))
        if (UNFINISHED.test(name)) await rm(join(folder, name), { force: true })
    }
  }

  /** Throws if a folder on the path to a text is a symbolic link. */
  #checkFolders(path: string): void {
    checkOwnFolder(this.#folder)
    checkOwnFolder(dirname(path))
  }

  #pathOf(blob: string): string {
    if (!/^[0-9a-f]{64}$/.test(blob)) throw new RunError(`"${blob}" is not a blob name`)
    return join(this.#folder, blob.slice(0, 2), blob.slice(2))
  }
}

function checkHash({ blob }: Reference, found: string): void {
  if (found !== blob)
    throw new RunError(`the stored text ${blob} is damaged: its content has another hash`)
}
