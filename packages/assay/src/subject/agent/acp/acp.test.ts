import { describe, expect, it } from 'vitest'
import { SubjectError, type AgentLimits, type Answer, type Ask, type Json } from '@assay/contract'
import { fakeWorkspace, type FakeRun } from '../../../../test/fake-workspace.ts'
import { testAsk, testCase } from '../../../../test/ask.ts'
import type { AgentSettings } from '../agent-kind.ts'
import { runAgent } from '../run-agent.ts'
import type { AgentRun } from '../trial/agent-run.ts'
import { ROUTES } from '../../gateway/route.ts'
import { agentKinds } from '../agents.ts'
import { acp, copilot, opencode, qwen } from './acp.ts'
import { AcpClient } from './acp-client.ts'

const SETTINGS: AgentSettings = { model: null, args: [], mcpServers: {} }

const driven: AgentRun = {
  id: 'agent',
  kind: acp,
  found: { argv: ['/opt/agent'], reads: [] },
  around: { env: {}, reads: [], secrets: [] },
  settings: SETTINGS,
  laid: { skills: [], files: {} },
  price: () => null,
  gateway: null,
  isCommand: false,
  needsSession: true,
  timeoutMs: null,
}

interface Request {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly [key: string]: Json }
  readonly result?: Json
}

type Say = (message: object | string) => void
type Handler = (request: Request, say: Say) => boolean | void

/** A scripted agent: what it does for each method, with sound replies for those that are not given. */
function agent(handlers: Readonly<Record<string, Handler>>, asked: Request[] = []): FakeRun {
  const sound: Readonly<Record<string, Handler>> = {
    initialize: ({ id }, say) =>
      say({ id, result: { protocolVersion: 1, agentInfo: { name: 'scripted', version: '7' } } }),
    'session/new': ({ id }, say) => say({ id, result: { sessionId: 's-1' } }),
    'session/prompt': ({ id }, say) => {
      update(say, { sessionUpdate: 'agent_message_chunk', content: { text: 'Do' } })
      update(say, { sessionUpdate: 'agent_message_chunk', content: { text: 'ne.' } })
      say({ id, result: { stopReason: 'end_turn' } })
    },
  }
  return {
    talks: (line, print) => {
      const request = JSON.parse(line) as Request
      asked.push(request)
      const say: Say = (message) =>
        print(
          typeof message === 'string'
            ? message
            : `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`,
        )
      const handler = handlers[request.method ?? 'reply'] ?? sound[request.method ?? '']
      return handler?.(request, say)
    },
  }
}

const update = (say: Say, value: object): void =>
  say({ method: 'session/update', params: { sessionId: 's-1', update: value } })

function drive(run: FakeRun, change: Partial<AgentRun> = {}, ask: Partial<Ask> = {}) {
  const asked = testAsk({ openWorkspace: async () => fakeWorkspace([run]), ...ask })
  return runAgent({ ...driven, ...change }, asked, asked.signal)
}

async function errorOf(answer: Promise<Answer>): Promise<SubjectError> {
  const error: unknown = await answer.then(
    () => null,
    (caught: unknown) => caught,
  )
  if (!(error instanceof SubjectError)) throw new Error(`no SubjectError: ${String(error)}`)
  return error
}

const limited = (limits: Partial<AgentLimits>): Partial<Ask> => ({
  case: testCase({ limits: { turns: null, toolCalls: null, tokens: null, usd: null, ...limits } }),
})

