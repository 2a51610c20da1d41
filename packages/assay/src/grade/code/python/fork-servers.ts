/** Fork servers of one kind: as many as are at work at once, each for the next piece of work too. */
import { SandboxError } from '../../../sandbox/index.ts'
import type { Fork, ForkLimits, ForkServer } from './forks.ts'

export class ForkServers {
  readonly #make: () => ForkServer
  #servers: ForkServer[] = []
  #isClosed = false

  constructor(make: () => ForkServer) {
    this.#make = make
  }

  /** Rejects with `SandboxError` where there is none to be had. */
  async fork(limits: Omit<ForkLimits, 'fileBytes'>): Promise<Fork> {
    const kept = this.#free()
    if (kept !== undefined)
      try {
        return await kept.fork(limits)
      } catch (error) {
        // What ended it was before this piece of work.
        if (this.#isClosed) throw error
      }
    if (this.#isClosed) throw new SandboxError('the graders were closed')
    const made = this.#make()
    this.#servers.push(made)
    return made.fork(limits)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const servers = this.#servers
    this.#servers = []
    await Promise.all(servers.map((server) => server.close()))
  }

  #free(): ForkServer | undefined {
    this.#servers = this.#servers.filter((server) => !server.isDead)
    return this.#servers.find((server) => server.isFree)
  }
}
