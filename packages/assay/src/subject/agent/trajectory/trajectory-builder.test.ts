import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, Step, Usage } from '@assay/contract'
import { TrajectoryBuilder } from './trajectory-builder.ts'

const PRICES: Readonly<Record<string, number>> = { cheap: 1e-6, dear: 1e-3 }

const priceOf = (model: string, usage: Usage): number | null => {
  const price = PRICES[model]
  return price === undefined ? null : price * (usage.input + usage.output)
}

function begun(): TrajectoryBuilder {
  let clock = 0
  const builder = new TrajectoryBuilder({ now: () => clock++, price: priceOf, folder: '/w' })
  builder.beginTurn(0, 'prompt')
  return builder
}

const usage = (input: number, output: number): Usage => ({
  input,
  cacheRead: 0,
  cacheWrite: 0,
  output,
  reasoning: 0,
})

const callsOf = (builder: TrajectoryBuilder): Extract<Step, { kind: 'tool-call' }>[] =>
  builder.build('x').steps.filter((step) => step.kind === 'tool-call')

const counts = fc.record({
  input: fc.nat(1e6),
  cacheRead: fc.nat(1e6),
  cacheWrite: fc.nat(1e6),
  output: fc.nat(1e6),
  reasoning: fc.constant(0),
})

describe('steps', () => {
  it('stand in the order in which they began, each once, with times that never go back', () => {
    const told = fc.array(
      fc.oneof(
        fc.record({ do: fc.constant('message' as const), text: fc.string({ minLength: 1 }) }),
        fc.record({ do: fc.constant('call' as const), text: fc.string() }),
        fc.record({ do: fc.constant('result' as const), text: fc.string() }),
        fc.record({ do: fc.constant('other' as const), text: fc.string() }),
      ),
    )
    fc.assert(
      fc.property(told, (events) => {
        const builder = begun()
        const expected: string[] = ['message:prompt']
        const open: string[] = []
        let calls = 0
        for (const { do: what, text } of events) {
          if (what === 'message') builder.message('assistant', text)
          if (what === 'other') builder.other(text, '')
          if (what === 'call') {
            const id = `c${calls++}`
            open.push(id)
            builder.toolCall({ id, name: text, args: {} })
          }
          // Results may come in any order. Here the result of the last call comes first.
          const id = what === 'result' ? open.pop() : undefined
          if (id !== undefined) builder.toolResult(id, { text, failed: false })
          if (what === 'message') expected.push(`message:${text}`)
          if (what === 'call') expected.push(`tool-call:c${calls - 1}`)
          if (what === 'other') expected.push(`other:${text}`)
        }
        const { steps, oddities } = builder.build('x')
        expect(oddities).toEqual([])
        expect(steps.map(named)).toEqual(expected)
        expect(callsOf(builder).filter(({ result }) => result === null)).toHaveLength(open.length)
        const times = steps.map(({ at }) => at)
        expect(times).toEqual(times.toSorted((a, b) => a - b))
      }),
    )
  })

  it('pair results with calls wherever they come', () => {
    const builder = begun()
    builder.toolResult('late', { text: 'before its call', failed: true })
    builder.toolCall({ id: 'late', name: 'Read', args: { path: 'a' } })
    builder.toolCall({ id: 'open', name: 'Bash', args: null })
    builder.toolCall({ id: 'open', name: 'Bash', args: null })
    builder.toolResult('nobody', { text: 'x', failed: false })
    builder.toolResult('late', { text: 'again', failed: false })
    expect(callsOf(builder)).toMatchObject([
      { name: 'Read', args: { path: 'a' }, result: 'before its call', failed: true },
      { name: 'Bash', result: null, ms: null },
      { name: '', args: null, result: 'x' },
    ])
    // The result without a call does not count as a call.
    expect(builder.counts.toolCalls).toBe(2)
    expect(builder.build('x').oddities).toEqual([
      'a result came for a call that was not told (2 times)',
      'a call was told twice',
      'a second result came for the same call',
    ])
  })

  it('are told from one another when an agent uses an id again', () => {
    const builder = begun()
    builder.toolCall({ id: '1', name: 'a', args: 1 })
    builder.toolResult('1', { text: 'first', failed: false })
    builder.toolCall({ id: '1', name: 'b', args: 2 })
    builder.toolResult('1', { text: 'second', failed: false })
    builder.beginTurn(1, 'more')
    builder.toolCall({ id: '1', name: 'b', args: 2 })
    expect(callsOf(builder).map(({ name, result, turn }) => [name, result, turn])).toEqual([
      ['a', 'first', 0],
      ['b', 'second', 0],
      ['b', null, 1],
    ])
  })

  it('have a bound, in number and in size, and what is left out is said', () => {
    const builder = begun()
    for (let i = 0; i < 20_010; i++) builder.toolCall({ id: `${i}`, name: 'x', args: i })
    const { steps, oddities } = builder.build('x')
    expect(steps).toHaveLength(20_000)
    expect(oddities).toEqual(['11 more steps are not kept here: there are too many, or too long'])
    expect(builder.counts.toolCalls).toBe(20_010)

    const large = begun()
    for (let i = 0; i < 100; i++) large.message('assistant', 'x'.repeat(300_000))
    const kept = JSON.stringify(large.build('x'))
    expect(kept.length).toBeLessThan(18 * 1024 * 1024)
    expect(large.build('x').oddities).toEqual([
      'a message was cut (100 times)',
      expect.stringMatching(/^\d+ more steps are not kept/),
    ])
    for (let i = 0; i < 100; i++) {
      large.toolCall({ id: `${i}`, name: 'x', args: null })
      large.toolResult(`${i}`, { text: 'y'.repeat(300_000), failed: false })
    }
    expect(JSON.stringify(large.build('x')).length).toBeLessThan(18 * 1024 * 1024)
  })

  it('hold arguments that JSON can write again, however deep, long or strange', () => {
    let deep: Json = 'end'
    for (let i = 0; i < 5000; i++) deep = [deep]
    const strange = JSON.parse('{"__proto__":{"x":1},"constructor":2,"n":1e999}') as Json
    const builder = begun()
    builder.toolCall({ id: 'a', name: 'deep', args: deep })
    builder.toolCall({ id: 'b', name: 'strange', args: strange })
    builder.toolCall({ id: 'c', name: 'long', args: { text: 'x'.repeat(1e6), after: 1 } })
    builder.toolCall({ id: 'd', name: 'usual', args: { path: 'a', lines: [1, true, null] } })
    const [first, second, third, fourth] = callsOf(builder)
    expect(JSON.stringify(first).length).toBeLessThan(1000)
    expect(JSON.stringify(second?.args)).toBe('{"__proto__":{"x":1},"constructor":2,"n":"…"}')
    expect(JSON.stringify(third).length).toBeLessThan(300_000)
    expect(fourth?.args).toEqual({ path: 'a', lines: [1, true, null] })
    expect(builder.build('x').oddities).toEqual(['the arguments of a call were cut (3 times)'])
  })

  it('have paths relative to the workspace', () => {
    const builder = begun()
    for (const path of ['/w/src/a.ts', '/etc/passwd', '/work/x', 'b.ts'])
      builder.fileChange(path, 'changed')
    const changes = builder.build('x').steps.filter((step) => step.kind === 'file-change')
    expect(changes.map(({ path }) => path)).toEqual(['src/a.ts', '/etc/passwd', '/work/x', 'b.ts'])
  })
})

