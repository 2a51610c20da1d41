/**
 * Large texts by the hash of their content: each is stored once however many trials share it, and is
 * on the disk before the line that names it. Small texts stay in the line.
 */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Text, RunError } from '@assay/contract'

export const INLINE_BYTES = 4096

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
    const there = await stat(path).catch(() => null)
    if (there?.size === content.length) return
    await mkdir(folder, { recursive: true })
    const temporary = `${path}.${process.pid}.tmp`
    try {
      const file = await open(temporary, 'w')
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
    return typeof text === 'string' ? text : readFile(this.#pathOf(text.blob), 'utf8')
  }

  /** The same at once; the first `most` bytes or so where that is given. */
  readSync(text: Text, most?: number): string {
    if (typeof text === 'string') return most === undefined ? text : text.slice(0, most)
    const path = this.#pathOf(text.blob)
    if (most === undefined || text.bytes <= most) return readFileSync(path, 'utf8')
    const bytes = Buffer.alloc(most)
    const file = openSync(path, 'r')
    try {
      return bytes.subarray(0, readSync(file, bytes, 0, most, 0)).toString('utf8')
    } finally {
      closeSync(file)
    }
  }

  #pathOf(blob: string): string {
    if (!/^[0-9a-f]{64}$/.test(blob)) throw new RunError(`"${blob}" is no blob name`)
    return join(this.#folder, blob.slice(0, 2), blob.slice(2))
  }
}
