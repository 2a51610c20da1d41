/**
 * Transfers suites, price files and the folders from which workspaces start. Each of these items is named by the hash
 * of its content and transferred once per run. Items go through Redis. Large items go through a folder (the store) that
 * both sides can reach. A receiver uses an item only if its content has the hash in the signed description of the run.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '@assay/contract'
import { readOwn } from '../log/index.ts'
import type { Redis } from './redis/load-bullmq.ts'
import { runKeys } from './redis/keys.ts'
import { sha256, type Item } from './messages.ts'

/** Items that are larger than this go through the store, because Redis would have to hold them in memory. */
export const STORE_BYTES = 8 * 1024 * 1024
/** If there is no store, items that are larger than this are refused. */
const MOST_BYTES = 64 * 1024 * 1024

export interface ItemsOptions {
  readonly client: Redis
  readonly run: string
  /** The folder for large items. Null if the user named none. */
  readonly store: string | null
}

/**
 * Writes an item. `what` names it in error messages. Throws a `UsageError` if the item is too large for Redis and there
 * is no store.
 */
export async function putItem(
  { client, run, store }: ItemsOptions,
  content: Uint8Array,
  what: string,
): Promise<Item> {
  const item = { sha256: sha256(content), bytes: content.length }
  if (store !== null && content.length > STORE_BYTES) {
    await mkdir(store, { recursive: true })
    const path = join(store, item.sha256)
    // Other users may be able to write to the store. The name is random, so that they cannot put a link at this path
    // first.
    const temporary = `${path}.${randomUUID()}.tmp`
    try {
      await writeFile(temporary, content, { flag: 'wx' })
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    return { ...item, in: 'store' }
  }
  if (content.length > MOST_BYTES)
    throw new UsageError(
      `${what} has ${Math.ceil(content.length / 1024 / 1024)} MiB, which is too much for Redis. Name a folder that this machine and the workers share: --store DIR`,
    )
  await client.hset(runKeys(run).items, item.sha256, Buffer.from(content))
  return { ...item, in: 'redis' }
}

/** Reads an item. Throws if it is missing or if its content does not match its hash. */
export async function getItem({ client, run, store }: ItemsOptions, item: Item): Promise<Buffer> {
  const content =
    item.in === 'redis'
      ? await client.hgetBuffer(runKeys(run).items, item.sha256)
      : await stored(store, item)
  if (content === null) throw new Error(`the item ${item.sha256.slice(0, 12)} is not there`)
  if (sha256(content) !== item.sha256)
    throw new Error(`the item ${item.sha256.slice(0, 12)} is not what its hash says`)
  return content
}

async function stored(store: string | null, { sha256: name, bytes }: Item): Promise<Buffer> {
  if (store === null)
    throw new Error(
      'a part of the run is in the store of its coordinator: start the worker with --store DIR',
    )
  try {
    return readOwn(join(store, name), bytes)
  } catch (error) {
    throw new Error(`${join(store, name)} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
