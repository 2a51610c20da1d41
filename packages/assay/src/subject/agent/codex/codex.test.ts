import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { inShort, readStream, recordedLines, recordedTurn } from '../../../../test/agent-stream.ts'
import type { Usage } from '@assay/contract'
import { codex } from './codex.ts'

const SETTINGS = { model: 'gpt-5.5', args: [], mcpServers: {} }

const read = (...names: readonly string[]) =>
  readStream(codex, SETTINGS, names.map(recordedTurn)).builder.build('codex')

const readLines = (lines: readonly string[], stderr = '') =>
  readStream(codex, SETTINGS, [{ lines, notes: [] }], stderr)

const used = (
  input: number,
  cacheRead: number,
  cacheWrite: number,
  output: number,
  reasoning: number,
): Usage => ({ input, cacheRead, cacheWrite, output, reasoning })

describe('a stream of Codex', () => {
  it('is calls in order with their results and file changes', () => {
    const { steps, complete, model, oddities } = read('codex-edit')
    expect(steps.map(inShort)).toEqual([
      'user: prompt 0',
      'reasoning',
      'command_execution',
      'assistant: I will mend it.',
      'file_change',
      'changed add.js',
      'added notes.md',
      'command_execution failed',
      'assistant: Done: add adds now.',
    ])
    expect(steps.filter(({ kind }) => kind === 'tool-call')).toMatchObject([
      {
        args: { command: "/bin/bash -lc 'cat add.js'" },
        result: 'export const add = (a, b) => a - b\n',
      },
      {
        args: {
          changes: [
            { path: '/workspace/add.js', kind: 'update' },
            { path: '/workspace/notes.md', kind: 'add' },
          ],
        },
      },
      { args: { command: expect.stringContaining('exit 3') as string } },
    ])
    expect({ complete, model, oddities }).toEqual({
      complete: true,
      model: 'gpt-5.5',
      oddities: [],
    })
  })

  it('counts tokens by class, in all and by request, as far as its step is known', () => {
    const { turns, usage, steps } = read('codex-edit')
    expect(turns).toBe(4)
    expect(usage).toEqual({ 'gpt-5.5': used(1390, 3350, 210, 139, 35) })
    expect(steps.flatMap((step) => ('usage' in step ? [[step.kind, step.usage]] : []))).toEqual([
      ['reasoning', used(1000, 0, 200, 50, 30)],
      ['message', used(300, 900, 10, 60, 0)],
      // Two calls without a message between them may belong to the same request, so the reader cannot tell where
      // the next request begins.
      ['tool-call', used(50, 1200, 0, 20, 5)],
    ])
  })

  it('never counts more requests than there were, and exactly those where there are notes', () => {
    const whole = recordedTurn('codex-many')
    const { builder } = readStream(codex, SETTINGS, [{ ...whole, notes: [] }])
    expect(builder.counts.turns).toBe(2)
    expect(read('codex-many').turns).toBe(6)
  })

  it('tells calls of servers, skills that are read, and what is deleted', () => {
    const { steps } = read('codex-many')
    expect(steps.map(inShort).filter((step) => !step.startsWith('command'))).toEqual([
      'user: prompt 0',
      'assistant: Several at once.',
      'sums.add',
      'sums.add failed',
      'skill tidy',
      'file_change',
      'deleted add.js',
      'assistant: All done.',
    ])
    expect(steps.find((step) => step.kind === 'tool-call')).toMatchObject({
      args: { a: 2, b: 3 },
      result: '5',
    })
  })

  it('counts a resumed thread once, though it tells the sum of its turns', () => {
    const { steps, turns, usage, complete } = read('codex-turn-1', 'codex-turn-2')
    expect(steps.map((step) => `${step.turn} ${inShort(step)}`)).toEqual([
      '0 user: prompt 0',
      '0 assistant: First.',
      '1 user: prompt 1',
      '1 command_execution',
      '1 assistant: Second.',
    ])
    expect(usage).toEqual({ 'gpt-5.5': used(300, 0, 0, 30, 0) })
    expect({ turns, complete }).toEqual({ turns: 3, complete: true })
  })

  it('still tells what was used where it is cut, as far as the notes do', () => {
    const { lines, notes } = recordedTurn('codex-edit')
    const cut = { lines: lines.slice(0, 7), notes: notes.slice(0, 2) }
    const { builder } = readStream(codex, SETTINGS, [cut])
    const { complete, usage, steps } = builder.build('codex')
    expect(complete).toBe(false)
    expect(steps.map(inShort).at(-1)).toBe('file_change without result')
    expect(usage).toEqual({ 'gpt-5.5': used(1300, 900, 210, 110, 30) })
  })

  it.each([
    ['codex-400', 'request-refused'],
    ['codex-401', 'request-refused'],
    ['codex-429', 'rate-limited'],
    ['codex-500', 'provider-error'],
  ])('says which way the provider was lost: %s is %s', (name, reason) => {
    const { builder } = readLines(recordedLines(name))
    expect(builder.ended).toMatchObject({ how: 'lost', reason })
    const errors = builder.build('codex').steps.filter(({ kind }) => kind === 'error')
    expect(errors).toHaveLength(1)
  })

  it('keeps what was paid before the provider was lost', () => {
    expect(read('codex-500').usage).toEqual({ 'gpt-5.5': used(100, 0, 0, 10, 0) })
  })

  it('has lost its provider where it is stopped while it looks for it, and not where it found it', () => {
    const waiting = recordedLines('codex-no-connection')
    expect(readLines(waiting).builder.ended).toBeNull()
    expect(readLines(waiting).lost).toMatchObject({ how: 'lost', reason: 'provider-error' })
    const found = [...waiting, ...recordedLines('codex-edit').slice(2, 4)]
    expect(readLines(found).lost).toBeNull()
  })

  it.each([
    ["Codex ran out of room in the model's context window.", 'failed'],
    ['Incomplete response returned, reason: content_filter', 'refused'],
    ['something else', 'failed'],
    ['stream disconnected before completion: idle timeout', 'lost'],
    ['Missing environment variable: `OPENAI_API_KEY`.', 'lost'],
  ])('%s: %s', (message, how) => {
    const { builder } = readLines([JSON.stringify({ type: 'turn.failed', error: { message } })])
    expect(builder.ended?.how).toBe(how)
  })

  it('keeps unknown events and items, and reads on', () => {
    const { builder } = readLines([
      '{"type":"thread.paused"}',
      '{"type":"item.completed","item":{"id":"item_0","type":"dance"}}',
      'no JSON',
      '',
      '{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"Hello."}}',
    ])
    const { steps } = builder.build('codex')
    expect(steps.flatMap((step) => (step.kind === 'other' ? [step.type] : []))).toEqual([
      'thread.paused',
      'item/dance',
      'text',
    ])
    expect(builder.answerText).toBe('Hello.')
  })

  it('changes a list of things to do without losing a state of it', () => {
    const item = (type: string, items: unknown) =>
      JSON.stringify({ type, item: { id: 'item_0', type: 'todo_list', items } })
    const { builder } = readLines([
      item('item.started', ['a']),
      item('item.updated', ['b']),
      item('item.completed', ['b']),
    ])
    expect(builder.build('codex').steps.slice(1)).toMatchObject([
      { name: 'todo_list', args: { items: ['a'] } },
      { name: 'todo_list', args: { items: ['b'] } },
    ])
  })
})

