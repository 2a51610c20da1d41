/** Writes the state of the budget to Redis, where workers reserve money from it. */
import type { Job } from '../../run/index.ts'
import { runKeys } from '../redis/keys.ts'
import type { Redis } from '../redis/load-bullmq.ts'

export async function publishBudget(
  { budget, run, tally, pending }: Job,
  client: Redis,
): Promise<void> {
  if (!budget.isLimited) return
  const key = runKeys(run).budget
  const { limit, spent, subjects, paid } = budget.snapshot()
  const waitingUsd = [...pending.values()].reduce((sum, { spentUsd }) => sum + spentUsd, 0)
  const recorded = Math.round((tally.spentUsd + waitingUsd) * 1e9)
  // The amount in Redis may be higher, because workers may have spent more since the last line of the log.
  const known = Number((await client.hget(key, 'spent')) ?? 0)
  const fields: Record<string, string | number> = {
    limit: limit ?? 0,
    spent: Math.max(spent, recorded, known),
  }
  for (const { subject, nanos, estimated, answers } of subjects) {
    fields[`nanos:${subject}`] = nanos
    fields[`estimated:${subject}`] = estimated
    fields[`answers:${subject}`] = answers
  }
  for (const subject of paid) fields[`paid:${subject}`] = 1
  await client.hset(key, fields)
}
