/** An agent that is run again from its recorded traffic, without its provider. */
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Case, Subject, Trajectory, Trial } from '@assay/contract'
import { hasBubblewrap } from '../../../sandbox/test/sandboxed.ts'
import { fakeCase, fakeSuite } from '../../test/fakes.ts'
import { startRawProvider, type RawProvider } from '../../test/raw-provider.ts'
import { Blobs, readTrials } from '../log/index.ts'
import { makeSubjects, type Prices } from '../subject/index.ts'
import { run } from './run.ts'

const KEY = 'sk-real-0123456789abcdef'
const SECRET = 'password-of-the-agent-0123'

const prices: Prices = {
  source: { catalogue: { name: 'test', version: '0' }, file: null },
  cost: (_, usage) => (usage.input + 10 * usage.output) / 10_000,
  price: () => null,
}

/** Does what its model says, with the date and a random id in each request, as real agents have. */
const AGENT = `
const fs = require('node:fs'), { execFileSync } = require('node:child_process'), crypto = require('node:crypto')
const { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: key, SOME_SECRET: secret } = process.env
const say = (event) => console.log(JSON.stringify(event))
const messages = [{ role: 'user', content: fs.readFileSync(0, 'utf8') }]
;(async () => {
  for (;;) {
    const reply = await fetch(base + '/v1/messages', {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: JSON.stringify({ model: 'claude-x', stream: true, system: 'Now is ' + new Date().toISOString() + ', ' + secret, metadata: { user_id: crypto.randomUUID() }, messages }),
    })
    const events = (await reply.text()).split('\\n').filter((line) => line.startsWith('data:')).map((line) => JSON.parse(line.slice(5)))
    const calls = events.filter(({ type }) => type === 'content_block_start').map(({ content_block }) => content_block).filter(({ type }) => type === 'tool_use')
    messages.push({ role: 'assistant', content: calls })
    if (calls.length === 0) break
    messages.push({ role: 'user', content: calls.map(({ id, name, input }) => {
      say({ type: 'tool-call', id, name, args: input })
      const text = execFileSync('/bin/sh', ['-c', input.command], { encoding: 'utf8' })
      say({ type: 'tool-result', id, text })
      return { type: 'tool_result', tool_use_id: id, content: text }
    }) })
  }
  say({ type: 'done', answer: 'done' })
})()
`

/** Says in which network the agent is. A clock makes the results of two trials differ. */
const LOOKS = 'cat file.txt; readlink /proc/self/ns/net; date +%N'

let outer: string
let provider: RawProvider

const event = (json: unknown): string => `data: ${JSON.stringify(json)}\n\n`
const replyTo = (asked: number): string[] => [
  event({ type: 'message_start', message: { usage: { input_tokens: 100, output_tokens: 1 } } }),
  ...(asked > 1
    ? []
    : [
        event({
          type: 'content_block_start',
          index: 0,
          content_block: {
            type: 'tool_use',
            id: `t${asked}`,
            name: 'Bash',
            input: { command: asked === 0 ? 'echo hello > file.txt' : LOOKS },
          },
        }),
      ]),
  event({ type: 'message_delta', usage: { output_tokens: 10 } }),
  event({ type: 'message_stop' }),
]

beforeEach(async () => {
  outer = mkdtempSync(join(tmpdir(), 'assay-replay-agent-'))
  writeFileSync(join(outer, 'agent.cjs'), AGENT)
  provider = await startRawProvider(({ body }) => {
    const { messages } = JSON.parse(body.toString('utf8')) as { messages: unknown[] }
    const headers = { 'content-type': 'text/event-stream' }
    return { headers, chunks: replyTo((messages.length - 1) / 2) }
  })
})
afterEach(async () => {
  await provider.close()
  rmSync(outer, { recursive: true, force: true })
})

const asked = (id: string, prompt: string): Case =>
  fakeCase(id, {
    turns: [prompt],
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
        type: 'tool-calls',
        name: 'tool-calls',
        weight: 1,
        required: false,
        negate: false,
        options: { expected: [{ name: 'Bash', args: { command: { contains: 'hello' } } }] },
      },
    ],
  })

const subjectOf = async (id: string, env: Record<string, string>): Promise<Subject> => {
  const [subject] = await makeSubjects({
    subjects: [id],
    named: {
      agent: {
        command: [process.execPath, './agent.cjs'],
        events: 'assay',
        env: { ...env, SOME_SECRET: SECRET },
      },
    },
    folder: outer,
    prices,
  })
  return subject as Subject
}