describe('Codex as it is started', () => {
  const at = (env: Record<string, string>) => ({ folder: '/workspace', home: '/home/agent', env })
  const config = (env: Record<string, string>, mcpServers = {}) =>
    parse(codex.files({ ...SETTINGS, mcpServers }, at(env))[0]?.text ?? '')

  it('is given a provider that takes the key and the address of the environment, and never a key', () => {
    const env = { OPENAI_API_KEY: 'sk-secret', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }
    expect(config(env)).toMatchObject({
      model_provider: 'openai-api',
      model_providers: {
        'openai-api': { base_url: 'http://127.0.0.1:1/v1', env_key: 'OPENAI_API_KEY' },
      },
    })
    expect(JSON.stringify(codex.files(SETTINGS, at(env)))).not.toContain('sk-secret')
    expect(config({ CODEX_API_KEY: 'sk-secret' })).not.toHaveProperty('model_provider')
  })

  it('gives its commands no key', () => {
    expect(config({})).toMatchObject({
      shell_environment_policy: { exclude: ['OPENAI_API_KEY', 'CODEX_API_KEY'] },
    })
  })

  it('knows the servers of the subject, whatever their names', () => {
    const mcpServers = {
      'a "b"\n': { command: 'node', args: ['x'], env: { A: '1' } },
      web: { url: 'http://127.0.0.1:1', headers: { A: '1' } },
    }
    expect(config({}, mcpServers)['mcp_servers']).toEqual({
      'a "b"\n': { command: 'node', args: ['x'], env: { A: '1' } },
      web: { url: 'http://127.0.0.1:1', http_headers: { A: '1' } },
    })
  })

  it('reads its prompt on stdin and goes on with a session', () => {
    const turn = {
      prompt: '-x',
      messages: [],
      settings: SETTINGS,
      folder: '/workspace',
      home: '/home/agent',
    }
    const first = codex.start({ ...turn, session: null })
    expect(first.input).toBe('-x')
    expect(first.args).not.toContain('-x')
    const args = codex.start({ ...turn, session: 'abc' }).args
    expect([args.slice(0, 2), args.slice(-2)]).toEqual([
      ['exec', 'resume'],
      ['abc', '-'],
    ])
  })

  it('looks for notes of sessions that have a name of its own only', () => {
    expect(codex.notes?.('01a1e33a-cb9f-7f50-86d5-9c3c95166004')).toContain('01a1e33a-cb9f')
    expect(codex.notes?.('x; rm -rf /')).toBeNull()
  })
})
