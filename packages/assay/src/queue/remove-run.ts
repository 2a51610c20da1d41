/** Removes all data of a run from Redis. */
import type { Redis } from './redis/load-bullmq.ts'
import { RUNS, runPatterns } from './redis/keys.ts'

export async function removeRun(client: Redis, run: string): Promise<void> {
  await client.srem(RUNS, run)
  for (const pattern of runPatterns(run)) {
    let cursor = '0'
    do {
      const [next, keys] = await client.scan(cursor, 'MATCH', pattern, 'COUNT', 500)
      if (keys.length > 0) await client.unlink(...keys)
      cursor = next
    } while (cursor !== '0')
  }
}