describe('usage', () => {
  it('is the sum of the requests by model, each counted once', () => {
    const requests = fc.array(fc.tuple(fc.nat(5), fc.constantFrom('cheap', 'dear'), counts))
    fc.assert(
      fc.property(requests, (told) => {
        const builder = begun()
        const last = new Map<string, readonly [string, Usage]>()
        for (const [id, model, used] of told) {
          builder.request(`${id}`, { model, usage: used })
          last.set(`${id}`, [model, used])
        }
        const sum = (of: (used: Usage) => number, only?: string): number =>
          [...last.values()]
            .filter(([model]) => only === undefined || model === only)
            .reduce((total, [, used]) => total + of(used), 0)
        const { usage: byModel, turns, usd } = builder.build('x')
        expect(turns).toBe(last.size)
        for (const model of ['cheap', 'dear'])
          expect(byModel[model]?.output ?? 0).toBe(sum(({ output }) => output, model))
        expect(builder.counts.tokens).toBe(
          sum(
            ({ input, cacheRead, cacheWrite, output }) => input + cacheRead + cacheWrite + output,
          ),
        )
        if (last.size > 0) expect(builder.counts.usd).toBeCloseTo(usd ?? -1, 9)
      }),
    )
  })

  it('is what the start tells in all, where it does; starts add up', () => {
    const builder = begun()
    builder.request('1', { model: 'cheap', usage: usage(10, 1) })
    builder.totals({ cheap: usage(10, 1), dear: usage(2, 2) }, 0.5)
    builder.beginTurn(1, 'more')
    builder.request('1', { model: 'cheap', usage: usage(100, 10) })
    expect(builder.build('x')).toMatchObject({
      usage: { cheap: usage(110, 11), dear: usage(2, 2) },
      turns: 2,
      usd: 0.5 + 110 * 1e-6,
      usdFrom: 'priced',
    })
    expect(builder.counts.tokens).toBe(125)
    builder.totals({ cheap: usage(100, 10) }, 0.25)
    expect(builder.build('x')).toMatchObject({ usd: 0.75, usdFrom: 'reported' })
    expect(builder.usage).toEqual(usage(112, 13))
  })

  it('stands on the first step of its request', () => {
    const builder = begun()
    builder.reasoning('hm')
    builder.toolCall({ id: 'a', name: 'x', args: null })
    builder.request('1', { model: 'dear', usage: usage(1, 1) })
    builder.fileChange('a', 'added')
    builder.error('e')
    builder.message('assistant', 'done')
    builder.request('2', { model: 'dear', usage: usage(2, 2) })
    builder.request('3', { model: 'dear', usage: usage(3, 3) })
    builder.request('2', { model: 'dear', usage: usage(4, 4) })
    const carrying = builder.build('x').steps.filter((step) => 'usage' in step)
    expect(carrying).toMatchObject([
      { kind: 'reasoning', usage: usage(1, 1), usd: 0.002 },
      { kind: 'message', usage: usage(4, 4), usd: 0.008 },
    ])
  })

  it('costs nothing that is not known: no price, no tokens, no cost', () => {
    const silent = begun()
    expect(silent.build('x')).toMatchObject({ usage: {}, usd: null, usdFrom: null, turns: 0 })
    expect(silent.usage).toBeNull()
    const unpriced = begun()
    unpriced.request('1', { model: 'cheap', usage: usage(1, 1) })
    unpriced.request('2', { model: 'nobody', usage: usage(1, 1) })
    expect(unpriced.usd).toBeNull()
    const untold = begun()
    untold.request('1', { model: 'cheap', usage: null })
    expect(untold.build('x')).toMatchObject({ turns: 1, usd: null })
    expect(untold.usage).toBeNull()
  })

  it('prices what the totals have beyond the requests', () => {
    const builder = begun()
    builder.request('1', { model: 'cheap', usage: usage(10, 0) })
    builder.totals({ cheap: usage(30, 0), dear: usage(1, 0) }, null)
    expect(builder.usd).toBeCloseTo(30e-6 + 1e-3, 12)
  })

  it('is made of whole numbers, whatever is told', () => {
    const odd = { input: -5, cacheRead: Number.NaN, cacheWrite: 1e99, output: 2.4, reasoning: 9 }
    const builder = begun()
    builder.request('1', { model: '__proto__', usage: odd })
    const { usage: byModel } = builder.build('x')
    expect(Object.entries(byModel)).toEqual([
      ['__proto__', { input: 0, cacheRead: 0, cacheWrite: 1e12, output: 2, reasoning: 2 }],
    ])
    // If one count is invalid, the whole usage is unknown, because the sum of the valid counts would be too low.
    expect(builder.usage).toBeNull()
    builder.totals({}, Number.POSITIVE_INFINITY)
    expect(builder.build('x').usdFrom).not.toBe('reported')
    expect(builder.build('x').oddities).toEqual([
      'a count of tokens is not a number that can be, and does not count',
      'a cost is no sum of money that can be, and does not count',
    ])
  })

  it('is known in part where a part is not: that part counts, and is not the cost', () => {
    const builder = begun()
    builder.request('1', { model: 'nobody', usage: usage(1, 1), usd: 0.25 })
    expect(builder.build('x')).toMatchObject({ usd: 0.25, usdFrom: 'reported' })
    builder.request('2', { model: 'nobody', usage: usage(1, 1) })
    builder.beginTurn(1, 'more')
    builder.request('1', { model: 'cheap', usage: usage(1000, 0) })
    expect(builder.build('x')).toMatchObject({ usd: null, usdFrom: null })
    expect(builder.atLeastUsd).toBeCloseTo(0.251, 12)
    expect(builder.counts.usd).toBeCloseTo(0.251, 12)
    builder.totals({ nobody: usage(2000, 0) }, null, 0.5)
    expect(builder.usd).toBeNull()
    expect(builder.atLeastUsd).toBeCloseTo(0.75, 12)
    expect(builder.counts.usd).toBeCloseTo(0.75, 12)
  })
})

