import { join } from 'node:path'
import { Queue } from 'bullmq'
import type { Subject } from '@assay/contract'
import { describe, expect, it } from 'vitest'
import { fakeSuite } from '../../test/fakes.ts'
import type { ModelRequest } from '../../test/model-server/index.ts'
import { cases, KEY, queueBench, SECRET, TIMEOUT, until } from '../../test/queue/bench.ts'
import { hasRedis, startRedis } from '../../test/queue/redis-server.ts'
import { suiteFolder } from '../../test/suite-folder.ts'
import { graders } from '../grade/index.ts'
import { readTrials } from '../log/index.ts'
import type { RunEvent } from '../run/index.ts'
import { loadPrices, makeSubjects } from '../subject/index.ts'
import { loadSuites } from '../suite/index.ts'
import { cancelRun, inspectQueue, serveHealth, type WorkerEvent } from './index.ts'
import { BULL_PREFIX, laneQueue, RUNS, runKeys } from './redis/keys.ts'
import { signerOf } from './sign.ts'

describe.skipIf(!hasRedis)('a run on a queue', () => {
  const bench = queueBench()
  const worker = bench.worker.bind(bench)
  const serve = bench.serve.bind(bench)
  const engine = bench.engine.bind(bench)
  const subjects = bench.subjects.bind(bench)
  const go = bench.go.bind(bench)
  const report = bench.report.bind(bench)

  const MIXED = `
id = "mixed"

[[cases]]
id = "text"
prompt = "Answer with: right"
reference = "right"
faulty = ["wrong"]
[[cases.graders]]
type = "equals"
value = "right"

[[cases]]
id = "code"
language = "typescript"
prompt = "Write add."
entryPoint = "add"
reference = "export const add = (a: number, b: number): number => a + b"
faulty = ["export const add = (a: number, b: number): number => a - b"]
calls = [{ args = [1, 2], returns = 3 }]

[[cases]]
id = "judged"
prompt = "Write a reply."
reference = "I am sorry."
faulty = ["No."]
[[cases.graders]]
type = "judge"
judges = ["loop/judge"]
rubric = [{ id = "apology", text = "The reply apologises." }]
`
  const judging = ({ prompt }: ModelRequest): string => {
    const key = [...prompt.matchAll(/"key": "([0-9a-f]+)"/gu)].at(-1)?.[1]
    const isMet = prompt.includes('I am sorry')
    return JSON.stringify({ key, criteria: [{ id: 'apology', reason: 'seen', mark: isMet }] })
  }

  it(
    'has the results of local runs, also for two runs at once with code and judges',
    TIMEOUT,
    async () => {
      await serve({ answer: judging })
      const path = join(await suiteFolder({ 'mixed.toml': MIXED }), 'mixed.toml')
      const suites = (await loadSuites([path], { graders })).map(({ suite }) => suite)
      const options = async (seed: number) => ({
        suites,
        seed,
        subjects: await subjects('simulated:pass=0.7'),
        judges: await subjects('loop/judge'),
        trials: 3,
      })
      await worker()
      await worker({ grading: 1 })
      await go('local1', await options(1))
      await go('local2', await options(2))
      const [one, two] = await Promise.all([
        go('one', { ...(await options(1)), engine: engine() }),
        go('two', { ...(await options(2)), engine: engine() }),
      ])
      expect([one.ended, two.ended]).toEqual(['complete', 'complete'])
      expect(await report('one')).toEqual(await report('local1'))
      expect(await report('two')).toEqual(await report('local2'))
    },
  )

  it('holds the limits of a provider over four workers', TIMEOUT, async () => {
    const arrivals: number[] = []
    await serve({
      latencyMs: 60,
      answer: () => {
        arrivals.push(performance.now())
        return 'right'
      },
    })
    for (let i = 0; i < 4; i++) await worker()
    const { ended } = await go('limits', {
      suites: [fakeSuite(cases(40))],
      subjects: await subjects('loop/m'),
      parallelism: 20,
      rate: 100,
      engine: engine(),
    })
    expect(ended).toBe('complete')
    expect(arrivals).toHaveLength(240)
    expect(bench.server?.counts.mostInFlight).toBeLessThanOrEqual(20)
    // Requests wait for their turn in Redis. They may arrive closer together than they were sent, so the whole time is
    // looked at: 240 requests at 100 per second take at least two windows.
    expect((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(2000)
  })

  it('holds back all workers when one is told to wait', TIMEOUT, async () => {
    const sent: number[] = []
    let refusedAt: number | null = null
    await serve({
      script: ({ number }) => (number === 5 ? '429-seconds' : null),
      answer: ({ number }) => {
        sent.push(performance.now())
        if (number === 5) refusedAt = performance.now()
        return 'right'
      },
      latencyMs: ({ number }) => {
        if (number === 5) refusedAt = performance.now()
        return 5
      },
    })
    for (let i = 0; i < 4; i++) await worker()
    const { ended, tally } = await go('refused', {
      suites: [fakeSuite(cases(10))],
      subjects: await subjects('loop/m'),
      parallelism: 2,
      engine: engine(),
    })
    expect(ended).toBe('complete')
    expect(tally.counts().passed).toBe(60)
    // At most the other request that was in flight is answered before the three seconds are over.
    const early = sent.filter(
      (at) => refusedAt !== null && at > refusedAt + 500 && at < refusedAt + 2800,
    )
    expect(early.length).toBeLessThanOrEqual(1)
  })

  it('keeps a budget over all workers', TIMEOUT, async () => {
    // Each answer has one token and costs 5 cents.
    const prices = '[models."loop/m"]\ninput = 0\noutput = 50000\n'
    const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 }
    await serve({ latencyMs: 20, answer: () => ({ text: 'right', usage }) })
    const file = join(await suiteFolder({ 'prices.toml': prices }), 'prices.toml')
    const [subject] = await makeSubjects({
      subjects: ['loop/m'],
      providers: bench.providers,
      prices: await loadPrices({ file }),
    })
    for (let i = 0; i < 4; i++) await worker()
    const recipe = { named: {}, providers: bench.providers, parameters: {}, defaults: {}, prices }
    const result = await go('budget', {
      suites: [fakeSuite(cases(40).map((one) => ({ ...one, maxTokens: 2 })))],
      subjects: [subject as Subject],
      parallelism: 8,
      budgetUsd: 1,
      engine: engine({ recipe }),
    })
    expect(result.ended).toBe('budget')
    expect(result.budget?.limitUsd).toBe(1)
    expect(result.tally.spentUsd).toBeGreaterThan(0.5)
    expect(result.tally.spentUsd).toBeLessThanOrEqual(1 + 8 * 0.05)
  })

  it('puts no key and no variable into Redis, and leaves no prompt in it', TIMEOUT, async () => {
    // The answer quotes the key, as a careless model might.
    await serve({ answer: () => `right ${SECRET}` })
    process.env['SOME_VARIABLE'] = 'a value of the environment'
    const monitor = await bench.client.monitor()
    const seen: string[] = []
    monitor.on('monitor', (_time: string, args: string[]) => seen.push(args.join(' ')))
    await worker()
    await go('secret', { subjects: await subjects('loop/m'), engine: engine(), maxErrors: 1 })
    monitor.disconnect()
    delete process.env['SOME_VARIABLE']
    const traffic = seen.join('\n')
    expect(traffic).toContain('Question 1')
    expect(traffic).not.toContain(SECRET)
    expect(traffic).not.toContain('a value of the environment')
    expect(traffic).not.toContain(KEY)
    for (const key of await bench.client.keys('*')) {
      const dump = (await bench.client.dumpBuffer(key))?.toString('latin1') ?? ''
      expect(`${key} ${dump}`).not.toContain('Question')
    }
    // A worker that looked for work in the last moment makes keys that are gone soon.
    await until(async () =>
      (await bench.client.keys('assay:run:*')).every((key) => /:(?:pool|leases):/u.test(key)),
    )
  })

  it(
    'executes nothing that is not signed, was moved, or belongs to another run',
    TIMEOUT,
    async () => {
      await serve({ answer: () => 'right', latencyMs: 200 })
      const events: WorkerEvent[] = []
      const one = await worker({ onEvent: (event) => events.push(event), answering: 2 })
      const going = go('signed', {
        subjects: await subjects('loop/m'),
        engine: engine({ lockMs: 2000 }),
      })
      let runId = ''
      await until(async () => {
        runId = (await bench.client.smembers(RUNS))[0] ?? ''
        return runId !== '' && (await bench.client.hlen(runKeys(runId).open)) > 0
      })
      const head = signerOf(KEY).open(
        'run',
        runId,
        (await bench.client.hget(runKeys(runId).run, 'head')) ?? '',
      )
      const [lane] = (head as { lanes: { id: string }[] }).lanes
      const connection = bench.client.duplicate()
      const queue = new Queue(laneQueue(runId, lane?.id ?? ''), {
        connection,
        prefix: BULL_PREFIX,
      })
      const open = Object.entries(await bench.client.hgetall(runKeys(runId).open))[0] as [
        string,
        string,
      ]
      const [k, n] = open
      const job = {
        k,
        n,
        lane: lane?.id,
        suite: 's',
        case: 'c',
        subject: 'x',
        index: 0,
        caseHash: '',
        timeoutMs: 1,
      }
      const other = signerOf('another key of sixteen characters')
      for (const [id, s] of Object.entries({
        unsigned: JSON.stringify(job),
        otherKey: other.sign('job', runId, { ...job, k: 'otherKey' }),
        otherRun: signerOf(KEY).sign('job', 'earlier', { ...job, k: 'otherRun' }),
        otherPurpose: signerOf(KEY).sign('answer', runId, { ...job, k: 'otherPurpose' }),
        moved: signerOf(KEY).sign('job', runId, job),
        shapeless: signerOf(KEY).sign('job', runId, [1, 2, 3]),
      }))
        await queue.add('trial', { s }, { jobId: id, removeOnFail: true, lifo: true })
      await queue.add('trial', null as never, { jobId: 'empty', lifo: true })
      await queue.add('trial', { s: { deep: [] } }, { jobId: 'deep', lifo: true })
      const result = await going
      await queue.close()
      connection.disconnect()
      expect(result.tally.counts().passed).toBe(30)
      expect(bench.server?.requests).toHaveLength(30)
      expect(one.state.refused).toBeGreaterThanOrEqual(8)
      expect(events.filter(({ type }) => type === 'refused')).not.toHaveLength(0)
    },
  )

  it('does not execute an earlier run that is put into Redis once more', TIMEOUT, async () => {
    await serve({ answer: () => 'right' })
    const events: WorkerEvent[] = []
    await worker({ onEvent: (event) => events.push(event) })
    const signer = signerOf(KEY)
    const run1 = 'earlier'
    const at = Date.now() - 3_600_000
    const head = signer.sign('run', run1, {})
    const { sha256 } = await import('./messages.ts')
    await bench.client.hset(
      runKeys(run1).run,
      'head',
      head,
      'beat',
      signer.sign('beat', run1, { at, state: 'running', head: sha256(head) }),
    )
    await bench.client.sadd(RUNS, run1)
    await until(() => events.some(({ type }) => type === 'refused'))
    expect(bench.server?.requests).toEqual([])
  })

  it('says within seconds what no worker can do, and goes on with the rest', TIMEOUT, async () => {
    await serve({ answer: () => 'right' })
    const events: RunEvent[] = []
    await worker()
    const stop = new AbortController()
    const all = await subjects('loop/m', 'simulated:pass=1')
    delete process.env['LOOP_KEY']
    const going = go('stuck', {
      subjects: all,
      engine: engine(),
      signal: stop.signal,
      onEvent: (event) => events.push(event),
    })
    const texts = (): string =>
      events.flatMap((event) => (event.type === 'warning' ? [event.text] : [])).join('\n')
    await until(() => texts().includes('LOOP_KEY'))
    await until(() => events.filter(({ type }) => type === 'trial').length === 30)
    const view = await inspectQueue(bench.redis.url, KEY)
    process.env['LOOP_KEY'] = SECRET
    expect(view.runs[0]?.stuck[0]).toMatchObject({ subject: 'loop/m' })
    expect(view.workers).toHaveLength(1)
    process.env['LOOP_KEY'] = SECRET
    expect(await cancelRun(bench.redis.url, 'test', { key: KEY })).toEqual({
      name: 'test',
      byCoordinator: true,
    })
    expect((await going).ended).toBe('interrupted')
  })

  it(
    'collects in the next session what workers finish after an interrupt, and asks for nothing twice',
    TIMEOUT,
    async () => {
      await serve({ answer: () => 'right', latencyMs: 300 })
      await worker()
      const stop = new AbortController()
      const first = await go('paused', {
        subjects: await subjects('loop/m'),
        engine: engine(),
        signal: stop.signal,
        graceMs: 1,
        parallelism: 4,
        onEvent: ({ type }) => {
          if (type === 'trial') stop.abort()
        },
      })
      expect(first.ended).toBe('interrupted')
      const second = await go('paused', {
        subjects: await subjects('loop/m'),
        engine: engine(),
        resume: true,
      })
      expect(second.ended).toBe('complete')
      const seen = new Set<string>()
      let lines = 0
      await readTrials(join(bench.folder, 'paused'), ({ case: id, index }) => {
        lines++
        seen.add(`${id} ${index}`)
      })
      expect([lines, seen.size]).toEqual([30, 30])
      expect(bench.server?.requests).toHaveLength(30)
    },
  )

  it('answers probes and Prometheus', TIMEOUT, async () => {
    const one = await worker()
    const health = await serveHealth(one, { port: 0, host: '127.0.0.1' })
    await go('metrics', { engine: engine() })
    const text = async (path: string): Promise<[number, string]> => {
      const reply = await fetch(`${health.address}${path}`)
      return [reply.status, await reply.text()]
    }
    expect(await text('/health')).toEqual([200, 'ok\n'])
    expect(await text('/ready')).toEqual([200, 'ok\n'])
    await until(async () => /outcome="passed"\} [1-9]/u.test((await text('/metrics'))[1]))
    expect((await text('/nothing'))[0]).toBe(404)
    await one.drain()
    expect(await text('/ready')).toEqual([503, 'draining\n'])
    await health.close()
  })

  it('warns of a Redis that may lose jobs', TIMEOUT, async () => {
    const weak = await startRedis({
      args: ['--appendonly', 'no', '--maxmemory-policy', 'allkeys-lru'],
    })
    try {
      const view = await inspectQueue(weak.url, KEY)
      expect(view.warnings.join('\n')).toMatch(/allkeys-lru[^]*append-only/u)
    } finally {
      await weak.remove()
    }
  })

  it('refuses an address where nothing answers, and says what to do', TIMEOUT, async () => {
    await expect(inspectQueue('redis://127.0.0.1:1', KEY)).rejects.toThrow(
      /cannot use the Redis at/u,
    )
    await expect(inspectQueue('http://localhost', KEY)).rejects.toThrow(/redis:\/\/HOST:PORT/u)
  })
})
