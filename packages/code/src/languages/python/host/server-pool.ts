/** A pool of servers of one kind. It grows to as many as work at once, and each is used again. */
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
   * Begins work on a free server, else on a new one. If `begin` throws on a used server, that server failed since its
   * last work, and a new one replaces it.
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

  /** Returns a server to the pool. */
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
