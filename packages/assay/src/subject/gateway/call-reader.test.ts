import { describe, expect, it } from 'vitest'
import type { Api } from '../model/wire.ts'
import { callReader } from './call-reader.ts'
import { Evidence, type Seen } from './evidence.ts'
import { requestResults } from './request-results.ts'

const CALLS = [
  { id: 'c1', name: 'Bash', args: { command: 'ls' } },
  { id: 'c2', name: 'Read', args: { path: 'a.txt' } },
]

const WHOLE: Readonly<Record<Api, unknown>> = {
  anthropic: {
    content: [
      { type: 'text', text: 'now' },
      ...CALLS.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
    ],
  },
  chat: {
    choices: [
      {
        message: {
          tool_calls: CALLS.map(({ id, name, args }) => ({
            id,
            function: { name, arguments: JSON.stringify(args) },
          })),
        },
      },
    ],
  },
  responses: {
    output: [
      { type: 'message', content: [] },
      ...CALLS.map(({ id, name, args }) => ({
        type: 'function_call',
        id: `fc_${id}`,
        call_id: id,
        name,
        arguments: JSON.stringify(args),
      })),
    ],
  },
  google: {
    candidates: [
      {
        content: {
          parts: [{ text: 'now' }, ...CALLS.map((call) => ({ functionCall: call }))],
        },
      },
    ],
  },
}

const STREAMS: Readonly<Record<Api, readonly Record<string, unknown>[]>> = {
  anthropic: CALLS.flatMap(({ id, name, args }, i) => [
    {
      type: 'content_block_start',
      index: i + 1,
      content_block: { type: 'tool_use', id, name, input: {} },
    },
    ...halves(JSON.stringify(args)).map((part) => ({
      type: 'content_block_delta',
      index: i + 1,
      delta: { type: 'input_json_delta', partial_json: part },
    })),
    { type: 'content_block_stop', index: i + 1 },
  ]),
  chat: CALLS.flatMap(({ id, name, args }, index) => [
    { choices: [{ index: 0, delta: { tool_calls: [{ index, id, function: { name } }] } }] },
    ...halves(JSON.stringify(args)).map((part) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index, function: { arguments: part } }] } }],
    })),
  ]),
  responses: [
    ...CALLS.map(({ id, name, args }) => ({
      type: 'response.output_item.done',
      item: { type: 'function_call', call_id: id, name, arguments: JSON.stringify(args) },
    })),
    { type: 'response.completed', response: WHOLE.responses },
  ],
  google: CALLS.map((call) => ({ candidates: [{ content: { parts: [{ functionCall: call }] } }] })),
}

function halves(text: string): string[] {
  const middle = Math.floor(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}

const APIS = Object.keys(WHOLE) as Api[]

describe('the tool calls of a reply', () => {
  it.each(APIS)('are read from a whole reply of %s', (api) => {
    const reader = callReader(api)
    reader.whole(WHOLE[api])
    expect(reader.end()).toEqual({ calls: CALLS, isCut: false })
  })

  it.each(APIS)('are read from a stream of %s, each once', (api) => {
    const reader = callReader(api)
    for (const event of STREAMS[api]) reader.event(event)
    expect(reader.end()).toEqual({ calls: CALLS, isCut: false })
  })

  it('have their text as arguments where that is not JSON, and are said to be cut where there are too many', () => {
    const reader = callReader('responses')
    const item = { type: 'custom_tool_call', call_id: 'p', name: 'apply_patch', input: '*** Begin' }
    reader.whole({ output: [item, { type: 'web_search_call', id: 'w', action: { query: 'q' } }] })
    expect(reader.end().calls).toEqual([
      { id: 'p', name: 'apply_patch', args: '*** Begin' },
      { id: 'w', name: 'web_search', args: { query: 'q' } },
    ])
    const many = callReader('google')
    for (let i = 0; i < 1001; i++) many.event(STREAMS.google[0] ?? {})
    expect(many.end()).toMatchObject({ isCut: true })
  })

  it.each(APIS)('of nonsense are none: %s', (api) => {
    const reader = callReader(api)
    for (const odd of [
      null,
      1,
      [],
      {},
      { choices: 1, output: [null], content: [[]], candidates: [1] },
    ])
      reader.whole(odd)
    reader.event({ type: 'content_block_start', choices: [null], item: 1 })
    expect(reader.end().calls).toEqual([])
  })
})

describe('the results of calls in a request', () => {
  it('are found in each format', () => {
    const result = { name: '', text: 'a.txt' }
    expect(
      requestResults('anthropic', {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'c1', is_error: true, content: 'a.txt' },
              { type: 'text', text: 'x' },
            ],
          },
        ],
      }),
    ).toEqual([{ ...result, id: 'c1', failed: true }])
    expect(
      requestResults('chat', {
        messages: [
          { role: 'user', content: 'x' },
          { role: 'tool', tool_call_id: 'c1', content: 'a.txt' },
        ],
      }),
    ).toEqual([{ ...result, id: 'c1', failed: null }])
    expect(
      requestResults('responses', {
        input: [{ type: 'function_call_output', call_id: 'c1', output: 'a.txt' }],
      }),
    ).toEqual([{ ...result, id: 'c1', failed: null }])
    const response = (name: string, output: string) => ({
      role: 'user',
      parts: [{ functionResponse: { name, response: { output } } }],
    })
    expect(
      requestResults('google', {
        contents: [response('Bash', 'old'), { role: 'model' }, response('Bash', 'a.txt')],
      }),
    ).toEqual([{ id: '', name: 'Bash', text: 'a.txt', failed: false }])
  })
})

describe('the evidence of a trial', () => {
  const none = { results: [], skills: [] }
  const replied = { calls: CALLS, isComplete: true, isLossy: false }
  const returning = (id: string) => ({
    messages: [
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
    ],
  })
  const names = ({ calls }: Seen): string[] => calls.map(({ name }) => name)

  it('has the calls of replies, with the results of later requests', () => {
    const evidence = new Evidence([])
    evidence.answered(5, none, replied)
    evidence.answered(9, evidence.read('anthropic', returning('c2')), { ...replied, calls: [] })
    expect(evidence.list()).toMatchObject({
      calls: [
        { at: 5, name: 'Bash', result: null },
        { at: 5, name: 'Read', result: { text: 'ok', failed: false, at: 9 } },
      ],
      isLossy: false,
    })
    expect(evidence.toolCalls).toBe(2)
  })

  it('has calls of a reply that broke off only if the agent went on with them', () => {
    const evidence = new Evidence([])
    evidence.answered(1, none, { ...replied, isComplete: false })
    expect(names(evidence.list())).toEqual([])
    evidence.answered(2, evidence.read('anthropic', returning('c1')), { ...replied, calls: [] })
    expect(names(evidence.list())).toEqual(['Bash'])
    expect(evidence.toolCalls).toBe(1)
  })

  it('has a skill when its text is in a request, not when only its name and description are', () => {
    const lines = ['Count from the end, never from the start.', 'Then write "the sum" down.']
    const evidence = new Evidence([{ name: 'sums', lines }])
    const asked = (text: string) => ({ messages: [{ role: 'user', content: text }] })
    const skills = (text: string): readonly string[] => evidence.read('chat', asked(text)).skills
    expect(skills('skills: sums, which adds numbers')).toEqual([])
    expect(skills(`1\t${lines[0]}\n2\tother`)).toEqual(['sums'])
    expect(skills(JSON.stringify({ output: `x\n${lines[1]}` }))).toEqual(['sums'])
  })
})
