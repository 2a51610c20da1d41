/**
 * Measures what the gateway costs. First, the processor time of an agent's trial behind the gateway, in a network
 * namespace of its own, against the same trial that asks its provider directly; both take turns, each in its own
 * process and control group. Second, the latency that the gateway adds to a request, and how many requests pass in a
 * second. The provider is on loopback and not part of the measured time. Run it with `npm run bench:gateway [trials]`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeCase, fakeSuite } from '../packages/assay/test/fakes.ts'
import { startRawProvider } from '../packages/assay/test/raw-provider.ts'
import { planOf } from '../packages/assay/test/workspaces.ts'
import { Gateway } from '../packages/assay/src/subject/gateway/gateway.ts'
import { upstreamsOf } from '../packages/assay/src/subject/gateway/route.ts'
import { Group } from './cpu.ts'

const TRIALS = 40
const ROUNDS = 3
const PARALLELISM = 8
const REQUESTS = 1000
const AT_ONCE = 16
const LIMIT_MS = 600_000
const KEY = 'sk-bench-0123456789abcdef'
const REPLY = JSON.stringify({
  content: [{ type: 'text', text: 'yes' }],
  usage: { input_tokens: 100, output_tokens: 10 },
})

/** A scripted agent that asks its model three times. */
const AGENT = `
const { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: key } = process.env
;(async () => {
  for (let i = 0; i < 3; i++)
    await (await fetch(base + '/v1/messages', {
      method: 'POST', headers: { 'x-api-key': key }, body: JSON.stringify({ model: 'claude-x', messages: [] }),
    })).text()
  console.log('yes')
})()
`

type Way = 'with' | 'without'

async function runTrials(way: Way, trials: number, folder: string, origin: string): Promise<void> {
  const { makeSubjects, run } = await import('assay')
  const subjects = await makeSubjects({
    subjects: ['agent'],
    named: {
      agent: {
        command: [process.execPath, './agent.cjs'],
        env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: origin },
        gateway: way === 'with',
      },
    },
    folder,
  })
  const one = fakeCase('ask', {
    workspace: planOf({ network: way === 'with' ? 'none' : 'open' }),
    graders: [
      {
        type: 'contains',
        name: 'contains',
        weight: 1,
        required: false,
        negate: false,
        options: { value: 'yes', ignoreCase: false },
      },
    ],
  })
  const { tally } = await run({
    suites: [fakeSuite([one])],
    subjects: subjects.map((subject) => ({
      ...subject,
      concurrency: { start: PARALLELISM, most: PARALLELISM },
    })),
    folder: join(folder, 'run'),
    trials,
    parallelism: PARALLELISM,
    sandbox: 'bubblewrap',
  })
  for (const subject of subjects) await subject.close()
  if (tally.counts().passed !== trials) throw new Error(JSON.stringify(tally.counts()))
}

async function cpuOf(way: Way, trials: number, origin: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const group = new Group()
  try {
    writeFileSync(join(folder, 'agent.cjs'), AGENT)
    const spent = await group.run({
      argv: [process.execPath, import.meta.filename, 'inside', way, String(trials), folder, origin],
      cwd: process.cwd(),
      limitMs: LIMIT_MS,
    })
    if (!spent.ok) throw new Error(`the run failed:\n${spent.said}`)
    return spent.cpuMs
  } finally {
    await group.close()
    rmSync(folder, { recursive: true })
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function measureTrials(trials: number): Promise<void> {
  const provider = await startRawProvider(() => ({
    headers: { 'content-type': 'application/json' },
    chunks: [REPLY],
  }))
  try {
    const differences: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const order: Way[] = round % 2 === 0 ? ['with', 'without'] : ['without', 'with']
      const cpu: Record<Way, number> = { with: 0, without: 0 }
      for (const way of order) cpu[way] = await cpuOf(way, trials, provider.origin)
      const each = (ms: number): string => (ms / trials).toFixed(1)
      differences.push((cpu.with - cpu.without) / trials)
      console.log(
        `${trials} trials, parallelism ${PARALLELISM}: ${each(cpu.with)} ms CPU each behind the gateway, ${each(cpu.without)} ms without`,
      )
    }
    console.log(`overhead of a trial: ${median(differences).toFixed(1)} ms CPU (median)`)
  } finally {
    await provider.close()
  }
}

async function measureRequests(): Promise<void> {
  const server = http.createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(REPLY)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` }
  const gateway = new Gateway(upstreamsOf(['anthropic'], env), env, () => () => 0.01)
  const opened = await gateway.open({
    limits: null,
    requests: undefined,
    now: () => performance.now(),
    stop: () => {},
  })
  const agent = new http.Agent({ keepAlive: true })
  const ask = async (base: string, key: string): Promise<number> => {
    const from = performance.now()
    await new Promise<void>((resolve, reject) => {
      const request = http.request(
        `${base}/v1/messages`,
        { method: 'POST', agent, headers: { 'x-api-key': key } },
        (reply) => reply.resume().on('end', resolve),
      )
      request.on('error', reject)
      request.end('{"model":"claude-x","messages":[]}')
    })
    return performance.now() - from
  }
  const direct = (): Promise<number> => ask(env.ANTHROPIC_BASE_URL, KEY)
  const through = (): Promise<number> =>
    ask(opened.env['ANTHROPIC_BASE_URL'] ?? '', opened.env['ANTHROPIC_API_KEY'] ?? '')
  for (let i = 0; i < 100; i++) await Promise.all([direct(), through()])
  const times: [number[], number[]] = [[], []]
  for (let i = 0; i < REQUESTS; i++) {
    times[0].push(await direct())
    times[1].push(await through())
  }
  const [without, with_] = times.map(median) as [number, number]
  console.log(
    `latency, median of ${REQUESTS}: ${with_.toFixed(2)} ms through the gateway, ${without.toFixed(2)} ms directly, ${(with_ - without).toFixed(2)} ms added`,
  )
  for (const [name, one] of [
    ['directly', direct],
    ['through the gateway', through],
  ] as const) {
    const from = performance.now()
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let i = 0; i < REQUESTS / 4; i++) await one()
      }),
    )
    const perSecond = (AT_ONCE * (REQUESTS / 4)) / ((performance.now() - from) / 1000)
    console.log(`${AT_ONCE} at once: ${perSecond.toFixed(0)} requests per second ${name}`)
  }
  agent.destroy()
  await opened.close()
  await gateway.close()
  server.close()
}

const [first, ...rest] = process.argv.slice(2)
if (first === 'inside') {
  const [way, trials, folder = '', origin = ''] = rest
  await runTrials(way as Way, Number(trials), folder, origin)
} else {
  await measureRequests()
  await measureTrials(Number(first ?? TRIALS))
}
