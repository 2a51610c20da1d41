import { describe, expect, it } from 'vitest'
import { fakeDiff } from '../../../test/fakes.ts'
import { fakeWorkspace, type FakeRun, type FakeWorkspace } from '../../../test/fake-workspace.ts'
import { testAsk, testCase } from '../../../test/ask.ts'
import { SubjectError, WorkspaceTooLarge, type AgentLimits, type Ask } from '@assay/contract'
import { maskedAnswer } from '../../log/index.ts'
import type { AgentKind } from './agent-kind.ts'
import { assayReader } from './own-command/assay-events.ts'
import { runAgent } from './run-agent.ts'
import type { AgentRun } from './trial/agent-run.ts'

/** An agent that prints events in Assay's own format. */
const kind: AgentKind = {
  name: 'scripted',
  title: 'Scripted',
  program: 'scripted',
  install: '',
  provider: 'anthropic',
  passEnv: [],
  env: {},
  skills: { where: 'home', path: '.scripted/skills' },
  files: () => [{ where: 'home', path: 'settings.json', text: '{}' }],
  start: ({ prompt, session }) => ({
    args: session === null ? ['go'] : ['go', '--resume', session],
    input: prompt,
  }),
  gateway: () => [],
  reader: assayReader,
}

const driven: AgentRun = {
  id: 'agent',
  kind,
  found: { argv: ['/opt/scripted'], reads: ['/opt'] },
  around: { env: { A: 'b' }, reads: ['/opt'], secrets: [] },
  settings: { model: null, args: [], mcpServers: {} },
  laid: { skills: ['/skills/tidy'], files: { 'AGENTS.md': { text: 'Be kind.' } } },
  price: (_, usage) => usage.output / 100,
  gateway: null,
  isCommand: false,
  needsSession: true,
  timeoutMs: null,
}

const NOTHING = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 }

const line = (event: object): string => `${JSON.stringify(event)}\n`
const say = (text: string): string => line({ type: 'message', text })
const used = (output: number): string => line({ type: 'usage', model: 'm', output })
const SESSION = line({ type: 'session', id: 's-1' })
const DONE = line({ type: 'done' })

const drive = (
  workspace: FakeWorkspace,
  ask: Partial<Ask> = {},
  change: Partial<AgentRun> = {},
) => {
  const asked = testAsk({ openWorkspace: async () => workspace, ...ask })
  return runAgent({ ...driven, ...change }, asked, asked.signal)
}

const driveRuns = (
  runs: readonly FakeRun[],
  ask: Partial<Ask> = {},
  change: Partial<AgentRun> = {},
) => drive(fakeWorkspace(runs), ask, change)

const failureOf = (answer: Promise<unknown>): Promise<unknown> =>
  answer.catch((error: unknown) => error)

const turns = (...prompts: string[]): Partial<Ask> => ({
  messages: prompts.map((content) => ({ role: 'user' as const, content })),
})

const limited = (limits: Partial<AgentLimits>): Partial<Ask> => ({
  case: testCase({ limits: { turns: null, toolCalls: null, tokens: null, usd: null, ...limits } }),
})

