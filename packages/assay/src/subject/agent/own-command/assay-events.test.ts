import { describe, expect, it } from 'vitest'
import type { Step } from '@assay/contract'
import { assayReader, isAssayEvent, textReader } from './assay-events.ts'
import { TrajectoryBuilder } from '../trajectory/trajectory-builder.ts'

function read(
  lines: readonly (string | object)[],
  make = assayReader,
): { sink: TrajectoryBuilder; steps: readonly Step[] } {
  const sink = new TrajectoryBuilder({ now: () => 0, price: () => 0.5, folder: '/w' })
  const reader = make(sink)
  sink.beginTurn(0, 'prompt')
  for (const line of lines) reader.line(typeof line === 'string' ? line : JSON.stringify(line))
  reader.turnEnded()
  return { sink, steps: sink.build('assay').steps.slice(1) }
}

describe('Assay’s own events', () => {
  it('tell everything that a trajectory holds', () => {
    const { sink, steps } = read([
      { type: 'session', id: 's1' },
      { type: 'reasoning', text: 'hm' },
      { type: 'message', text: 'I look.' },
      { type: 'tool-call', id: '1', name: 'read', args: { path: 'a' } },
      { type: 'tool-result', id: '1', text: 'no such file', failed: true },
      { type: 'usage', model: 'm', input: 10, cacheRead: 5, output: 3, reasoning: 1, usd: 0.25 },
      { type: 'skill', name: 'tidy' },
      { type: 'file-change', path: '/w/a', change: 'added' },
      { type: 'file-change', path: 'b' },
      { type: 'error', text: 'oh' },
      { type: 'message', role: 'system', text: 'note' },
      { type: 'usage', model: 'm', output: 2, usd: 0.5 },
      { type: 'done', answer: '42' },
    ])
    expect(steps).toMatchObject([
      { kind: 'reasoning', text: 'hm', usage: { input: 10, cacheRead: 5, output: 3 } },
      { kind: 'message', role: 'assistant', text: 'I look.' },
      {
        kind: 'tool-call',
        name: 'read',
        args: { path: 'a' },
        result: 'no such file',
        failed: true,
      },
      { kind: 'skill', name: 'tidy' },
      { kind: 'file-change', path: 'a', change: 'added' },
      { kind: 'file-change', path: 'b', change: 'changed' },
      { kind: 'error', text: 'oh' },
      { kind: 'message', role: 'system', text: 'note' },
      { kind: 'message', role: 'assistant', text: '42' },
    ])
    expect(sink.build('assay')).toMatchObject({
      turns: 2,
      usage: { m: { input: 10, cacheRead: 5, cacheWrite: 0, output: 5, reasoning: 1 } },
      usd: 0.75,
      usdFrom: 'reported',
      complete: true,
    })
    expect(sink.answerText).toBe('42')
    expect(sink.sessionId).toBe('s1')
  })

  it('are priced where they do not say what they cost', () => {
    const usage = { type: 'usage', model: 'm', output: 2 }
    const { sink } = read([usage, { ...usage, usd: 3 }])
    expect(sink.build('assay')).toMatchObject({ usd: 3.5, usdFrom: 'priced' })
  })

  it('that say impossible numbers do not count, make the sum unknown, and that is said', () => {
    const { sink } = read([
      { type: 'usage', model: 'm', output: 2, usd: -1 },
      { type: 'usage', model: 'm', input: -3, output: '7' },
      '{"type":"usage","model":"m","input":1e999,"usd":"1"}',
    ])
    expect(sink.build('assay')).toMatchObject({
      usage: { m: { input: 0, output: 2 } },
      usd: null,
      oddities: [
        'a cost is no sum of money that can be, and does not count (2 times)',
        'a count of tokens is not a number that can be, and does not count (2 times)',
      ],
    })
  })

  it('tell an answer as a message, unless it was the last one', () => {
    const done = { type: 'done', answer: 'hi' }
    const said = { type: 'message', text: 'hi' }
    const usage = { type: 'usage', model: 'm', output: 1, usd: 0 }
    const words = (lines: readonly object[]) =>
      read(lines).steps.map((step) => ('text' in step ? step.text : step.kind))
    expect(words([done])).toEqual(['hi'])
    expect(words([said, usage, done])).toEqual(['hi'])
    expect(words([said, { type: 'message', text: 'more' }, done])).toEqual(['hi', 'more', 'hi'])
    expect(words([{ type: 'done', answer: '' }])).toEqual([])
  })

  it('may stand among plain output, which is the answer where no event told one', () => {
    const { sink, steps } = read([{ type: 'session', id: 's' }, 'plain', '{"no":"type"}', ''])
    expect(sink.answerText).toBe('plain\n{"no":"type"}')
    expect(steps).toMatchObject([{ kind: 'message', role: 'assistant' }])
    const told = read(['warning', { type: 'message', text: 'hi' }])
    expect(told.sink.answerText).toBe('hi')
    expect(told.steps).toMatchObject([{ text: 'hi' }, { role: 'system', text: 'warning' }])
  })

  it('tell that the provider was lost, unless it answered after that', () => {
    const lostAfter = (...lines: readonly object[]) => {
      const sink = new TrajectoryBuilder({ now: () => 0, price: () => 0, folder: '/w' })
      const reader = assayReader(sink)
      for (const line of lines) reader.line(JSON.stringify(line))
      return reader.lost?.('') ?? null
    }
    const lost = { type: 'lost', text: 'status 503' }
    expect(lostAfter(lost)).toEqual({ how: 'lost', why: 'status 503', reason: 'provider-error' })
    expect(lostAfter(lost, { type: 'usage', output: 1 })).toBeNull()
    expect(lostAfter({ type: 'error', text: 'oh' })).toBeNull()
  })

  it('of other types are kept', () => {
    expect(read([{ type: 'novel', x: 1 }]).steps).toEqual([
      { kind: 'other', type: 'novel', raw: '{"type":"novel","x":1}', at: 0, turn: 0 },
    ])
  })

  it('are told from other lines', () => {
    expect(isAssayEvent('{"type":"message","text":"x"}')).toBe(true)
    for (const line of ['', 'x', '{}', '{"type":"assistant"}', '["done"]', '{"type":["done"]}'])
      expect(isAssayEvent(line)).toBe(false)
  })
})

describe('plain output', () => {
  it('is the answer as a whole, without the ends of its last lines', () => {
    const { sink, steps } = read(['a', '', '{"type":"done","answer":"x"}', '', ''], textReader)
    expect(sink.answerText).toBe('a\n\n{"type":"done","answer":"x"}')
    expect(steps).toHaveLength(1)
    expect(sink.build('text').complete).toBe(true)
    expect(read([], textReader).steps).toEqual([])
  })
})
