/**
 * A run of 3,000 trials over HTTP on four workers, while workers, the coordinator and Redis are lost again and again.
 * Nothing may be lost or doubled in the log, the verdicts must be the expected ones, and answers that were requested again
 * must be counted and be no more than were in flight.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { random } from '@assay/metrics'
import { readTrials } from 'assay'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readRecord } from '../packages/assay/src/log/index.ts'
import { startModelServer, type ModelServer } from '../packages/assay/test/model-server/index.ts'
import { startAssay, type Started } from '../packages/assay/test/queue/processes.ts'
import {
  hasRedis,
  startRedis,
  type RedisServer,
} from '../packages/assay/test/queue/redis-server.ts'
import { machine } from './command.ts'

const CASES = 600
const TRIALS = 5
const WORKERS = 4
/** Answers that one worker waits for at once: at most as many are lost with it. */
const ANSWERING = 8
const LOCK_MS = 4000
const WORKER_KILLS = 50
const COORDINATOR_KILLS = 10
const RESTARTS = 5
const AWAY_MS = 20_000
/** Work must be left until all faults have happened. After that, answers come quickly. */
const SLOW_MS = 1500
const FAST_MS = 5

describe.skipIf(!hasRedis)('a run on a queue', () => {
  let redis: RedisServer
  let server: ModelServer
  let folder: string
  const all: Started[] = []
  let isChaos = true

  beforeEach(async () => {
    redis = await startRedis()
    folder = mkdtempSync(join(tmpdir(), 'assay-chaos-'))
    server = await startModelServer({
      latencyMs: () => (isChaos ? SLOW_MS : FAST_MS),
      // Cases with an even number get a right answer.
      answer: ({ prompt }) =>
        Number(/Question (\d+)/u.exec(prompt)?.[1]) % 2 === 0 ? 'right' : 'wrong',
    })
    const cases = Array.from({ length: CASES }, (_, i) => ({
      id: `case-${i}`,
      prompt: `Question ${i}. Answer with: right`,
      graders: [{ type: 'equals', value: 'right' }],
    }))
    writeFileSync(join(folder, 'suite.json'), JSON.stringify({ id: 'chaos', cases }))
  })
  afterEach(async () => {
    for (const one of all) one.process.kill('SIGKILL')
    await Promise.all(all.map(({ ended }) => ended))
    await server.close()
    await redis.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const start = (...words: string[]): Started => {
    const started = startAssay(words, {
      cwd: folder,
      env: {
        ...machine(),
        ASSAY_QUEUE_KEY: 'a key of at least sixteen characters',
        OPENAI_API_KEY: 'sk-loopback-only',
        OPENAI_BASE_URL: `${server.origin}/v1`,
        XDG_CONFIG_HOME: join(folder, 'config'),
      },
    })
    all.push(started)
    return started
  }
  const startWorker = (): Started =>
    start('worker', redis.url, '--answering', String(ANSWERING), '--drain', '10s')
  const coordinate = (isFirst: boolean): Started =>
    start(
      'run',
      ...(isFirst
        ? ['suite.json', '-m', 'openai/gpt-4o', '--trials', String(TRIALS), '-o', 'run']
        : ['--resume', 'run']),
      ...['--queue', redis.url, '--queue-lock', `${LOCK_MS}ms`],
      ...['--parallelism', String(WORKERS * ANSWERING)],
    )
  const trials = ({ events }: Started): number =>
    events.filter(({ type }) => type === 'trial').length

  it('survives lost workers, coordinators and Redis: nothing is lost or doubled', async () => {
    const draw = random(19)
    const workers = Array.from({ length: WORKERS }, startWorker)
    let coordinator = coordinate(true)
    const until = async (holds: () => boolean, ms: number): Promise<boolean> => {
      for (const end = Date.now() + ms; Date.now() < end; await wait(50)) if (holds()) return true
      return holds()
    }
    const isReady = ({ events }: Started): boolean => events.some(({ type }) => type === 'ready')
    await until(() => trials(coordinator) > 20, 60_000)
    let lostInFlight = 0
    const killWorker = async (): Promise<void> => {
      await until(() => workers.some(isReady), 60_000)
      const ready = workers.flatMap((one, index) => (isReady(one) ? [index] : []))
      const at = ready[Math.floor(draw() * ready.length)] ?? 0
      const worker = workers[at] as Started
      // What the provider works on for all workers bounds what this one loses.
      lostInFlight += Math.min(ANSWERING, server.counts.inFlight)
      await worker.kill('SIGKILL')
      workers[at] = startWorker()
    }
    const killCoordinator = async (): Promise<void> => {
      const before = coordinator
      // Each session does something before it is lost.
      await until(() => trials(before) > 0, 60_000)
      expect(before.process.exitCode).toBeNull()
      await before.kill('SIGKILL')
      coordinator = coordinate(false)
    }
    /** A command that starts while Redis is away fails, so Redis is stopped only when all have begun. */
    const everybodyWorks = (): Promise<boolean> =>
      until(() => trials(coordinator) > 0 && workers.every(isReady), 60_000)
    for (let i = 0; i < WORKER_KILLS; i++) {
      await wait(100 + draw() * 700)
      await killWorker()
      if (i % (WORKER_KILLS / COORDINATOR_KILLS) === 2) await killCoordinator()
      if (i % (WORKER_KILLS / RESTARTS) === 6) {
        await everybodyWorks()
        await redis.stop('SIGKILL')
        await redis.start()
      }
    }
    await everybodyWorks()
    await redis.stop('SIGTERM')
    await wait(AWAY_MS)
    await redis.start()
    await until(() => isReady(workers[0] as Started), 20_000)
    lostInFlight += ANSWERING
    workers[0]?.process.kill('SIGSTOP')
    await wait(3 * LOCK_MS)
    workers[0]?.process.kill('SIGCONT')
    const soFar = server.requests.length
    isChaos = false
    // All even answers are right, so half of the trials fail, which is the result and not an error.
    expect([await coordinator.ended, coordinator.said()]).toEqual([0, expect.any(String)])
    expect(soFar).toBeLessThan(CASES * TRIALS + lostInFlight)

    const seen = new Map<string, string>()
    let lines = 0
    await readTrials(join(folder, 'run'), ({ case: id, index, outcome }) => {
      lines++
      seen.set(`${id} ${index}`, outcome)
    })
    expect([lines, seen.size]).toEqual([CASES * TRIALS, CASES * TRIALS])
    for (const [key, outcome] of seen) {
      const isRight = Number(/^case-(\d+)/u.exec(key)?.[1]) % 2 === 0
      expect([key, outcome]).toEqual([key, isRight ? 'passed' : 'failed'])
    }
    const again = server.requests.length - CASES * TRIALS
    const counted = readRecord(join(folder, 'run')).askedAgain ?? 0
    console.log(
      `${server.requests.length} requests, ${again} again, ${counted} counted, at most ${lostInFlight} in flight`,
    )
    expect(again).toBeLessThanOrEqual(lostInFlight)
    // Requests that a lost worker was about to send are counted too, although the provider has not seen them.
    expect(again).toBeLessThanOrEqual(counted)
    expect(counted).toBeLessThanOrEqual((WORKER_KILLS + 1) * ANSWERING)

    for (const worker of workers) await worker.kill('SIGTERM')
    expect(workers.map(({ process: { exitCode } }) => exitCode)).toEqual([0, 0, 0, 0])
    for (const { process: child } of all)
      expect(() => process.kill(child.pid ?? 0, 0)).toThrow(/ESRCH/u)
  }, 900_000)
})
