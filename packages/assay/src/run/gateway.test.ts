/** Agents whose requests go through the gateway, in whole runs: a script in the sandbox asks a scripted provider. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasBubblewrap } from '../../../sandbox/test/sandboxed.ts'
import { fakeCase, fakeSuite } from '../../test/fakes.ts'
import { startRawProvider, type RawAnswer, type RawProvider } from '../../test/raw-provider.ts'
import type { AgentLimits, Case, Subject, Trajectory, Trial } from '@assay/contract'
import { Blobs, readTrials } from '../log/index.ts'
import { commandSubject, modelSubject, type Prices } from '../subject/index.ts'
import { run } from './run.ts'
import type { RunOptions } from './run-options.ts'

const KEY = 'sk-real-0123456789abcdef'
const USAGE = { input_tokens: 100, output_tokens: 10 }
/** An answer costs two cents. */
const USD = 0.02
const prices: Prices = {
  source: { catalogue: { name: 'test', version: '0' }, file: null },
  cost: (_, usage) => (usage.input + 10 * usage.output) / 10_000,
  price: () => null,
}

/**
 * Asks its model as often as the prompt says, then prints what is in its environment. `lie` prints another usage than
 * the real one, `quit` ends with an error.
 */
const AGENT = `
const [times, ...words] = require('node:fs').readFileSync(0, 'utf8').trim().split(' ')
const { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: key } = process.env
;(async () => {
  const told = []
  for (let i = 0; i < Number(times); i++) {
    const reply = await fetch(base + '/v1/messages', {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'claude-x', messages: [] }),
    })
    told.push(reply.status)
  }
  if (words.includes('lie'))
    console.log(JSON.stringify({ type: 'usage', model: 'claude-x', input: 1, output: 1, usd: 0.000001 }))
  console.log(JSON.stringify({ type: 'message', text: told.join() + ' ' + JSON.stringify(process.env) }))
  if (words.includes('quit')) process.exit(1)
})()
`

let outer: string
let provider: RawProvider
let answers: (number: number) => RawAnswer

const whole: RawAnswer = {
  headers: { 'content-type': 'application/json' },
  chunks: [
    JSON.stringify({
      content: [{ type: 'text', text: 'yes' }],
      usage: USAGE,
      stop_reason: 'end_turn',
      role: 'assistant',
      type: 'message',
      id: 'm',
      model: 'claude-x',
    }),
  ],
}

beforeEach(async () => {
  outer = mkdtempSync(join(tmpdir(), 'assay-gateway-'))
  writeFileSync(join(outer, 'agent.cjs'), AGENT)
  answers = () => whole
  provider = await startRawProvider((_, number) => answers(number))
})
afterEach(async () => {
  await provider.close()
  rmSync(outer, { recursive: true, force: true })
})

const agent = (change: Partial<Parameters<typeof commandSubject>[0]> = {}): Subject =>
  commandSubject({
    id: 'agent',
    argv: [process.execPath, './agent.cjs'],
    folder: outer,
    events: 'assay',
    env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: provider.origin },
    prices: async () => prices,
    ...change,
  })

const asked = (id: string, prompt: string, limits: Partial<AgentLimits> = {}): Case =>
  fakeCase(id, {
    turns: [prompt],
    limits: { turns: null, toolCalls: null, tokens: null, usd: null, ...limits },
    workspace: {
      git: null,
      folder: null,
      setup: [],
      setupTimeoutMs: 20_000,
      ignore: [],
      protect: [],
      hidden: {},
    },
    graders: [
      {
        type: 'contains',
        name: 'contains',
        weight: 1,
        required: false,
        negate: false,
        options: { value: '200', ignoreCase: false },
      },
    ],
  })

async function trialsOf(cases: readonly Case[], change: Partial<RunOptions> = {}) {
  const folder = join(outer, 'run')
  const { ended } = await run({
    suites: [fakeSuite(cases)],
    subjects: [agent()],
    folder,
    trials: 1,
    maxErrors: 1,
    ...change,
  })
  const trials: Trial[] = []
  await readTrials(folder, (trial) => trials.push(trial))
  return { ended, folder, trials: trials.toSorted((a, b) => (a.case < b.case ? -1 : 1)) }
}

const textsIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

describe.skipIf(!hasBubblewrap)('an agent behind the gateway', () => {
  it('never has the key, and its figures are the provider’s, whatever it says', async () => {
    const { trials, folder } = await trialsOf([asked('honest', '2'), asked('liar', '2 lie')])
    for (const trial of trials) {
      expect(trial).toMatchObject({
        outcome: 'passed',
        usage: { input: 200, output: 20 },
        cost: { answerUsd: 2 * USD, spentUsd: 2 * USD },
        gateway: [{ model: 'claude-x', requests: 2, refused: 0, usd: 2 * USD }],
      })
    }
    expect(trials[1]).toMatchObject({ claimed: { usage: { input: 1, output: 1 }, usd: 0.000001 } })
    expect(provider.requests.map(({ headers }) => headers['x-api-key'])).toEqual(Array(4).fill(KEY))
    expect(textsIn(folder)).not.toContain(KEY)
    const blobs = new Blobs(join(folder, 'blobs'))
    const trajectory = JSON.parse(await blobs.read(trials[1]?.trajectory ?? '')) as Trajectory
    expect(trajectory.requests).toHaveLength(2)
    expect(trajectory.oddities.join()).toContain(
      'the agent reports 2 tokens, and its provider reported 220 to the gateway, which count',
    )
  })

  it('has failed by its exit code while its provider answers', async () => {
    const { trials } = await trialsOf([asked('a', '1 quit')])
    expect(trials).toMatchObject([{ outcome: 'failed', gateway: [{ requests: 1, refused: 0 }] }])
  })

  it('is errored where its provider refuses the key, whatever its exit code', async () => {
    const headers = { 'content-type': 'application/json' }
    answers = () => ({ status: 401, headers, chunks: ['{}'] })
    const { trials } = await trialsOf([asked('a', '1'), asked('b', '1 quit')])
    expect(trials.map(({ outcome, reason }) => [outcome, reason?.code])).toEqual([
      ['errored', 'request-refused'],
      ['errored', 'request-refused'],
    ])
  })

  it('is stopped at the request that exceeds a limit', async () => {
    const { trials } = await trialsOf([
      asked('dollars', '50', { usd: 0.05 }),
      asked('tokens', '50', { tokens: 200 }),
      asked('turns', '50', { turns: 2 }),
    ])
    expect(
      trials.map(({ outcome, reason, gateway }) => [outcome, reason?.code, gateway?.[0]?.requests]),
    ).toEqual([
      ['failed', 'over-limit', 3],
      ['failed', 'over-limit', 2],
      ['failed', 'over-limit', 2],
    ])
  })

  it('shares the budget of the run, request by request', async () => {
    const { ended, trials } = await trialsOf(
      [asked('a', '50', { usd: 5 }), asked('b', '50', { usd: 5 })],
      {
        budgetUsd: 0.1,
        parallelism: 1,
      },
    )
    expect(ended).toBe('budget')
    expect(trials).toEqual([])
    expect(provider.requests).toHaveLength(5)
  })

  it('shares the slots of its provider with plain models', async () => {
    let inFlight = 0
    let most = 0
    await provider.close()
    provider = await startRawProvider(async () => {
      most = Math.max(most, ++inFlight)
      await new Promise((resolve) => setTimeout(resolve, 15))
      inFlight--
      return whole
    })
    const model = modelSubject({
      model: 'anthropic/claude-x',
      prices,
      baseUrl: `${provider.origin}/v1`,
      env: { ANTHROPIC_API_KEY: KEY },
    })
    const { ended } = await trialsOf([asked('a', '4'), asked('b', '4')], {
      subjects: [agent(), model],
      parallelism: 2,
    })
    expect(ended).toBe('complete')
    expect(provider.requests).toHaveLength(10)
    expect(most).toBeLessThanOrEqual(2)
  })
})
