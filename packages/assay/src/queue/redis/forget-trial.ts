/** Removes a recorded trial from Redis. If its answer was requested more than once, Redis counts that. */
import { callScript } from './call-script.ts'
import type { RunKeys } from './keys.ts'
import type { Redis } from './load-bullmq.ts'
import { COLLECTED } from './scripts.ts'

export async function forgetTrial(client: Redis, keys: RunKeys, key: string): Promise<void> {
  const { open, answers, acks, finished, asked, again } = keys
  await callScript(client, COLLECTED, [open, answers, acks, finished, asked, again], [key])
}
