/**
 * Measures trials that take no time, run through a queue and run locally: trials per second, and processor time per
 * trial of the coordinator, the workers and Redis. Also measures the memory of Redis while a million trials are
 * planned. It needs redis-server and a build. Run it with `node bench/queue.ts [trials]`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { queueEngine } from '../packages/assay/src/queue/index.ts'
import { run, type RunOptions } from '../packages/assay/src/run/index.ts'
import { makeSubjects } from '../packages/assay/src/subject/index.ts'
import { fakeCase, fakeSuite } from '../packages/assay/test/fakes.ts'
import { startAssay, type Started } from '../packages/assay/test/queue/processes.ts'
import { startRedis } from '../packages/assay/test/queue/redis-server.ts'

const KEY = 'a key of at least sixteen characters'
const TRIALS = Number(process.argv[2] ?? 3000)
const CASES = 100
const folder = mkdtempSync(join(tmpdir(), 'assay-bench-queue-'))
const redis = await startRedis({ args: ['--appendfsync', 'everysec'] })
const client = new Redis(redis.url)

/** Returns the processor time of a process so far, in milliseconds. Linux reports it in hundredths of a second. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /u, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const redisPid = async (): Promise<number> =>
  Number(/process_id:(\d+)/u.exec(await client.info('server'))?.[1])

async function go(name: string, change: Partial<RunOptions>): Promise<void> {
  const cases = Array.from({ length: CASES }, (_, i) => fakeCase(`case${i}`))
  await run({
    suites: [fakeSuite(cases)],
    subjects: await makeSubjects({ subjects: ['simulated:pass=0.6'] }),
    folder: join(folder, name),
    trials: TRIALS / CASES,
    ...change,
  })
}

const engine = () =>
  queueEngine({
    ...{ url: redis.url, key: KEY, name: 'bench' },
    recipe: { named: {}, providers: {}, parameters: {}, defaults: {}, prices: null },
  })

async function measure(name: string, workers: readonly Started[], change: Partial<RunOptions>) {
  const pids = workers.map((one) => one.process.pid ?? 0)
  const sum = (): number => pids.reduce((all, pid) => all + cpuOf(pid), 0)
  const before = { workers: sum(), redis: cpuOf(await redisPid()), own: process.cpuUsage() }
  const from = performance.now()
  await go(name, change)
  const seconds = (performance.now() - from) / 1000
  const own = process.cpuUsage(before.own)
  const each = (ms: number): string => (ms / TRIALS).toFixed(2)
  console.log(
    `${name}: ${(TRIALS / seconds).toFixed(0)} trials/s, ms of processor time per trial: coordinator ${each((own.user + own.system) / 1000)}, workers ${each(sum() - before.workers)}, Redis ${each(cpuOf(await redisPid()) - before.redis)}`,
  )
}

const started: Started[] = []
try {
  await go('warm', {})
  await measure('local', [], {})
  for (const count of [1, 2, 4]) {
    while (started.length < count) {
      const env = { ...process.env, ASSAY_QUEUE_KEY: KEY }
      const one = startAssay(['worker', redis.url], { cwd: folder, env })
      while (!one.events.some(({ type }) => type === 'ready')) await wait(50)
      started.push(one)
    }
    await measure(`${count} workers`, started, { engine: engine() })
  }
  await measure('local again', [], {})
  const stop = new AbortController()
  const used = async (): Promise<number> =>
    Number(/used_memory:(\d+)/u.exec(await client.info('memory'))?.[1]) / 1024 / 1024
  const empty = await used()
  let most = 0
  const watch = setInterval(() => void used().then((mib) => (most = Math.max(most, mib))), 100)
  setTimeout(() => stop.abort(), 8000)
  await go('million', {
    trials: 1_000_000 / CASES,
    engine: engine(),
    signal: stop.signal,
    graceMs: 100,
  })
  clearInterval(watch)
  console.log(
    `a million planned trials: Redis uses ${most.toFixed(1)} MiB at most, ${empty.toFixed(1)} MiB when idle`,
  )
} finally {
  for (const one of started) await one.kill('SIGKILL')
  client.disconnect()
  await redis.remove()
  rmSync(folder, { recursive: true, force: true })
}
