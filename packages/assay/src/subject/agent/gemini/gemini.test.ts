import { describe, expect, it } from 'vitest'
import { inShort, readStream, recordedLines, recordedTurn } from '../../../../test/agent-stream.ts'
import type { Usage } from '@assay/contract'
import { gemini } from './gemini.ts'

const MODEL = 'gemini-2.5-flash'
const SUMS = { command: 'node', args: [], env: {} }
const SETTINGS = { model: MODEL, args: [], mcpServers: { sums: SUMS } }

const read = (...names: readonly string[]) =>
  readStream(gemini, SETTINGS, names.map(recordedTurn)).builder.build('gemini')

const readLines = (lines: readonly string[], stderr = '') =>
  readStream(gemini, SETTINGS, [{ lines, notes: [] }], stderr)

const used = (input: number, cacheRead: number, output: number, reasoning: number): Usage => ({
  input,
  cacheRead,
  cacheWrite: 0,
  output,
  reasoning,
})

describe('a stream of Gemini CLI', () => {
  it('is calls in order with their results and file changes', () => {
    const { steps, complete, model, oddities } = read('gemini-edit')
    expect(steps.map(inShort)).toEqual([
      'user: prompt 0',
      'assistant: I will look at it.',
      'read_file',
      'replace',
      'changed add.js',
      'run_shell_command',
      'write_file',
      'changed notes.md',
      'assistant: Done: add adds now.',
    ])
    expect(steps.filter(({ kind }) => kind === 'tool-call')).toMatchObject([
      { args: { file_path: 'add.js' } },
      { args: { old_string: 'a - b', new_string: 'a + b' } },
      { args: { command: 'echo checked' }, result: 'checked' },
      { args: { content: 'Mended.\n' } },
    ])
    expect({ complete, model, oddities }).toEqual({ complete: true, model: MODEL, oddities: [] })
  })

  it('counts tokens by class, in all and by request', () => {
    const { turns, usage, steps } = read('gemini-edit')
    expect(turns).toBe(5)
    expect(usage).toEqual({ [MODEL]: used(1450, 4650, 154, 45) })
    expect(steps.flatMap((step) => ('usage' in step ? [[inShort(step), step.usage]] : []))).toEqual(
      [
        ['assistant: I will look at it.', used(1000, 0, 50, 30)],
        ['replace', used(300, 900, 60, 10)],
        ['run_shell_command', used(50, 1200, 20, 0)],
        ['write_file', used(60, 1250, 15, 5)],
        ['assistant: Done: add adds now.', used(40, 1300, 9, 0)],
      ],
    )
  })

  it('counts requests and tokens without notes too', () => {
    const { builder } = readLines(recordedLines('gemini-edit'))
    expect(builder.counts.turns).toBe(5)
    expect(builder.usage).toEqual(used(1450, 4650, 154, 45))
  })

  it('takes for input what tools of the provider added to the prompt', () => {
    const stats = { models: { m: { total_tokens: 160, input_tokens: 100, output_tokens: 10 } } }
    const turn = {
      lines: [JSON.stringify({ type: 'result', status: 'success', stats })],
      notes: [
        JSON.stringify({
          id: 'a',
          model: 'm',
          tokens: { input: 100, output: 10, cached: 0, thoughts: 20, tool: 30, total: 160 },
        }),
      ],
    }
    const { builder } = readStream(gemini, SETTINGS, [turn])
    expect(builder.usage).toEqual(used(130, 0, 30, 20))
  })

  it('tells calls at once as one request, calls of servers, failures and skills', () => {
    const { steps, turns } = read('gemini-many')
    expect(steps.map(inShort)).toEqual([
      'user: prompt 0',
      'assistant: Several at once.',
      'sums.add failed',
      'run_shell_command',
      'nonsense failed',
      'replace failed',
      'activate_skill',
      'skill tidy',
      'assistant: All done.',
    ])
    expect(turns).toBe(4)
  })

  it('goes on in a second turn', () => {
    const { steps, turns, usage, complete } = read('gemini-turn-1', 'gemini-turn-2')
    expect(steps.map((step) => `${step.turn} ${inShort(step)}`)).toEqual([
      '0 user: prompt 0',
      '0 assistant: First.',
      '1 user: prompt 1',
      '1 run_shell_command',
      '1 assistant: Second.',
    ])
    expect(usage).toEqual({ [MODEL]: used(300, 0, 30, 0) })
    expect({ turns, complete }).toEqual({ turns: 3, complete: true })
  })

  it('still tells what was used where it is cut, as far as the notes do', () => {
    const { lines, notes } = recordedTurn('gemini-edit')
    const cut = {
      lines: [...lines.slice(0, 5), lines[5]?.slice(0, 20) ?? ''],
      notes: notes.slice(0, 3),
    }
    const { builder } = readStream(gemini, SETTINGS, [cut])
    const { complete, usage, turns } = builder.build('gemini')
    expect({ complete, turns }).toEqual({ complete: false, turns: 2 })
    expect(usage).toEqual({ [MODEL]: used(1300, 900, 110, 40) })
  })

  it('puts words together that come in pieces', () => {
    const piece = (content: string) =>
      JSON.stringify({ type: 'message', role: 'assistant', content, delta: true })
    const { builder } = readLines([piece('Hel'), piece('lo'), piece('.')])
    expect(builder.build('gemini').steps.map(inShort).slice(1)).toEqual(['assistant: Hello.'])
  })

  it.each([
    ['gemini-400', 'request-refused'],
    ['gemini-401', 'request-refused'],
    ['gemini-404', 'provider-error'],
  ])('says which way the provider was lost: %s is %s', (name, reason) => {
    expect(readLines(recordedLines(name)).builder.ended).toMatchObject({ how: 'lost', reason })
  })

  it('has stopped by itself at a limit of its own', () => {
    const { builder } = readLines(recordedLines('gemini-max-turns'))
    expect(builder.ended?.how).toBe('limit')
  })

  it('has lost its provider where it is stopped while it asks again and again', () => {
    const lines = recordedLines('gemini-429')
    const again =
      'Attempt 2 failed with status 429. Retrying with backoff... _ApiError: {"error":{}}\n  at x\n'
    expect(readLines(lines).lost).toBeNull()
    expect(readLines(lines, again).lost).toMatchObject({ how: 'lost', reason: 'rate-limited' })
    const away = 'Attempt 3 failed. Retrying with backoff... Error: fetch failed sending request'
    expect(readLines(lines, away).lost).toMatchObject({ reason: 'provider-error' })
    // A retry was answered. So the agent's own work took too long, not its provider.
    const working = [...lines, ...recordedLines('gemini-edit').slice(2, 4)]
    expect(readLines(working, again).lost).toBeNull()
  })

  it.each([
    ['blocked due to safety settings', 'refused'],
    ['[API Error: the input token count (9) exceeds the maximum]', 'failed'],
    ['[API Error: You have exhausted your quota]', 'lost'],
    ['something else', 'failed'],
  ])('%s: %s', (message, how) => {
    const end = { type: 'result', status: 'error', error: { type: 'unknown', message } }
    expect(readLines([JSON.stringify(end)]).builder.ended?.how).toBe(how)
  })

  it('keeps unknown events, and reads on', () => {
    const { builder } = readLines([
      '{"type":"dance"}',
      'no JSON',
      '',
      '{"type":"message","role":"assistant","content":"Hello."}',
    ])
    const { steps } = builder.build('gemini')
    expect(steps.flatMap((step) => (step.kind === 'other' ? [step.type] : []))).toEqual([
      'dance',
      'text',
    ])
    expect(builder.answerText).toBe('Hello.')
  })
})