describe('the answer and the end', () => {
  it('are those of the last turn', () => {
    const builder = begun()
    builder.message('assistant', 'first')
    builder.end({ how: 'done' })
    expect(builder.answerText).toBe('first')
    builder.answer('told')
    expect(builder.answerText).toBe('told')
    builder.beginTurn(1, 'more')
    expect(builder.answerText).toBe('')
    expect(builder.ended).toBeNull()
    expect(builder.build('x').complete).toBe(false)
    builder.end({ how: 'done' })
    builder.end({ how: 'failed', why: 'late' })
    expect(builder.ended).toEqual({ how: 'failed', why: 'late' })
    expect(builder.build('x').complete).toBe(true)
  })

  it('take no session that would be an option', () => {
    const builder = begun()
    builder.session('--dangerous')
    expect(builder.sessionId).toBeNull()
    builder.session('0b1c-2')
    expect(builder.sessionId).toBe('0b1c-2')
  })
})

const named = (step: Step): string =>
  `${step.kind}:${
    step.kind === 'tool-call'
      ? step.id
      : step.kind === 'other'
        ? step.type
        : 'text' in step
          ? step.text
          : ''
  }`

describe('what could not be read', () => {
  it('leaves the cost unknown, unless the agent tells the sum', () => {
    const builder = begun()
    builder.request('1', { model: 'cheap', usage: usage(10, 0), usd: 0.5 })
    builder.unreadLines(1)
    expect(builder.build('x')).toMatchObject({ usd: null, lossy: true })
    expect(builder.counts.usd).toBe(0.5)
    builder.totals({ cheap: usage(10, 5) }, 0.75)
    expect(builder.build('x')).toMatchObject({ usd: 0.75, lossy: true })
  })
})
