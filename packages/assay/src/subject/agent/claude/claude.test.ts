import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Step, Usage } from '@assay/contract'
import { claude } from './claude.ts'
import { TrajectoryBuilder } from '../trajectory/trajectory-builder.ts'

const SETTINGS = { model: null, args: [], mcpServers: {} }

const recorded = (name: string): string[] =>
  readFileSync(
    new URL(`../../../../test/agent-streams/claude-${name}.jsonl`, import.meta.url),
    'utf8',
  )
    .split('\n')
    .slice(0, -1)

/** Returns the trajectory builder after the reader has read these streams, one for each of the user's turns. */
function read(...streams: readonly (readonly string[])[]): TrajectoryBuilder {
  let clock = 0
  const sink = new TrajectoryBuilder({
    now: () => clock++,
    price: (_, usage) => usage.output / 1000,
    folder: '/workspace',
  })
  const reader = claude.reader(sink, SETTINGS)
  streams.forEach((lines, turn) => {
    sink.beginTurn(turn, `prompt ${turn}`)
    for (const line of lines) reader.line(line)
    reader.turnEnded()
  })
  return sink
}

const stepsOf = (sink: TrajectoryBuilder): readonly Step[] => sink.build('claude').steps

/** Describes a step in a few words. */
const short = (step: Step): string =>
  step.kind === 'tool-call'
    ? `${step.name}${step.failed ? ' failed' : ''}`
    : step.kind === 'file-change'
      ? `${step.change} ${step.path}`
      : step.kind === 'message'
        ? `${step.role}: ${step.text.slice(0, 30)}`
        : step.kind === 'skill'
          ? `skill ${step.name}`
          : step.kind

const used = (input: number, cacheRead: number, cacheWrite: number, output: number): Usage => ({
  input,
  cacheRead,
  cacheWrite,
  output,
  reasoning: 0,
})