async function trialOf(name: string, subject: Subject, one: Case, recordTraffic = false) {
  const folder = join(outer, name)
  const warnings: string[] = []
  await run({
    suites: [fakeSuite([one])],
    subjects: [subject],
    folder,
    trials: 1,
    maxErrors: 1,
    recordTraffic,
    onEvent: (told) => {
      if (told.type === 'warning') warnings.push(told.text)
    },
  })
  await subject.close()
  const trials: Trial[] = []
  await readTrials(folder, (trial) => trials.push(trial))
  const [trial] = trials as [Trial]
  const text = trial.trajectory ?? '{}'
  const read = await new Blobs(join(folder, 'blobs')).read(text)
  return { folder, trial, trajectory: JSON.parse(read) as Trajectory, warnings }
}

/** The steps without their times, and without what `date` printed. */
const stepsOf = ({ steps }: Trajectory) =>
  steps.map((step) => ({
    ...step,
    at: 0,
    ...('ms' in step ? { ms: 0, result: step.result?.split('\n')[0] } : {}),
  }))

describe.skipIf(!hasBubblewrap)('an agent with recorded traffic', () => {
  it('acts again as it did, offline and for nothing, and a changed prompt is told where it is', async () => {
    const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: provider.origin }
    const recorded = await trialOf(
      'recorded',
      await subjectOf('agent', env),
      asked('a', 'go'),
      true,
    )
    expect(recorded.trial).toMatchObject({ outcome: 'passed', source: 'live' })
    const blobs = readdirSync(recorded.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      .join('\n')
    expect(blobs).not.toContain(KEY)
    expect(blobs).not.toContain(SECRET)
    const { length } = provider.requests
    await provider.close()

    const id = `replay-agent:${recorded.folder}#agent`
    const again = await trialOf('again', await subjectOf(id, {}), asked('a', 'go'))
    expect(again.trial).toMatchObject({
      outcome: 'passed',
      source: 'replay',
      subject: id,
      usage: recorded.trial.usage,
      cost: { answerUsd: recorded.trial.cost.answerUsd, spentUsd: 0 },
      time: { answerMs: recorded.trial.time.answerMs },
      gateway: [{ model: 'claude-x', requests: 3, usd: recorded.trial.cost.answerUsd }],
    })
    expect(again.trial.grades).toEqual(recorded.trial.grades)
    expect(stepsOf(again.trajectory)).toEqual(stepsOf(recorded.trajectory))
    expect(again.trial.diff).toEqual(recorded.trial.diff)
    const networkIn = ({ steps }: Trajectory): string | undefined =>
      steps.flatMap((step) => ('result' in step ? (step.result?.split('\n') ?? []) : []))[2]
    const own = readlinkSync('/proc/self/ns/net')
    expect([recorded.trial.network, networkIn(recorded.trajectory)]).toEqual(['open', own])
    expect(again.trial.network).toBe('none')
    expect(networkIn(again.trajectory)).toMatch(/^net:\[\d+\]$/)
    expect(networkIn(again.trajectory)).not.toBe(own)
    // The clock printed another time, which the model was told.
    expect(again.trial.remarks?.join()).toMatch(
      /^replay: request 3 differs from the recorded one at messages\[4\]\.content\[0\]\.content: recorded /,
    )
    expect(again.warnings.join()).toContain('request 3 differs')

    const changed = await trialOf('changed', await subjectOf(id, {}), asked('a', 'stop'))
    expect(changed.trial).toMatchObject({
      outcome: 'errored',
      source: 'replay',
      reason: {
        code: 'no-answer',
        text: `${id}: request 1 differs from the recorded one at messages[0].content: recorded "go", now "stop"`,
      },
    })
    const other = await trialOf('other', await subjectOf(id, {}), asked('b', 'go'))
    expect(other.trial.reason?.text).toContain('has no recorded traffic for trial 0 of b')
    expect(provider.requests).toHaveLength(length)
  })

  it('is refused before the run if there is none, or if it names no agent', async () => {
    const { folder } = await trialOf('plain', await subjectOf('agent', {}), asked('a', 'go'), true)
    await expect(subjectOf(`replay-agent:${folder}#agent`, {})).rejects.toThrow(
      'run it with --record',
    )
    await expect(subjectOf(`replay-agent:${folder}#other`, {})).rejects.toThrow(
      'there is no subject',
    )
    await expect(subjectOf(`replay-agent:${folder}`, {})).rejects.toThrow('names no agent')
    await expect(subjectOf(`replay-agent:${outer}/x#agent`, {})).rejects.toThrow('there is no run')
  })
})
