/** Waits until coordinators have written answers to their disks. */
import type { Redis } from '../redis/load-bullmq.ts'
import { runKeys } from '../redis/keys.ts'
import { sleep } from './slots.ts'
import { TrialGone } from './trial-store.ts'

/** How often the state in Redis is read. The message about an acknowledgement can be lost with its connection. */
const LOOK_MS = 1000

export class Acknowledgements {
  readonly #client: Redis
  readonly #subscriber: Redis
  readonly #waiting = new Map<string, () => void>()
  readonly #channels = new Set<string>()

  constructor(client: Redis, subscriber: Redis) {
    this.#client = client
    this.#subscriber = subscriber
    subscriber.on('message', (channel: string, key: string) => {
      this.#waiting.get(`${channel} ${key}`)?.()
    })
  }

  async subscribe(run: string): Promise<void> {
    const { ack } = runKeys(run)
    if (this.#channels.has(ack)) return
    this.#channels.add(ack)
    await this.#subscriber.subscribe(ack)
  }

  async unsubscribe(run: string): Promise<void> {
    const { ack } = runKeys(run)
    if (this.#channels.delete(ack)) await this.#subscriber.unsubscribe(ack)
  }

  /**
   * Resolves when the answer is on the coordinator's disk. Rejects if the run has ended. If the coordinator has
   * stopped, this waits for its next session, which reads the answer from Redis.
   */
  async of(run: string, key: string, signal: AbortSignal): Promise<void> {
    const { ack, acks, answers } = runKeys(run)
    const name = `${ack} ${key}`
    const told = new AbortController()
    this.#waiting.set(name, () => told.abort())
    try {
      for (;;) {
        const [isAcknowledged, isThere] = await Promise.all([
          this.#client.hexists(acks, key),
          this.#client.hexists(answers, key),
        ])
        if (isAcknowledged === 1 || told.signal.aborted) return
        if (isThere === 0) throw new TrialGone('the answer is not needed any more')
        await sleep(LOOK_MS, AbortSignal.any([signal, told.signal]))
        if (told.signal.aborted) return
        signal.throwIfAborted()
      }
    } finally {
      this.#waiting.delete(name)
    }
  }
}