describe('a stream of Claude Code', () => {
  it('is calls in order with their results, file changes, and usage to the token', () => {
    const sink = read(recorded('edit'))
    const trajectory = sink.build('claude')
    expect(trajectory.steps.map(short)).toEqual([
      'user: prompt 0',
      'reasoning',
      'assistant: I will look at the file first.',
      'Read',
      'Edit',
      'changed add.js',
      'Bash',
      'Write',
      'added notes.md',
      'Bash failed',
      'assistant: Done: add adds now.',
    ])
    expect(trajectory).toMatchObject({
      agentVersion: '2.1.325',
      model: 'claude-sonnet-4-5',
      turns: 5,
      usage: { 'claude-sonnet-4-5': used(206, 3060, 680, 179) },
      usd: 0.006771,
      usdFrom: 'reported',
      complete: true,
      oddities: [],
    })
    expect(trajectory.steps.filter((step) => 'usage' in step)).toMatchObject([
      { kind: 'reasoning', usage: used(120, 30, 500, 41), usd: 0.041 },
      { kind: 'tool-call', name: 'Edit', usage: used(20, 650, 80, 52) },
      { kind: 'tool-call', name: 'Bash', usage: used(21, 730, 90, 63) },
      { kind: 'tool-call', name: 'Bash', usage: used(22, 820, 10, 14) },
      { kind: 'message', usage: used(23, 830, 0, 9) },
    ])
    expect(trajectory.steps[6]).toMatchObject({
      args: { command: 'cat add.js' },
      result: 'export const add = (a, b) => a + b',
    })
    expect(sink.answerText).toBe('Done: add adds now.')
    expect(sink.ended).toEqual({ how: 'done' })
    expect(sink.sessionId).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('is the same without partial messages, but for the tokens of each step', () => {
    const whole = read(recorded('edit-whole-messages'))
    expect(stepsOf(whole).map(short)).toEqual(stepsOf(read(recorded('edit'))).map(short))
    expect(whole.build('claude')).toMatchObject({
      turns: 5,
      usage: { 'claude-sonnet-4-5': used(206, 3060, 680, 179) },
      usd: 0.006771,
    })
  })

  it('counts tokens while it runs, before its result', () => {
    const lines = recorded('edit').slice(0, -1)
    const sink = read(lines)
    expect(sink.counts).toMatchObject({ turns: 5, toolCalls: 5, tokens: 206 + 3060 + 680 + 179 })
    expect(sink.build('claude')).toMatchObject({
      usage: { 'claude-sonnet-4-5': used(206, 3060, 680, 179) },
      usd: expect.closeTo(0.179, 12),
      usdFrom: 'priced',
      complete: false,
    })
    expect(sink.ended).toBeNull()
    expect(sink.answerText).toBe('Done: add adds now.')
  })

  it('keeps words whose end never came', () => {
    const lines = recorded('edit')
    const cut = lines.findIndex((line) => line.includes('"text":"Done: add adds now."'))
    const sink = read(lines.slice(0, cut + 1))
    expect(lines[cut]).toContain('content_block_delta')
    expect(stepsOf(sink).at(-1)).toMatchObject({ role: 'assistant', text: 'Done: add adds now.' })
    expect(sink.counts.turns).toBe(5)
  })

  it('goes on in a second turn, and counts nothing twice', () => {
    const sink = read(recorded('turn-1'), recorded('turn-2'))
    const trajectory = sink.build('claude')
    expect(trajectory.steps.map((step) => `${step.turn} ${short(step)}`)).toEqual([
      '0 user: prompt 0',
      '0 Write',
      '0 added one.txt',
      '0 assistant: One is written.',
      '1 user: prompt 1',
      '1 Bash',
      '1 assistant: Two is written.',
    ])
    expect(trajectory).toMatchObject({
      turns: 4,
      usage: { 'claude-sonnet-4-5': used(212, 220, 21, 34) },
      usd: expect.closeTo(0.00129075, 12),
      usdFrom: 'reported',
      complete: true,
    })
    expect(sink.answerText).toBe('Two is written.')
  })

  it('tells which skills were used, and not those that do not exist', () => {
    const skills = stepsOf(read(recorded('skill'))).filter(({ kind }) => kind === 'skill')
    expect(skills).toMatchObject([{ name: 'tidy' }])
  })

  it('has the calls of subagents, and all that they used', () => {
    const trajectory = read(recorded('subagents')).build('claude')
    const calls = trajectory.steps.filter(({ kind }) => kind === 'tool-call')
    expect(calls.map(short)).toEqual(['Agent', 'Agent', 'Read', 'Read'])
    // The stream does not contain the answers of nested subagents, but the totals include them.
    expect(trajectory.usage).toEqual({ 'claude-sonnet-4-5': used(1300, 0, 0, 130) })
    expect(trajectory).toMatchObject({ turns: 7, complete: true, oddities: [] })
  })

  it.each([
    ['401', 'request-refused', /401 scripted 401 \(the agent sees no login/],
    ['429', 'rate-limited', /429/],
    ['500', 'provider-error', /500 scripted 500/],
    ['no-connection', 'provider-error', /ECONNREFUSED/],
    ['no-login', 'request-refused', /Not logged in.*ANTHROPIC_API_KEY/],
  ])('says who is at fault when the provider fails: %s', (name, reason, why) => {
    const sink = read(recorded(name))
    expect(sink.ended).toEqual({ how: 'lost', reason, why: expect.stringMatching(why) })
    expect(stepsOf(sink).at(-1)).toMatchObject({ kind: 'error' })
    expect(sink.build('claude')).toMatchObject({ turns: 0, usage: {}, usd: 0, complete: true })
  })

  it('knows that it was waiting for its provider when it was stopped', () => {
    const sink = new TrajectoryBuilder({ now: () => 0, price: () => null, folder: '/w' })
    const reader = claude.reader(sink, SETTINGS)
    const lostAfter = (lines: readonly string[]) => {
      for (const line of lines) reader.line(line)
      return reader.lost?.('')
    }
    const lines = recorded('429')
    const last = lines.findLastIndex((line) => line.includes('"api_retry"'))
    expect(lostAfter(lines.slice(0, last + 1))).toEqual({
      how: 'lost',
      why: 'no answer after 2 tries (status 429, rate_limit)',
      reason: 'rate-limited',
    })
    expect(lostAfter(recorded('turn-1').slice(0, -1))).toBeNull()
  })

  it('says where it stopped at a limit of its own, or grew too long', () => {
    expect(read(recorded('max-turns')).ended).toEqual({
      how: 'limit',
      why: 'Reached maximum number of turns (2)',
    })
    expect(read(recorded('too-long')).ended).toMatchObject({ how: 'failed' })
  })

  it('keeps what it does not know', () => {
    const lines = ['{"type":"novelty","x":1}', 'Warning: something', '{"type":"system"}', '[1]']
    expect(stepsOf(read(lines)).slice(1)).toMatchObject([
      { kind: 'other', type: 'novelty', raw: lines[0] },
      { kind: 'other', type: 'text', raw: lines[1] },
      { kind: 'other', type: 'system/', raw: lines[2] },
      { kind: 'other', type: 'text', raw: lines[3] },
    ])
  })
})

describe('how Claude Code is started', () => {
  const turn = {
    prompt: 'Do it.',
    messages: [],
    session: null,
    folder: '/workspace',
    home: '/home/agent',
  }

  it('is with the prompt on stdin, and asks for the session it goes on with', () => {
    const { args, input } = claude.start({ ...turn, settings: SETTINGS })
    expect(input).toBe('Do it.')
    expect(args.slice(0, 3)).toEqual(['-p', '--output-format', 'stream-json'])
    expect(args).not.toContain('--resume')
    const again = claude.start({
      ...turn,
      session: 's1',
      settings: { ...SETTINGS, model: 'opus', args: ['--effort', 'low'] },
    })
    expect(again.args.slice(-6)).toEqual(['--model', 'opus', '--resume', 's1', '--effort', 'low'])
  })

  it('keeps the keys of MCP servers in a file, not among its arguments', () => {
    const mcpServers = {
      here: { command: 'serve', args: ['-q'], env: { TOKEN: 'tok-12345678' } },
      there: { url: 'https://mcp.example', headers: { Authorization: 'Bearer abcdefgh' } },
    }
    const settings = { ...SETTINGS, mcpServers }
    const { args } = claude.start({ ...turn, settings })
    expect(args.slice(3, 6)).toEqual([
      '--mcp-config',
      '/home/agent/mcp-servers.json',
      '--strict-mcp-config',
    ])
    expect(args.join(' ')).not.toContain('tok-')
    const [file] = claude.files(settings, { ...turn, env: {} })
    expect(file).toMatchObject({ where: 'home', path: 'mcp-servers.json' })
    expect(JSON.parse(file?.text ?? '')).toEqual({
      mcpServers: {
        here: { type: 'stdio', command: 'serve', args: ['-q'], env: { TOKEN: 'tok-12345678' } },
        there: {
          type: 'http',
          url: 'https://mcp.example',
          headers: { Authorization: 'Bearer abcdefgh' },
        },
      },
    })
  })
})