describe('an agent that speaks ACP', () => {
  it('is asked every turn in one process, and its updates are its trajectory', async () => {
    const asked: Request[] = []
    const run = agent(
      {
        'session/prompt': ({ id }, say) => {
          const call = { toolCallId: 'c1' }
          update(say, { sessionUpdate: 'agent_thought_chunk', content: { text: 'Hm.' } })
          update(say, { ...call, sessionUpdate: 'tool_call', title: 'bash', status: 'pending' })
          update(say, {
            ...{ ...call, sessionUpdate: 'tool_call_update', status: 'in_progress' },
            rawInput: { command: 'ls' },
          })
          update(say, {
            ...{ ...call, sessionUpdate: 'tool_call_update', status: 'completed' },
            content: [
              { type: 'content', content: { type: 'text', text: 'a.txt' } },
              { type: 'diff', path: '/workspace/a.txt', oldText: null, newText: 'x' },
            ],
          })
          update(say, { sessionUpdate: 'agent_message_chunk', content: { text: 'Done.' } })
          const usage = { inputTokens: 102, outputTokens: 17, thoughtTokens: 5 }
          const cached = { cachedReadTokens: 400, totalTokens: 524 }
          say({ id, result: { stopReason: 'end_turn', usage: { ...usage, ...cached } } })
        },
      },
      asked,
    )
    const messages = ['One', 'Two'].map((content) => ({ role: 'user' as const, content }))
    const answer = await drive(run, {}, { messages })
    expect(asked.map(({ method }) => method)).toEqual([
      ...['initialize', 'session/new', 'session/prompt', 'session/prompt'],
    ])
    expect(asked[1]?.params).toEqual({ cwd: '/workspace', mcpServers: [] })
    expect(answer).toMatchObject({ text: 'Done.', stop: 'end' })
    // The classes are separate here, as the total shows, and the output excludes the thoughts.
    expect(answer.usage).toEqual({
      ...{ input: 204, cacheRead: 800, cacheWrite: 0, output: 44, reasoning: 10 },
    })
    const { trajectory } = answer
    expect(trajectory).toMatchObject({
      ...{ format: 'acp', complete: true, agentVersion: 'scripted 7' },
    })
    expect(trajectory?.steps.map(({ kind, turn }) => `${turn} ${kind}`)).toEqual(
      [0, 1].flatMap((turn) =>
        ['message', 'reasoning', 'tool-call', 'file-change', 'message'].map(
          (kind) => `${turn} ${kind}`,
        ),
      ),
    )
    expect(trajectory?.steps[2]).toMatchObject({
      ...{ name: 'bash', args: { command: 'ls' }, result: 'a.txt', failed: false },
    })
    expect(trajectory?.steps[3]).toMatchObject({ path: 'a.txt', change: 'added' })
  })

  it('gets permission once, and is told that files and terminals are not offered', async () => {
    const asked: Request[] = []
    const options = [
      { optionId: 'always', kind: 'allow_always' },
      { optionId: 'once', kind: 'allow_once' },
    ]
    const answers: Request[] = []
    const run = agent(
      {
        'session/prompt': ({ id }, say) => {
          const params = { toolCall: { toolCallId: 'x' }, options }
          say({ id: 'p', method: 'session/request_permission', params })
          say({ id: 'q', method: 'session/request_permission', params: { options: 7 } })
          say({ id: 'f', method: 'fs/read_text_file', params: { path: '/etc/passwd' } })
          say({ id, result: { stopReason: 'end_turn' } })
        },
        reply: (message) => {
          answers.push(message)
        },
      },
      asked,
    )
    const answer = await drive(run)
    expect(answer.stop).toBe('end')
    expect(answers).toMatchObject([
      { id: 'p', result: { outcome: { outcome: 'selected', optionId: 'once' } } },
      { id: 'q', result: { outcome: { outcome: 'cancelled' } } },
      { id: 'f', error: { code: -32_601 } },
    ])
    expect(answer.trajectory?.oddities).toEqual([
      'the agent asked for something that Assay does not offer',
    ])
  })

  it('gets its MCP servers, and is errored if it cannot use one', async () => {
    const asked: Request[] = []
    const servers = {
      files: { command: '/bin/files', args: ['-v'], env: { A: 'b' } },
      web: { url: 'http://127.0.0.1:1/mcp', headers: { X: 'y' } },
    }
    const withHttp = agent(
      {
        initialize: ({ id }, say) =>
          say({
            id,
            result: { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } } },
          }),
      },
      asked,
    )
    const client = { settings: { ...SETTINGS, mcpServers: servers } }
    await talk(withHttp, client)
    expect(asked[1]?.params?.['mcpServers']).toEqual([
      { name: 'files', command: '/bin/files', args: ['-v'], env: [{ name: 'A', value: 'b' }] },
      { type: 'http', name: 'web', url: servers.web.url, headers: [{ name: 'X', value: 'y' }] },
    ])
    const { end } = await talk(agent({}), client)
    expect(end).toEqual({
      how: 'not-started',
      why: 'it cannot use MCP servers by address, such as web',
    })
  })

  it.each([
    [
      'by its list of models',
      {
        models: {
          currentModelId: 'x',
          availableModels: [{ modelId: '$x|gpt-5', name: 'gpt-5' }],
        },
      },
      { method: 'session/set_model', params: { sessionId: 's-1', modelId: '$x|gpt-5' } },
    ],
    [
      'by its options',
      {
        configOptions: [
          {
            ...{ id: 'm', category: 'model', currentValue: 'x' },
            options: [{ name: 'OpenAI', options: [{ value: 'gpt-5', name: 'GPT' }] }],
          },
        ],
      },
      {
        method: 'session/set_config_option',
        params: { sessionId: 's-1', configId: 'm', value: 'gpt-5' },
      },
    ],
  ])('is told its model %s', async (_how, made, expected) => {
    const asked: Request[] = []
    const run = agent(
      {
        'session/new': ({ id }, say) => say({ id, result: { sessionId: 's-1', ...made } }),
        [expected.method]: ({ id }, say) => say({ id, result: {} }),
      },
      asked,
    )
    const answer = await drive(run, { settings: { ...SETTINGS, model: 'gpt-5' } })
    expect(asked[2]).toMatchObject(expected)
    expect(answer.trajectory?.model).toBe('gpt-5')
  })

  it('is errored if its model cannot be set', async () => {
    const settings = { ...SETTINGS, model: 'gpt-5' }
    const none = await errorOf(drive(agent({}), { settings }))
    expect(none.message).toContain('does not let its model be chosen')
    const run = agent({
      'session/new': ({ id }, say) =>
        say({
          id,
          result: { sessionId: 's', models: { availableModels: [{ modelId: 'gpt-4' }] } },
        }),
      'session/set_model': ({ id }, say) => say({ id, error: { code: 1, message: 'No.' } }),
    })
    const refused = await errorOf(drive(run, { settings }))
    expect(refused.message).toMatch(/does not take the model "gpt-5".*No\.; it knows gpt-4/u)
    expect(refused.reason).toBe('not-started')
  })

  it('is told to cancel at a limit, and what it did until then is kept', async () => {
    const asked: Request[] = []
    const run = agent(
      {
        'session/prompt': (_request, say) => {
          for (const id of ['a', 'b', 'c'])
            update(say, { sessionUpdate: 'tool_call', toolCallId: id, title: 'bash' })
        },
        'session/cancel': () => true,
      },
      asked,
    )
    const answer = await drive(run, {}, limited({ toolCalls: 2 }))
    expect(asked.at(-1)).toMatchObject({ method: 'session/cancel', params: { sessionId: 's-1' } })
    expect(answer).toMatchObject({ stop: 'limit', note: 'more than 2 tool calls: 3' })
  })

  it.each([
    ['refusal', 'refusal', 'it refused to go on'],
    ['max_tokens', 'limit', 'stopped by itself: its answer became too long'],
    ['max_turn_requests', 'limit', 'stopped by itself: it made as many requests as it may'],
    ['cancelled', 'exit', 'it stopped with the reason "cancelled"'],
    ['\u0000no\n', 'exit', expect.stringContaining('it stopped with the reason')],
  ])('stops with the reason %s', async (stopReason, stop, note) => {
    const run = agent({
      'session/prompt': ({ id }, say) => say({ id, result: { stopReason } }),
    })
    expect(await drive(run)).toMatchObject({ stop, note })
  })

  it('has lost its provider if it needs a login while it works', async () => {
    const run = agent({
      'session/prompt': ({ id }, say) => say({ id, error: { code: -32_000, message: 'Log in.' } }),
    })
    expect(await errorOf(drive(run))).toMatchObject({ reason: 'request-refused' })
  })

  it.each<[string, Readonly<Record<string, Handler>>, RegExp]>([
    ['speaks another version', { initialize: version(9) }, /version 9 of the Agent Client/u],
    ['speaks no version', { initialize: version(undefined) }, /version unknown/u],
    [
      'repeats what it is sent',
      { initialize: (request, say) => say(request), reply: (request, say) => say(request) },
      /could not be started: initialize failed/u,
    ],
    [
      'wants a login',
      {
        'session/new': ({ id }, say) => say({ id, error: { code: -32_000, message: 'Log in' } }),
      },
      /Log in \(it needs a login or a key\)/u,
    ],
    [
      'makes a session without an id',
      { 'session/new': ({ id }, say) => say({ id, result: { sessionId: 5 } }) },
      /session without an id/u,
    ],
    ['ends at once', { initialize: () => true }, /ended before it was asked/u],
    [
      'prints no messages',
      { initialize: (_request, say) => (say('Usage: tool [file]\n[[[[\n"text"\n'), true) },
      /ended before it was asked/u,
    ],
  ])('is errored if it %s', async (_what, handlers, message) => {
    const error = await errorOf(drive(agent(handlers)))
    expect(error.message).toMatch(message)
    expect(error.reason).toBe('not-started')
  })

  it('has failed if it ends, or replies with nonsense, after it was asked', async () => {
    expect(await drive(agent({ 'session/prompt': () => true }))).toMatchObject({
      ...{ stop: 'exit', note: expect.stringContaining('ended before it answered the prompt') },
    })
    const nonsense: Handler = ({ id }, say) => {
      say('{"jsonrpc":"2.0","id":99,"result":{}}\nnot json\n{"id":null}\n')
      for (const value of [null, 7, [], { sessionUpdate: 5 }, { sessionUpdate: 'tool_call' }])
        say({ method: 'session/update', params: { update: value } })
      say({ id, result: { stopReason: {} } })
    }
    const answer = await drive(agent({ 'session/prompt': nonsense }))
    expect(answer).toMatchObject({
      ...{ stop: 'exit', note: 'its reply to the prompt has no reason why it stopped' },
    })
    expect(answer.trajectory?.oddities).toContain('a line is no message of the protocol')
  })
})

