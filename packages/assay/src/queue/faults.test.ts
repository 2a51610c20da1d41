/** What happens to a run on a queue when its coordinator, its workers or Redis are lost for a while. */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Subject } from '@assay/contract'
import { describe, expect, it } from 'vitest'
import { fakeSuite } from '../../test/fakes.ts'
import { cases, queueBench, TIMEOUT, until } from '../../test/queue/bench.ts'
import { hasRedis } from '../../test/queue/redis-server.ts'
import { suiteFolder } from '../../test/suite-folder.ts'
import { loadPrices, makeSubjects } from '../subject/index.ts'
import type { RunEvent } from '../run/index.ts'
import { RUNS, runKeys, runPoolKeys } from './redis/keys.ts'

/** Workers renew locks every second. */
const LOCK_MS = 1500

describe.skipIf(!hasRedis)('a run on a queue', () => {
  const bench = queueBench()
  const warnings = (events: readonly RunEvent[]): string =>
    events.flatMap((event) => (event.type === 'warning' ? [event.text] : [])).join('\n')
  const runId = async (): Promise<string> => {
    await until(async () => (await bench.client.scard(RUNS)) > 0)
    return (await bench.client.smembers(RUNS))[0] ?? ''
  }

  const hasLock = async (): Promise<boolean> =>
    (await bench.client.keys('assay:jobs:*:lock')).length === 1

  it('says so if the workers have another key', TIMEOUT, async () => {
    await bench.serve({ answer: () => 'right' })
    await bench.worker({ key: 'another key of sixteen characters' })
    const events: RunEvent[] = []
    await bench.go('strangers', {
      suites: [fakeSuite(cases(1))],
      trials: 1,
      subjects: await bench.subjects('loop/m'),
      engine: bench.engine(),
      maxWaitMs: 3500,
      onEvent: (event) => void events.push(event),
    })
    expect(warnings(events)).toMatch(
      /1 worker is connected \(\S+\), but it does not take up this run, so 1 trial wait.* ASSAY_QUEUE_KEY is another one/,
    )
  })

  it(
    'renews the locks of trials that began before its coordinator was resumed',
    TIMEOUT,
    async () => {
      await bench.serve({ answer: () => 'right', latencyMs: 2.5 * LOCK_MS })
      await bench.worker()
      const stop = new AbortController()
      const options = async () => ({
        suites: [fakeSuite(cases(1))],
        trials: 1,
        subjects: await bench.subjects('loop/m'),
        engine: bench.engine({ lockMs: LOCK_MS }),
      })
      const first = bench.go('resumed', { ...(await options()), signal: stop.signal, graceMs: 1 })
      await until(() => bench.server?.requests.length === 1)
      stop.abort()
      expect((await first).ended).toBe('interrupted')
      const second = bench.go('resumed', { ...(await options()), resume: true })
      await wait(1.5 * LOCK_MS)
      await until(hasLock)
      expect((await second).ended).toBe('complete')
      expect(bench.server?.requests).toHaveLength(1)
    },
  )

  it('asks nothing twice after Redis was away for longer than a lock', TIMEOUT, async () => {
    await bench.serve({ answer: () => 'right', latencyMs: 2.5 * LOCK_MS })
    await bench.worker()
    await bench.worker()
    const going = bench.go('outage', {
      suites: [fakeSuite(cases(1))],
      trials: 1,
      subjects: await bench.subjects('loop/m'),
      engine: bench.engine({ lockMs: LOCK_MS }),
    })
    await until(() => (bench.server?.requests.length ?? 0) > 0)
    await bench.redis.stop('SIGKILL')
    await wait(1.2 * LOCK_MS)
    await bench.redis.start()
    await until(hasLock)
    const { ended, record } = await going
    expect(ended).toBe('complete')
    expect(bench.server?.requests).toHaveLength(1)
    expect(record.askedAgain).toBeUndefined()
  })

  it(
    'frees the slot at a provider before its coordinator has written the answer',
    TIMEOUT,
    async () => {
      await bench.serve({ answer: () => 'right' })
      await bench.worker({ answering: 1 })
      const isHeld = Promise.withResolvers<void>()
      const options = async () => ({
        suites: [fakeSuite(cases(2))],
        trials: 1,
        parallelism: 1,
        subjects: await bench.subjects('loop/m'),
        engine: bench.engine(),
      })
      // This coordinator writes one result and then takes no more reports.
      const held = bench.go('held', { ...(await options()), ready: () => isHeld.promise })
      await until(() => bench.server?.requests.length === 2)
      const other = await bench.go('other', await options())
      expect(other.ended).toBe('complete')
      isHeld.resolve()
      expect((await held).ended).toBe('complete')
    },
  )

  it('ends after an interrupt while Redis is away, and is completed later', TIMEOUT, async () => {
    await bench.serve({ answer: () => 'right', latencyMs: 300 })
    await bench.worker()
    const stop = new AbortController()
    const events: RunEvent[] = []
    const options = async () => ({
      suites: [fakeSuite(cases(2))],
      trials: 1,
      subjects: await bench.subjects('loop/m'),
      engine: bench.engine({ awayMs: 300 }),
      onEvent: (event: RunEvent) => events.push(event),
    })
    const going = bench.go('away', { ...(await options()), signal: stop.signal, graceMs: 1 })
    await until(() => (bench.server?.requests.length ?? 0) > 0)
    await bench.redis.stop('SIGKILL')
    stop.abort()
    try {
      expect((await going).ended).toBe('interrupted')
      expect(warnings(events)).toContain('Redis does not answer')
    } finally {
      await bench.redis.start()
    }
    const { ended } = await bench.go('away', { ...(await options()), resume: true })
    expect(ended).toBe('complete')
    expect(bench.server?.requests).toHaveLength(2)
  })

  it('goes on within its budget after Redis has lost its data', TIMEOUT, async () => {
    // Each answer has one token and costs 10 cents.
    const prices = '[models."loop/m"]\ninput = 0\noutput = 100000\n'
    const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 }
    await bench.serve({ latencyMs: 20, answer: () => ({ text: 'right', usage }) })
    const file = join(await suiteFolder({ 'prices.toml': prices }), 'prices.toml')
    const [subject] = await makeSubjects({
      subjects: ['loop/m'],
      providers: bench.providers,
      prices: await loadPrices({ file }),
    })
    await bench.worker()
    const recipe = { named: {}, providers: bench.providers, parameters: {}, defaults: {}, prices }
    const events: RunEvent[] = []
    const trials = () => events.filter(({ type }) => type === 'trial').length
    const going = bench.go('lost', {
      suites: [fakeSuite(cases(20).map((one) => ({ ...one, maxTokens: 2 })))],
      subjects: [subject as Subject],
      parallelism: 1,
      budgetUsd: 1,
      engine: bench.engine({ recipe, lockMs: LOCK_MS }),
      onEvent: (event) => events.push(event),
    })
    await until(() => trials() >= 4)
    await bench.client.flushall()
    const result = await going
    expect(result.ended).toBe('budget')
    expect(warnings(events)).toContain('Redis has lost the data of this run')
    expect(trials()).toBeGreaterThan(5)
    expect(result.tally.spentUsd).toBeLessThanOrEqual(1.1)
  })

  it('does not give up on a provider because of a note that is not signed', TIMEOUT, async () => {
    await bench.serve({ answer: () => 'right', latencyMs: 20 })
    const going = bench.go('forged', {
      suites: [fakeSuite(cases(2))],
      trials: 2,
      subjects: await bench.subjects('loop/m'),
      engine: bench.engine(),
    })
    const run = await runId()
    await until(async () => (await bench.client.hlen(runKeys(run).open)) > 0)
    const note = JSON.stringify({ pool: 'loop', code: 'provider-error', text: 'forged' })
    await bench.client.hset(runPoolKeys(run, 'loop').state, 'givenUp', `${'0'.repeat(64)}${note}`)
    await bench.worker()
    const { ended, tally } = await going
    expect(ended).toBe('complete')
    expect(tally.counts().passed).toBe(4)
  })
})