describe('a trial of an agent', () => {
  it('starts the program in its workspace and answers with all that came of it', async () => {
    const diff = fakeDiff({ 'a.txt': 'x\n' })
    const prints = [SESSION, say('On it.'), used(5), say('Done.'), used(7), DONE]
    const workspace = fakeWorkspace([{ prints }], () => diff)
    const answer = await drive(workspace)
    expect(workspace.ran).toMatchObject([
      {
        argv: ['/opt/scripted', 'go'],
        input: 'What is 2 + 2?',
        env: { A: 'b' },
        reads: ['/opt'],
      },
    ])
    expect(answer).toMatchObject({
      text: 'Done.',
      stop: 'end',
      usage: { output: 12 },
      usd: expect.closeTo(0.12, 12),
      stream: prints.join(''),
      diff,
      trajectory: { format: 'assay', turns: 2, usdFrom: 'priced', complete: true },
    })
    expect(answer.trajectory?.steps.map(({ kind: what }) => what)).toEqual([
      'message',
      'message',
      'message',
    ])
    expect(answer).not.toHaveProperty('note')
    expect(workspace.closed).toBe(1)
  })

  it('lays skills, files and settings first', async () => {
    const workspace = fakeWorkspace([{ prints: [DONE] }])
    await drive(workspace)
    expect(Object.fromEntries(workspace.laid)).toEqual({
      'home:.scripted/skills/tidy': { from: '/skills/tidy' },
      'folder:AGENTS.md': { text: 'Be kind.' },
      'home:settings.json': { text: '{}' },
    })
  })

  it('goes on with the session in later turns, and stops where there is none', async () => {
    const workspace = fakeWorkspace([
      { prints: [SESSION, say('one'), used(1), DONE] },
      { prints: [say('two'), used(2), DONE] },
    ])
    const answer = await drive(workspace, turns('first', 'second'))
    expect(workspace.ran.map(({ argv, input }) => [argv.slice(1), input])).toEqual([
      [['go'], 'first'],
      [['go', '--resume', 's-1'], 'second'],
    ])
    expect(answer).toMatchObject({ text: 'two', stop: 'end', usage: { output: 3 } })
    expect(answer.trajectory?.steps.map(({ turn }) => turn)).toEqual([0, 0, 1, 1])

    expect(await driveRuns([{ prints: [say('one'), DONE] }], turns('a', 'b', 'c'))).toMatchObject({
      text: 'one',
      stop: 'exit',
      note: 'told no session to go on with, so turn 2 of 3 could not be asked',
    })
  })

  it('reads lines wherever the output is cut, and says which were too long', async () => {
    const bytes = Buffer.from(say('grüße 😀') + DONE)
    const prints = [...bytes].map((byte) => Buffer.from([byte]))
    expect(await driveRuns([{ prints }])).toMatchObject({ text: 'grüße 😀', stop: 'end' })
    const long = await driveRuns([{ prints: ['x'.repeat(9 * 1024 * 1024), '\n', DONE] }])
    expect(long.trajectory?.oddities).toContain('1 line is too long to be read')
    expect(long.trajectory?.lossy).toBe(true)
  })

  it('reads what the agent noted of its requests after each turn', async () => {
    const noting: AgentKind = {
      ...kind,
      notes: (session) => `cat notes-of-${session}`,
      reader: (sink) => ({
        ...assayReader(sink),
        note: (text) =>
          sink.request(text, { model: 'm', usage: { ...NOTHING, output: text.length } }),
      }),
    }
    const workspace = fakeWorkspace(({ argv }) =>
      argv[0] === '/bin/sh' ? { prints: ['ab\ncde'] } : { prints: [SESSION, say('x'), DONE] },
    )
    const answer = await drive(workspace, {}, { kind: noting })
    expect(workspace.ran[1]).toMatchObject({ argv: ['/bin/sh', '-c', 'cat notes-of-s-1'] })
    expect(answer).toMatchObject({ stop: 'end', usage: { output: 5 }, trajectory: { turns: 2 } })
  })

  it('needs a workspace', async () => {
    const failure = await failureOf(runAgent(driven, testAsk(), new AbortController().signal))
    expect(failure).toMatchObject({ reason: 'not-started', retry: false })
  })
})

