/**
 * Large texts by the hash of their content: each is stored once however many trials share it, and is
 * on the disk before the line that names it. Small texts stay in the line. A run folder may come from
 * elsewhere, so a text counts only where it is the folder's own file and is what its hash says.
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

type Reference = Exclude<Text, string>

export const INLINE_BYTES = 4096

/** What a text is called until it is whole. */
const UNFINISHED = /^[0-9a-f]{62}\.\d+\.tmp$/

export class Blobs {
  readonly #folder: string
  /** What is known to be on the disk, or on its way there. */
  readonly #known = new Map<string, Promise<void>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The text itself if it is small, else a reference to it, once it is safely stored. */
  async put(text: string): Promise<Text> {
    // A UTF-16 unit is at most 3 bytes, so most texts need no measuring.
    if (text.length * 3 <= INLINE_BYTES) return text
    const bytes = Buffer.byteLength(text)
    return bytes <= INLINE_BYTES ? text : this.store(text)
  }

  /** Stores the text whatever its size. */
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

  /** The text behind a reference. */
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

  /** The same at once; the first `most` bytes or so where that is given. */
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
    if (size === bytes) return fd
    closeSync(fd)
    throw new RunError(`the stored text ${blob} is damaged: ${size} bytes instead of ${bytes}`)
  }

  /** Removes texts that were being written when their writer died. Only for whoever has the folder to itself. */
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

  /** The folders on the way are the run's own too. */
  #checkFolders(path: string): void {
    checkOwnFolder(this.#folder)
    checkOwnFolder(dirname(path))
  }

  #pathOf(blob: string): string {
    if (!/^[0-9a-f]{64}$/.test(blob)) throw new RunError(`"${blob}" is no blob name`)
    return join(this.#folder, blob.slice(0, 2), blob.slice(2))
  }
}

function checkHash({ blob }: Reference, found: string): void {
  if (found !== blob)
    throw new RunError(`the stored text ${blob} is damaged: its content has another hash`)
}
