import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fakeCase, fakeSuite } from '../../test/fakes.ts'
import { hasRedis, startRedis, type RedisServer } from '../../test/redis-server.ts'
import { readRun, withoutRunSpecific } from '../report/index.ts'
import { run, type RunOptions } from '../run/index.ts'
import { makeSubjects } from '../subject/index.ts'
import { queueEngine, QueueWorker, type WorkerOptions } from './index.ts'

const KEY = 'a key of at least sixteen characters'

describe.skipIf(!hasRedis)('a run on a queue', () => {
  let redis: RedisServer
  let folder: string
  const workers: QueueWorker[] = []

  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.remove())
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-queue-'))
  })
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.drain()
    rmSync(folder, { recursive: true, force: true })
  })

  const worker = async (change: Partial<WorkerOptions> = {}): Promise<QueueWorker> => {
    const started = await QueueWorker.start({ url: redis.url, key: KEY, drainMs: 5000, ...change })
    workers.push(started)
    return started
  }
  const engine = () =>
    queueEngine({
      url: redis.url,
      key: KEY,
      name: 'test',
      recipe: { named: {}, providers: {}, parameters: {}, defaults: {}, prices: null },
    })
  const go = async (name: string, change: Partial<RunOptions> = {}) =>
    run({
      suites: [
        fakeSuite(
          Array.from({ length: 5 }, (_, i) => fakeCase(`case${i}`, { reference: 'right' })),
        ),
      ],
      subjects: await makeSubjects({ subjects: ['simulated:pass=0.6'] }),
      folder: join(folder, name),
      trials: 6,
      ...change,
    })
  const report = async (name: string) =>
    withoutRunSpecific((await readRun(join(folder, name))).report)

  it('has the result of a local run', { timeout: 60_000 }, async () => {
    await worker()
    const [local, queued] = [await go('local'), await go('queued', { engine: engine() })]
    expect(queued.ended).toBe('complete')
    expect(queued.tally.counts()).toEqual(local.tally.counts())
    expect(await report('queued')).toEqual(await report('local'))
  })
})
