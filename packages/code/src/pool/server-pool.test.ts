import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Pool } from './server-pool.ts'

class Server {
  isDead = false
  isClosed = false
  async close(): Promise<void> {
    this.isClosed = true
  }
}

describe('a pool of servers', () => {
  let made: Server[]
  let pool: Pool<Server>
  const take = async (): Promise<Server> => (await pool.take(async (one) => one)).one
  const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)

  beforeEach(() => {
    vi.useFakeTimers()
    made = []
    pool = new Pool(() => {
      const server = new Server()
      made.push(server)
      return server
    })
  })
  afterEach(() => vi.useRealTimers())

  it('starts no second server for work that waits only shortly', async () => {
    const first = await take()
    const second = take()
    await vi.advanceTimersByTimeAsync(20)
    pool.free(first)
    expect(await second).toBe(first)
    expect(made).toHaveLength(1)
  })

  it('waits while the first server starts, however long that takes', async () => {
    const start = Promise.withResolvers<void>()
    const first = pool.take(async () => start.promise)
    const second = take()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(made).toHaveLength(1)
    start.resolve()
    pool.free((await first).one)
    expect(await second).toBe(made[0])
    expect(made).toHaveLength(1)
  })

  it('starts another one for work that waits for one that does not end', async () => {
    await take()
    const second = take()
    await vi.advanceTimersByTimeAsync(5000)
    await second
    expect(made).toHaveLength(2)
  })

  it('starts another one when many have waited', async () => {
    let current = await take()
    for (let turn = 0; turn < 40; turn++) {
      const next = take()
      await vi.advanceTimersByTimeAsync(20)
      pool.free(current)
      current = await next
    }
    expect(made.length).toBeGreaterThan(1)
  })

  it('gives a free server to work that prefers it', async () => {
    const first = await take()
    const other = take()
    const fond = pool.take(
      async (one) => one,
      (one) => one === first,
    )
    await settled()
    pool.free(first)
    expect((await fond).one).toBe(first)
    pool.free(first)
    expect(await other).toBe(first)
  })

  it('starts a new one at once where the one that was waited for dies', async () => {
    const first = await take()
    const second = take()
    await settled()
    first.isDead = true
    pool.free(first)
    expect(await second).toBe(made[1])
  })

  it('lets the next one try where the first server does not start', async () => {
    const start = Promise.withResolvers<void>()
    const failing = pool.take(async () => start.promise).catch(String)
    const second = take()
    await settled()
    expect(made).toHaveLength(1)
    start.reject(new Error('no start'))
    expect(await failing).toBe('Error: no start')
    expect(await second).toBe(made[1])
  })

  it('starts its first server in advance, and work that comes meanwhile gets that one', async () => {
    const start = Promise.withResolvers<void>()
    pool.warm(() => start.promise)
    pool.warm(() => start.promise)
    const first = take()
    await settled()
    start.resolve()
    expect(await first).toBe(made[0])
    expect(made).toHaveLength(1)
  })

  it('starts another one where the one started in advance failed', async () => {
    pool.warm(() => Promise.reject(new Error('no start')))
    const first = take()
    expect(await first).toBe(made[1])
  })

  it('refuses work that waits when it is closed', async () => {
    await take()
    const second = take()
    await settled()
    await pool.close()
    await expect(second).rejects.toThrow('closed')
    expect(made[0]?.isClosed).toBe(true)
  })
})
