/** Calls a script in Redis by its hash. The text of the script is sent only if the server does not have it yet. */
import { createHash } from 'node:crypto'
import type { Redis } from './load-bullmq.ts'

const hashes = new Map<string, string>()

export async function callScript<Result>(
  client: Redis,
  script: string,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<Result> {
  let hash = hashes.get(script)
  if (hash === undefined) {
    hash = createHash('sha1').update(script).digest('hex')
    hashes.set(script, hash)
  }
  try {
    return (await client.evalsha(hash, keys.length, ...keys, ...args)) as Result
  } catch (error) {
    if (!(error as Error).message.startsWith('NOSCRIPT')) throw error
    return (await client.eval(script, keys.length, ...keys, ...args)) as Result
  }
}
