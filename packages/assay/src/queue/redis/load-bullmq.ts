/**
 * Loads BullMQ, a library for queues in Redis, and its Redis client. Both are optional peer dependencies, because only
 * runs on a queue need them. They are imported when a queue is first used, so that other commands do not start more
 * slowly.
 */
import { UsageError } from '@assay/contract'
import type * as BullMq from 'bullmq'
import type * as IoRedis from 'ioredis'

export type { Redis } from 'ioredis'
export type { Job, Queue, Worker } from 'bullmq'

export interface QueuePackages {
  readonly bullmq: typeof BullMq
  readonly ioredis: typeof IoRedis
}

/** The command that installs the missing packages. They do not need their install scripts. */
const INSTALL = 'npm install --ignore-scripts bullmq@6 ioredis@6'

export async function loadQueuePackages(
  load: (name: string) => Promise<unknown> = (name) => import(name),
): Promise<QueuePackages> {
  const missing: string[] = []
  const loaded: unknown[] = []
  for (const name of ['bullmq', 'ioredis'])
    try {
      loaded.push(await load(name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
      missing.push(name)
    }
  if (missing.length > 0)
    throw new UsageError(
      `a queue needs ${missing.join(' and ')}, which ${missing.length === 1 ? 'is' : 'are'} not installed. Next to Assay, run\n  ${INSTALL}`,
    )
  const [bullmq, ioredis] = loaded
  return { bullmq, ioredis } as QueuePackages
}
