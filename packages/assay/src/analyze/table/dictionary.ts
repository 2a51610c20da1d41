/**
 * Maps names to numeric ids. A million rows name the same cases and subjects repeatedly, so each name is stored once.
 * The bytes must be valid UTF-8, which the caller has checked.
 *
 * A cache recognizes recent names by their bytes, without creating a string. It has one slot for each of 4096 hash
 * values, and each slot holds the newest name with that hash. If a hostile file has many names with the same hash, the
 * cache is useless, but the ids are still correct.
 */
const PLACES = 4096
/** The maximum length of a name in the cache, in bytes. */
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

  /** Returns the id of the text from `start` to `end`. White space at both ends is ignored. */
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

/** Maps each pair of ids to a single id. */
export class Pairs {
  readonly list: (readonly [number, number])[] = []
  readonly #ids = new Map<number, number>()

  idOf(first: number, second: number): number {
    // Both ids are below 2^26, because a table cannot have that many rows. So no two pairs get the same key.
    const key = first * 2 ** 26 + second
    let id = this.#ids.get(key)
    if (id === undefined) {
      id = this.list.push([first, second]) - 1
      this.#ids.set(key, id)
    }
    return id
  }
}
