/** Removes a trial that is recorded from Redis, and counts there how often its answer was requested again. */
import { callScript } from './call-script.ts'
import type { RunKeys } from './keys.ts'
import type { Redis } from './load-bullmq.ts'
import { COLLECTED } from './scripts.ts'

export async function forgetTrial(client: Redis, keys: RunKeys, key: string): Promise<void> {
  const { open, answers, acks, finished, asked, again } = keys
  await callScript(client, COLLECTED, [open, answers, acks, finished, asked, again], [key])
}