describe('a limit', () => {
  const call = (id: string): string => line({ type: 'tool-call', id, name: 'x' })
  const prints = [say('1'), used(10), call('a'), call('b'), used(10), say('2'), DONE]

  it.each([
    [{ turns: 1 }, 'more than 1 turns: 2'],
    [{ toolCalls: 1 }, 'more than 1 tool calls: 2'],
    [{ tokens: 19 }, 'more than 19 tokens: 20'],
    [{ usd: 0.1 }, 'more than 0.1 US dollars: 0.2'],
  ])('that is passed stops the agent at that line: %o', async (limits, note) => {
    const workspace = fakeWorkspace([{ prints }], () => fakeDiff({ a: 'b' }))
    const answer = await drive(workspace, limited(limits))
    expect(answer).toMatchObject({ stop: 'limit', note, text: '1', diff: fakeDiff({ a: 'b' }) })
    expect(workspace.closed).toBe(1)
  })

  it('that is reached and not passed stops nobody', async () => {
    const limits = { turns: 2, toolCalls: 2, tokens: 20, usd: 0.2 }
    expect(await driveRuns([{ prints }], limited(limits))).toMatchObject({ stop: 'end', text: '2' })
  })

  it('holds over all turns', async () => {
    const runs = [{ prints: [SESSION, used(10), DONE] }, { prints: [used(10), DONE] }]
    const ask = { ...turns('a', 'b'), ...limited({ tokens: 15 }) }
    expect(await driveRuns(runs, ask)).toMatchObject({ stop: 'limit', usage: { output: 20 } })
  })

  it('on cost is said not to hold where the cost is not known', async () => {
    const answer = await driveRuns([{ prints }], limited({ usd: 0.001 }), { price: () => null })
    expect(answer).toMatchObject({ stop: 'end', usd: null })
    expect(answer.trajectory?.oddities).toEqual([
      'the limit on cost could not be held: what the agent cost is not known',
    ])
  })

  it('on cost holds against what is known of it, which is spent all the same', async () => {
    const paid = line({ type: 'usage', model: 'm', output: 1, usd: 0.2 })
    const runs = [{ prints: [say('1'), used(10), paid, say('2'), DONE] }]
    const change = { price: () => null }
    expect(await driveRuns(runs, limited({ usd: 0.1 }), change)).toMatchObject({
      stop: 'limit',
      note: 'more than 0.1 US dollars: 0.2',
      usd: null,
      spentUsd: 0.2,
    })
    const within = await driveRuns(runs, limited({ usd: 0.2 }), change)
    expect(within).toMatchObject({ stop: 'end', usd: null, spentUsd: 0.2 })
    expect(within.trajectory?.oddities).toEqual([
      'the limit on cost was held against the part of the cost that is known',
    ])
  })

  it('is what a workspace is at that holds too much', async () => {
    const tooLarge = (): never => {
      throw new WorkspaceTooLarge('the agent left 9 GiB behind')
    }
    const answer = await drive(fakeWorkspace([{ prints }], tooLarge))
    expect(answer).toMatchObject({ stop: 'limit', note: 'the agent left 9 GiB behind', text: '2' })
    expect(answer).not.toHaveProperty('diff')
  })
})

describe('an agent that does not come to its end', () => {
  it('keeps what came until its deadline', async () => {
    const run = { prints: [say('so far'), used(3)], end: { how: 'timeout' as const, code: null } }
    expect(await driveRuns([run], { timeoutMs: 2000 })).toMatchObject({
      text: 'so far',
      stop: 'timeout',
      note: 'did not end within 2 s',
      usage: { output: 3 },
      trajectory: { complete: false },
      diff: { changes: [] },
    })
  })

  it('fails where it ends with an error, with the end of what it complained', async () => {
    const run = { prints: [say('hm')], end: { code: 3, stderr: 'it broke\n' } }
    expect(await driveRuns([run])).toMatchObject({
      text: 'hm',
      stop: 'exit',
      note: 'exit code 3; stderr: it broke',
    })
    const killed = { prints: [say('hm')], end: { code: null, signal: 'SIGSEGV' as const } }
    expect(await driveRuns([killed])).toMatchObject({ note: 'was ended by SIGSEGV' })
  })

  it('is done where it said so, whatever its exit code; a command is not', async () => {
    const run = { prints: [say('hm'), DONE], end: { code: 1 } }
    expect(await driveRuns([run])).toMatchObject({ stop: 'end' })
    expect(await driveRuns([run], {}, { isCommand: true })).toMatchObject({ stop: 'exit' })
  })

  it.each([
    [{ how: 'limit', why: 'turns' }, 'limit', 'stopped by itself: turns'],
    [{ how: 'refused', why: 'no' }, 'refusal', 'no'],
    [{ how: 'failed', why: 'oh' }, 'exit', 'oh'],
  ] as const)('says how it ended: %o', async (end, stop, note) => {
    const own: AgentKind = {
      ...kind,
      reader: (sink) => ({ line: () => sink.end(end), turnEnded: () => {} }),
    }
    const answer = await driveRuns([{ prints: ['x\n'], end: { code: 1 } }], {}, { kind: own })
    expect(answer).toMatchObject({ stop, note })
  })
})

