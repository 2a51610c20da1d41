/**
 * Names as numbers: in a million rows a case or a subject is named over and over, and is kept once. Bytes
 * are UTF-8: whoever reads a file has looked.
 *
 * A name that came by lately is recognised by its bytes, without a string being made: a cache with one place
 * for each of some thousand hashes, where the newest takes the place. Whoever writes names with the same
 * hash only makes it useless.
 */
const PLACES = 4096
/** Longer names go the long way. */
const WIDTH = 64

export class Dictionary {
  readonly names: string[] = []
  readonly #ids = new Map<string, number>()
  readonly #bytes = new Uint8Array(PLACES * WIDTH)
  readonly #lengths = new Uint8Array(PLACES)
  readonly #cached = new Uint32Array(PLACES)

  idOf(name: string): number {
    let id = this.#ids.get(name)
    if (id === undefined) {
      id = this.names.push(name) - 1
      this.#ids.set(name, id)
    }
    return id
  }

  /** Of the text between two places, without the space around it. */
  idAt(bytes: Buffer, start: number, end: number): number {
    const length = end - start
    if (length > WIDTH || length === 0) return this.#decode(bytes, start, end)
    let hash = 0
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0
    const place = (hash ^ (hash >>> 12)) & (PLACES - 1)
    const at = place * WIDTH
    if (this.#lengths[place] === length) {
      let i = 0
      while (i < length && this.#bytes[at + i] === bytes[start + i]) i++
      if (i === length) return this.#cached[place] as number
    }
    const id = this.#decode(bytes, start, end)
    for (let i = 0; i < length; i++) this.#bytes[at + i] = bytes[start + i] as number
    this.#lengths[place] = length
    this.#cached[place] = id
    return id
  }

  #decode(bytes: Buffer, start: number, end: number): number {
    return this.idOf(bytes.toString('utf8', start, end).trim())
  }
}

/** Numbers for pairs of numbers. */
export class Pairs {
  readonly list: (readonly [number, number])[] = []
  readonly #ids = new Map<number, number>()

  idOf(first: number, second: number): number {
    // Both are below 2^26: a table has no more rows than that.
    const key = first * 2 ** 26 + second
    let id = this.#ids.get(key)
    if (id === undefined) {
      id = this.list.push([first, second]) - 1
      this.#ids.set(key, id)
    }
    return id
  }
}
