/** Opens connections to Redis, and warns if the server is not suitable for a queue. */
import { UsageError, plain } from '@assay/contract'
import { loadQueuePackages, type QueuePackages, type Redis } from './load-bullmq.ts'

export interface QueueConnection {
  readonly packages: QueuePackages
  /** The connection for commands that return at once. */
  readonly client: Redis
  /** Opens another connection, for commands that block and for subscriptions. */
  readonly another: () => Redis
  /** The address without its password, to show to users. */
  readonly shown: string
  /** Problems of this server that the user should know about. */
  readonly warnings: readonly string[]
  close(): Promise<void>
}

/** The time limit for the first connection. */
const CONNECT_MS = 10_000
const LEAST_VERSION = [6, 2] as const

/** Connects to Redis. Throws a `UsageError` if the address is not valid or no server answers there. */
export async function connectQueue(url: string, connectMs = CONNECT_MS): Promise<QueueConnection> {
  const shown = shownAddress(url)
  const packages = await loadQueuePackages()
  const open = new Set<Redis>()
  const make = (): Redis => {
    const client = new packages.ioredis.Redis(url, {
      // While Redis restarts, commands wait instead of failing. So a run survives the restart.
      maxRetriesPerRequest: null,
      retryStrategy: (times: number) => Math.min(1000, 50 * times),
      lazyConnect: true,
      enableReadyCheck: true,
    })
    // Without a listener, a lost connection would end the process. The client connects again by itself.
    client.on('error', () => {})
    open.add(client)
    return client
  }
  const client = make()
  const close = async (): Promise<void> => {
    for (const one of open) one.disconnect()
    open.clear()
  }
  try {
    await within(client.connect(), connectMs)
    return {
      packages,
      client,
      another: make,
      shown,
      warnings: await serverWarnings(client),
      close,
    }
  } catch (error) {
    await close()
    throw new UsageError(
      `cannot use the Redis at ${shown}: ${plain((error as Error).message).replace(/\.+$/u, '')}. Check that it runs, and the address, user and password: redis://user:password@host:6379, or rediss:// with TLS`,
      { cause: error },
    )
  }
}

/** Returns the address without its user name and password. */
export function shownAddress(url: string): string {
  if (!URL.canParse(url)) throw new UsageError(NOT_AN_ADDRESS)
  const { protocol, host, pathname } = new URL(url)
  if (!['redis:', 'rediss:'].includes(protocol) || host === '') throw new UsageError(NOT_AN_ADDRESS)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}

const NOT_AN_ADDRESS =
  'the address of a queue is redis://HOST:PORT, with TLS rediss://HOST:PORT, and may hold user, password and database: redis://user:password@host:6379/0'

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} s`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

async function serverWarnings(client: Redis): Promise<string[]> {
  const server = infoOf(await client.info())
  const version = server.get('redis_version') ?? ''
  const warnings: string[] = []
  const [major = 0, minor = 0] = version.split('.').map(Number)
  // The server may be Valkey, a fork of Redis. Valkey reports the version of Redis that it is compatible with.
  if (major < LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor < LEAST_VERSION[1]))
    warnings.push(
      `Redis ${version} is older than ${LEAST_VERSION.join('.')}: the queue may not work. Use a newer one`,
    )
  const policy = server.get('maxmemory_policy')
  if (policy !== undefined && policy !== 'noeviction')
    warnings.push(
      `Redis may drop jobs when its memory is full (maxmemory-policy ${policy}): they are added again, but their answers may be asked for twice. Set maxmemory-policy noeviction`,
    )
  if (server.get('aof_enabled') !== '1')
    warnings.push(
      'Redis does not keep an append-only file: when it restarts, answers that are not recorded yet are asked for again. Set appendonly yes',
    )
  return warnings
}

/** Parses the reply of the INFO command, which has lines of the form `name:value`. */
function infoOf(text: string): Map<string, string> {
  const lines = text.split(/\r?\n/u).flatMap((line) => {
    const at = line.indexOf(':')
    return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const]
  })
  return new Map(lines)
}