describe('an agent that leaves no answer', () => {
  const losing = (reason: 'rate-limited' | 'request-refused'): AgentKind => ({
    ...kind,
    reader: (sink) => ({
      line: () => {
        sink.request('1', { model: 'm', usage: { ...NOTHING, output: 4 } })
        sink.end({ how: 'lost', why: 'the key sk-secret-1234 is refused', reason })
      },
      turnEnded: () => {},
    }),
  })

  it('has lost its provider, and what it used is paid', async () => {
    const workspace = fakeWorkspace([{ prints: ['x\n'], end: { code: 1 } }])
    const around = { env: {}, reads: [], secrets: ['sk-secret-1234'] }
    const failure = await failureOf(drive(workspace, {}, { kind: losing('rate-limited'), around }))
    expect(failure).toBeInstanceOf(SubjectError)
    expect(failure).toMatchObject({
      reason: 'rate-limited',
      retry: true,
      usd: 0.04,
      usage: { output: 4 },
      message: 'agent lost its provider: the key [secret] is refused',
    })
    expect(workspace.closed).toBe(1)
    expect(
      await failureOf(driveRuns([{ prints: ['x\n'] }], {}, { kind: losing('request-refused') })),
    ).toMatchObject({ reason: 'request-refused', retry: false })
  })

  it('has lost its provider where a command says so by exit code 75; an agent cannot', async () => {
    const run = { prints: ['x\n'], end: { code: 75, stderr: 'no route' } }
    expect(await failureOf(driveRuns([run], {}, { isCommand: true }))).toMatchObject({
      reason: 'provider-error',
      retry: true,
      message: 'agent lost its provider: exit code 75; stderr: no route',
    })
    expect(await driveRuns([run])).toMatchObject({ stop: 'exit' })
  })

  it('could not start', async () => {
    const missing = Object.assign(new Error('spawn ENOENT'), { code: 'ENOENT' })
    expect(await failureOf(driveRuns([{ fails: missing }]))).toMatchObject({
      reason: 'not-started',
      retry: false,
    })
    const busy = Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' })
    expect(await failureOf(driveRuns([{ fails: busy }]))).toMatchObject({ retry: true })
    const usage = { end: { code: 2, stderr: 'unknown option --x' } }
    expect(await failureOf(driveRuns([usage]))).toMatchObject({
      reason: 'not-started',
      message: 'agent could not be started: exit code 2; stderr: unknown option --x',
    })
    // A command that exits with an error has failed by itself, unless the exit code is 126 or 127. The shell
    // uses these codes for programs that cannot be started.
    const asCommand = { isCommand: true }
    expect(await driveRuns([usage], {}, asCommand)).toMatchObject({ stop: 'exit' })
    expect(await failureOf(driveRuns([{ end: { code: 127 } }], {}, asCommand))).toMatchObject({
      reason: 'not-started',
    })
  })

  it('was waiting for its provider when its time was over, as its reader knows', async () => {
    const waiting: AgentKind = {
      ...kind,
      reader: (sink) => ({
        ...assayReader(sink),
        lost: (stderr) =>
          stderr === 'retrying' ? { how: 'lost', why: 'no way', reason: 'provider-timeout' } : null,
      }),
    }
    const run = { prints: [say('hm')], end: { how: 'timeout' as const, stderr: 'retrying' } }
    expect(await failureOf(driveRuns([run], {}, { kind: waiting }))).toMatchObject({
      reason: 'provider-timeout',
      retry: true,
    })
    const other = { ...run, end: { ...run.end, stderr: 'thinking' } }
    expect(await driveRuns([other], {}, { kind: waiting })).toMatchObject({ stop: 'timeout' })
  })

  it('was stopped by the run', async () => {
    const stop = new AbortController()
    const workspace = fakeWorkspace(() => {
      stop.abort(new Error('the run was stopped'))
      return { prints: [DONE] }
    })
    const failure = await failureOf(drive(workspace, { signal: stop.signal }))
    expect(failure).toBe(stop.signal.reason)
    expect(workspace.closed).toBe(1)
  })

  it('was stopped by the run, with what it had spent until then', async () => {
    const stop = new AbortController()
    const prints = [used(4), DONE]
    Object.defineProperty(prints, 1, {
      get: () => {
        stop.abort(new Error('the run was stopped'))
        return DONE
      },
    })
    const failure = await failureOf(drive(fakeWorkspace([{ prints }]), { signal: stop.signal }))
    expect(failure).toMatchObject({ spentUsd: 0.04, cause: stop.signal.reason })
  })

  it('has a workspace that cannot be read any more', async () => {
    const gone = (): never => {
      throw new Error('EIO')
    }
    const workspace = fakeWorkspace([{ prints: [used(3), DONE] }], gone)
    expect(await failureOf(drive(workspace))).toMatchObject({
      reason: 'workspace-failed',
      usd: 0.03,
    })
    expect(workspace.closed).toBe(1)
  })
})