function version(protocolVersion: unknown): Handler {
  return ({ id }, say) => say({ id, result: { protocolVersion } })
}

/** Talks to a scripted agent without a trial. */
async function talk(
  run: FakeRun,
  change: Partial<ConstructorParameters<typeof AcpClient>[0]>,
): Promise<AcpClient> {
  const end = new AbortController()
  const client = new AcpClient({
    settings: SETTINGS,
    folder: '/workspace',
    prompts: ['Go.'],
    sink: { session() {}, model() {}, version() {}, end() {}, odd() {} },
    beginTurn() {},
    finish: () => end.abort(new Error('finished')),
    ...change,
  })
  await fakeWorkspace([run])
    .run({
      ...{ argv: ['/opt/agent'], env: {}, reads: [], input: '', timeoutMs: 1e4, mostBytes: 1e6 },
      signal: end.signal,
      converse: (stdin) => client.begin(stdin),
      onOutput: (chunk) => {
        for (const line of chunk.toString('utf8').split('\n')) client.line(line)
        return 'go on'
      },
    })
    .catch(() => null)
  client.close()
  return client
}

describe('the client', () => {
  it('does not wait without a limit for an agent that is not ready', async () => {
    const { end } = await talk(agent({ initialize: () => {} }), { readyMs: 5, graceMs: 1 })
    expect(end).toEqual({ how: 'not-started', why: 'it was not ready within 0.005 s' })
  })

  it('ends an agent that goes on after it was told to cancel', async () => {
    const holder: { client?: AcpClient } = {}
    const run = agent({ 'session/prompt': () => holder.client?.cancel() })
    const ended = new Promise<void>((resolve) => {
      const client = new AcpClient({
        settings: SETTINGS,
        folder: '/workspace',
        prompts: ['Go.'],
        sink: { session() {}, model() {}, version() {}, end() {}, odd() {} },
        beginTurn() {},
        finish: resolve,
        graceMs: 1,
      })
      holder.client = client
      client.begin({
        write: (text) => {
          run.talks?.(text, (said) => client.line(said))
        },
        end() {},
        pending: 0,
      })
    })
    await ended
    holder.client?.close()
    expect(holder.client?.end).toBeNull()
  })

  it('stops an agent that asks and does not read the answers', async () => {
    const ends: unknown[] = []
    let sent = 0
    const client = new AcpClient({
      settings: SETTINGS,
      folder: '/workspace',
      prompts: ['Go.'],
      sink: { session() {}, model() {}, version() {}, end: (how) => ends.push(how), odd() {} },
      beginTurn() {},
      finish() {},
    })
    client.begin({ write: () => sent++, end() {}, pending: 1e9 })
    client.line('{"id":1,"method":"fs/read_text_file"}')
    client.close()
    expect(sent).toBe(0)
    expect(client.end).toEqual({ how: 'not-started', why: 'it does not read what it is sent' })
  })
})

