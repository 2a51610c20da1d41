/** What tests of runs on a queue share: a Redis, workers and a provider for one test file, and runs in temporary folders. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subject } from '@assay/contract'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import {
  queueEngine,
  QueueWorker,
  type QueueEngineOptions,
  type WorkerOptions,
} from '../../src/queue/index.ts'
import { readRun, withoutRunSpecific } from '../../src/report/index.ts'
import { run, type Engine, type RunOptions, type RunResult } from '../../src/run/index.ts'
import { loadPrices, makeSubjects } from '../../src/subject/index.ts'
import { fakeCase, fakeSuite } from '../fakes.ts'
import {
  startModelServer,
  type ModelServer,
  type ModelServerOptions,
} from '../model-server/index.ts'
import { startRedis, type RedisServer } from './redis-server.ts'
import { suiteFolder } from '../suite-folder.ts'

export const KEY = 'a key of at least sixteen characters'
export const SECRET = 'sk-loop-Zk3vQ8wN5tYb7LmR2cXe9HdU'
export const TIMEOUT = { timeout: 120_000 }
const PRICES = '[models."loop/m"]\ninput = 0\noutput = 1000000\n'

export class QueueBench {
  redis!: RedisServer
  client!: Redis
  folder!: string
  server: ModelServer | null = null
  readonly #workers: QueueWorker[] = []

  async worker(change: Partial<WorkerOptions> = {}): Promise<QueueWorker> {
    const started = await QueueWorker.start({
      url: this.redis.url,
      key: KEY,
      drainMs: 5000,
      trust: true,
      ...change,
    })
    this.#workers.push(started)
    return started
  }

  async serve(options: ModelServerOptions): Promise<void> {
    this.server = await startModelServer(options)
  }

  get providers(): NonNullable<Parameters<typeof makeSubjects>[0]['providers']> {
    return this.server === null
      ? {}
      : { loop: { baseUrl: `${this.server.origin}/v1`, apiKeyEnv: 'LOOP_KEY' } }
  }

  engine(change: Partial<QueueEngineOptions> = {}): Engine {
    const recipe = { named: {}, parameters: {}, defaults: {}, prices: PRICES }
    return queueEngine({
      url: this.redis.url,
      key: KEY,
      name: 'test',
      recipe: { ...recipe, providers: this.providers },
      ...change,
    })
  }

  async subjects(...names: string[]): Promise<Subject[]> {
    const file = join(await suiteFolder({ 'prices.toml': PRICES }), 'prices.toml')
    const prices = await loadPrices({ file })
    return makeSubjects({ subjects: names, providers: this.providers, prices })
  }

  async go(name: string, change: Partial<RunOptions> = {}): Promise<RunResult> {
    return run({
      suites: [fakeSuite(cases(5))],
      subjects: change.subjects ?? (await this.subjects('simulated:pass=0.6')),
      folder: join(this.folder, name),
      trials: 6,
      retry: { attempts: 4, firstMs: 10, mostMs: 50 },
      ...change,
    })
  }

  async report(name: string) {
    return withoutRunSpecific((await readRun(join(this.folder, name))).report)
  }

  async close(): Promise<void> {
    for (const worker of this.#workers.splice(0)) await worker.drain()
    await this.server?.close()
    this.server = null
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export const cases = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    fakeCase(`case${i}`, { reference: 'right', turns: [`Question ${i}. Answer with: right`] }),
  )

export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Must be called inside `describe`. */
export function queueBench(): QueueBench {
  const bench = new QueueBench()
  beforeAll(async () => {
    bench.redis = await startRedis()
    bench.client = new Redis(bench.redis.url)
    bench.client.on('error', () => {})
    process.env['LOOP_KEY'] = SECRET
  })
  afterAll(async () => {
    bench.client.disconnect()
    delete process.env['LOOP_KEY']
    await bench.redis.remove()
  })
  beforeEach(() => {
    bench.folder = mkdtempSync(join(tmpdir(), 'assay-queue-'))
  })
  afterEach(async () => {
    await bench.close()
    await bench.client.flushall()
  })
  return bench
}