describe('a secret', () => {
  it('is for graders to see, and in nothing that is kept', async () => {
    const key = 'sk-"quoted"-0123456789'
    const bytes = Buffer.concat([Buffer.from([255, 0]), Buffer.from(key), Buffer.from([254])])
    const diff = {
      version: 1 as const,
      changes: [
        { path: `${key}.txt`, change: 'added' as const, text: `key=${key}`, patch: `+key=${key}` },
        { path: 'b.bin', change: 'added' as const, base64: bytes.toString('base64') },
      ],
    }
    const prints = [
      say(`the key is ${key}`),
      line({ type: 'tool-call', id: key, name: 'Bash', args: { [key]: `echo ${key}` } }),
      line({ type: 'tool-result', id: key, text: Buffer.from(key).toString('base64') }),
      line({ type: 'usage', model: key, output: 1 }),
      `${key}\n`,
    ]
    const around = { env: { KEY: key }, reads: [], secrets: [key] }
    const run = { prints, end: { code: 1, stderr: `bad key ${key}` } }
    const answer = await drive(
      fakeWorkspace([run], () => diff),
      {},
      { around },
    )
    expect(answer.text).toContain(key)
    expect(answer.diff).toEqual(diff)
    const masked = maskedAnswer(answer, [key])
    expect(masked.masked).toEqual(['answer', 'trajectory', 'diff'])
    const kept = JSON.stringify(masked.answer)
    for (const form of [
      key,
      JSON.stringify(key).slice(1, -1),
      Buffer.from(key).toString('base64'),
    ]) {
      expect(kept).not.toContain(form)
      expect(kept).not.toContain(JSON.stringify(form).slice(1, -1))
    }
    const [, binary] = masked.answer.diff?.changes ?? []
    expect(Buffer.from(binary?.base64 ?? '', 'base64').toString('latin1')).toBe('ÿ\0[secret]þ')
    expect(answer.note).toBe('exit code 1; stderr: bad key [secret]')
  })
})
