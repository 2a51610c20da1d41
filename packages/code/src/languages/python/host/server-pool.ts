/** Servers of one kind: as many as are at work at once, each for the next piece of work too. */
import { SandboxError } from '@assay/sandbox'

interface Closable {
  readonly isDead: boolean
  close(): Promise<void>
}

export class Pool<T extends Closable> {
  readonly #make: () => T
  #idle: T[] = []
  readonly #all = new Set<T>()
  #isClosed = false

  constructor(make: () => T) {
    this.#make = make
  }

  /**
   * Begins work on one that is free, else on a new one; what `begin` throws of an old one is what became
   * of it since its last work, and a new one takes its place.
   */
  async take<R>(
    begin: (one: T) => Promise<R>,
    prefer: (one: T) => boolean = () => false,
  ): Promise<{ readonly one: T; readonly begun: R }> {
    for (let one = this.#next(prefer); one !== undefined; one = this.#next(prefer))
      try {
        if (!one.isDead) return { one, begun: await begin(one) }
        this.#drop(one)
      } catch {
        this.#drop(one)
      }
    if (this.#isClosed) throw new SandboxError('the graders were closed')
    const made = this.#make()
    this.#all.add(made)
    try {
      return { one: made, begun: await begin(made) }
    } catch (error) {
      this.#drop(made)
      throw error
    }
  }

  #next(prefer: (one: T) => boolean): T | undefined {
    const at = this.#idle.findIndex((one) => prefer(one))
    return at === -1 ? this.#idle.pop() : this.#idle.splice(at, 1)[0]
  }

  /** Gives one back. */
  free(one: T): void {
    if (one.isDead || this.#isClosed) this.#drop(one)
    else this.#idle.push(one)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#all].map((one) => one.close()))
  }

  #drop(one: T): void {
    this.#all.delete(one)
    void one.close()
  }
}