describe('Gemini CLI as it is started', () => {
  const settings = (env: Record<string, string>) => {
    const at = { folder: '/workspace', home: '/home/agent', env }
    return JSON.parse(gemini.files(SETTINGS, at)[0]?.text ?? '') as Record<string, unknown>
  }

  it('gives its commands the variables that were asked for and no key', () => {
    const made = settings({ GEMINI_API_KEY: 'secret', GITHUB_TOKEN: 'given' })
    expect(made['security']).toEqual({
      auth: { selectedType: 'gemini-api-key' },
      environmentVariableRedaction: {
        enabled: true,
        blocked: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
        allowed: ['GITHUB_TOKEN'],
      },
    })
    expect(JSON.stringify(made)).not.toContain('secret')
  })

  it('reports to nobody and does not update itself', () => {
    expect(settings({})).toMatchObject({
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
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
    const { args, input } = gemini.start({ ...turn, session: 'abc' })
    expect(input).toBe('-x')
    expect(args).not.toContain('-x')
    expect(args.join(' ')).toContain('--resume abc')
  })

  it('looks for notes of sessions that have a name of its own only', () => {
    expect(gemini.notes?.('86801ddb-5dd5-4679-8c99-3b9179e73165')).toContain('-86801ddb.jsonl')
    expect(gemini.notes?.('x; rm -rf /')).toBeNull()
  })
})