describe('agents that are known by name', () => {
  it('get no key that the gateway cannot replace', () => {
    const kept = agentKinds().map((kind) => {
      const { name, passEnv } = kind
      const keys = kind.gateway({}).flatMap((family) => Object.keys(ROUTES[family].keys))
      const secret = passEnv.filter((one) => /KEY|TOKEN/u.test(one))
      return [name, secret.filter((one) => !keys.includes(one))]
    })
    expect(kept.filter(([, left]) => left?.length !== 0)).toEqual([
      // The login of a subscription, for which the gateway is not used.
      ['claude', ['CLAUDE_CODE_OAUTH_TOKEN']],
    ])
  })

  it('are pointed at the address of their model’s provider', () => {
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:5/v1' }
    const { OPENCODE_CONFIG_CONTENT: config = '' } = opencode.variables?.(env, SETTINGS) ?? {}
    expect(JSON.parse(config)).toMatchObject({
      provider: { openai: { options: { baseURL: 'http://127.0.0.1:5/v1' } } },
    })
    expect(config).not.toContain('anthropic')
    expect(copilot.variables?.(env, { ...SETTINGS, model: 'm' })).toEqual({
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_BASE_URL: 'http://127.0.0.1:5/v1',
      COPILOT_PROVIDER_API_KEY: 'k',
      COPILOT_MODEL: 'm',
    })
    expect(copilot.variables?.({}, SETTINGS)).toEqual({})
    expect(
      copilot.variables?.({ ANTHROPIC_API_KEY: 'k' }, SETTINGS)?.['COPILOT_PROVIDER_TYPE'],
    ).toBe('anthropic')
    expect(qwen.variables?.(env, { ...SETTINGS, model: 'm' })).toEqual({ OPENAI_MODEL: 'm' })
  })
})
