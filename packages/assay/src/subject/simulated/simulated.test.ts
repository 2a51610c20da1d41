import { describe, expect, it } from 'vitest'
import { random } from '@assay/metrics'
import { type Ask, type Case, type Suite, UsageError } from '@assay/contract'
import { drawBeta, drawSpread, nearlyMost } from './draws.ts'
import { checkSimulated, parseSimulated } from './simulated-options.ts'
import { simulatedSubject, type SimulatedOptions } from './simulated.ts'

const one = (id: string, given: Partial<Case> = {}): Case =>
  ({ id, hash: `hash of ${id}`, reference: 'right', faulty: ['wrong', 'worse'], ...given }) as Case

const ask = (of: Case, index: number, given: Partial<Ask> = {}): Ask => ({
  suite: 's',
  case: of,
  index,
  messages: [{ role: 'user', content: 'twelve chars' }],
  maxTokens: null,
  timeoutMs: 60_000,
  random: random(7, index),
  signal: new AbortController().signal,
  ...given,
})

const subject = (options: Partial<SimulatedOptions>) =>
  simulatedSubject({ id: 'sim', pass: 0.5, seed: 1, ...options })

const answers = (made: ReturnType<typeof subject>, of: Case, n: number) =>
  Promise.all(Array.from({ length: n }, (_, i) => made.answer(ask(of, i))))

const mean = (values: readonly number[]): number =>
  values.reduce((a, b) => a + b, 0) / values.length

const median = (values: number[]): number => values.sort((x, y) => x - y)[values.length >> 1] ?? 0

const suite = (cases: Case[]): Suite => ({ id: 'basics', cases }) as unknown as Suite

describe('a simulated subject', () => {
  it('passes as often as it is told to', async () => {
    for (const pass of [0, 0.2, 0.8, 1]) {
      const texts = (await answers(subject({ pass }), one('a'), 4000)).map(({ text }) => text)
      const share = texts.filter((text) => text === 'right').length / texts.length
      // The tolerance is four standard deviations of the mean of 4000 draws. It is 0 for the probabilities 0 and
      // 1.
      expect(Math.abs(share - pass)).toBeLessThanOrEqual(4 * Math.sqrt((pass * (1 - pass)) / 4000))
    }
  })

  it('draws evenly from the faulty answers', async () => {
    const texts = (await answers(subject({ pass: 0 }), one('a'), 2000)).map(({ text }) => text)
    const worse = texts.filter((text) => text === 'worse').length / 2000
    expect(Math.abs(worse - 0.5)).toBeLessThan(0.05)
  })

  it('gives the same answer to the same trial, in any order', async () => {
    const options = {
      input: { median: 500, sigma: 1 },
      price: { median: 0.01, sigma: 1 },
      latency: 3,
    }
    const made = subject(options)
    const forward = await answers(made, one('a'), 20)
    const backward = []
    for (let i = 19; i >= 0; i--) backward.unshift(await made.answer(ask(one('a'), i)))
    expect(backward).toEqual(forward)
  })

  it('knows the truth about each case', () => {
    expect(subject({ pass: 0.3 }).truth(one('a'))).toBe(0.3)
    const byCase = subject({ pass: { a: 0.1, '*': 0.9 } })
    expect([byCase.truth(one('a')), byCase.truth(one('b'))]).toEqual([0.1, 0.9])
    expect(() => subject({ pass: { a: 0.1 } }).truth(one('b'))).toThrow('no pass for the case b')
    expect(() => subject({ pass: { a: 0.1 } }).truth(one('toString'))).toThrow(UsageError)
  })

  it('draws the truth of each case from its seed and the case alone', () => {
    const cases = Array.from({ length: 2000 }, (_, i) => one(`case ${i}`))
    const beta = [2, 6] as const
    const truths = cases.map((of) => subject({ pass: { beta } }).truth(of))
    const again = subject({ id: 'other', pass: { beta } })
    expect(cases.map((of) => again.truth(of))).toEqual(truths)
    expect(subject({ pass: { beta }, seed: 2 }).truth(one('case 0'))).not.toBe(truths[0])
    // Beta(2, 6): mean 0.25, variance 12/(64·9).
    expect(Math.abs(mean(truths) - 0.25)).toBeLessThan(0.015)
    const variance = mean(truths.map((p) => (p - 0.25) ** 2))
    expect(Math.abs(variance - 12 / (64 * 9))).toBeLessThan(0.003)
  })

  it('brings tokens, price and latency of its own, and does not wait for it', async () => {
    const made = subject({
      pass: 1,
      input: { median: 400, sigma: 0.5 },
      output: 50,
      price: { median: 0.02, sigma: 0.3 },
      latency: { median: 3_000, sigma: 0.4 },
    })
    const all = await answers(made, one('a'), 2000)
    expect(Math.abs(median(all.map(({ usage }) => usage?.input ?? 0)) - 400)).toBeLessThan(30)
    expect(new Set(all.map(({ usage }) => usage?.output))).toEqual(new Set([50]))
    expect(Math.abs(median(all.map(({ usd }) => usd ?? 0)) - 0.02)).toBeLessThan(0.002)
    expect(Math.abs(median(all.map(({ ms }) => ms ?? 0)) - 3000)).toBeLessThan(150)
    const dearest = made.estimateUsd(one('a')) ?? 0
    expect(all.filter(({ usd }) => (usd ?? 0) > dearest).length).toBeLessThan(20)
  })

  it('counts tokens by length, and knows no price, unless told', async () => {
    expect(await subject({ pass: 1 }).answer(ask(one('a'), 0))).toEqual({
      text: 'right',
      stop: 'end',
      usage: { input: 3, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 },
      usd: null,
      ms: 0,
    })
    expect(subject({}).estimateUsd(one('a'))).toBeNull()
    expect(subject({ price: 0.25 }).estimateUsd(one('a'))).toBe(0.25)
  })

  it('is never late, so that its truth stays true', async () => {
    const { text, ms } = await subject({ pass: 1, latency: 1e9 }).answer(
      ask(one('a'), 0, { timeoutMs: 5 }),
    )
    expect({ text, ms }).toEqual({ text: 'right', ms: 5 })
  })

  it('really waits where it is told to, and stops when the run does', async () => {
    const slow = subject({ latency: 50_000, realtime: true })
    const controller = new AbortController()
    const waiting = slow.answer(ask(one('a'), 0, { signal: controller.signal }))
    const reason = new Error('stop')
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    expect(await subject({ latency: 5, realtime: true }).answer(ask(one('a'), 0))).toMatchObject({
      ms: 5,
    })
  })

  it('refuses before the run what it cannot answer', async () => {
    const bare = one('bare', { reference: null, faulty: [] })
    const noFaulty = one('no-faulty', { faulty: [] })
    const check = (pass: number, cases: Case[]) => () => subject({ pass }).check([suite(cases)])
    expect(check(0.5, [one('a'), bare])).toThrow('basics/bare has no reference answer')
    expect(check(0.5, [noFaulty])).toThrow('basics/no-faulty has no faulty answer')
    expect(check(1, [one('a'), noFaulty])).not.toThrow()
    expect(check(0, [one('x', { reference: null })])).not.toThrow()
    expect(
      check(
        0.5,
        Array.from({ length: 9 }, () => bare),
      ),
    ).toThrow(
      'and 4 more. Add them (for the rows of a table, as reference and faulty of [template])',
    )
    await expect(subject({ pass: 0.5 }).answer(ask(bare, 0))).rejects.toMatchObject({
      reason: 'no-answer',
      retry: false,
    })
  })

  it('is marked as simulated and tells all that determines it', () => {
    const made = subject({ pass: { beta: [2, 3] }, price: 0.1, realtime: true })
    expect(made).toMatchObject({ kind: 'simulated', source: 'simulated' })
    expect(made.config).toEqual({
      pass: { beta: [2, 3] },
      seed: 1,
      price: 0.1,
      latency: 0,
      realtime: true,
    })
  })
})

describe('draws', () => {
  it('have the mean and variance of Beta(a, b), in the corners too', () => {
    for (const [a, b] of [
      [0.01, 0.01],
      [0.5, 0.5],
      [1, 1],
      [20, 3],
      [0.001, 5],
    ] as const) {
      const draw = random(3)
      const values = Array.from({ length: 20_000 }, () => drawBeta(draw, a, b))
      const expected = a / (a + b)
      const variance = (a * b) / ((a + b) ** 2 * (a + b + 1))
      expect(values.every((p) => p >= 0 && p <= 1)).toBe(true)
      expect(Math.abs(mean(values) - expected)).toBeLessThan(
        5 * Math.sqrt(variance / 20_000) + 1e-9,
      )
    }
  })

  it('of a spread have its median and hardly pass nearlyMost', () => {
    const draw = random(4)
    const spread = { median: 10, sigma: 0.7 }
    const values = Array.from({ length: 20_000 }, () => drawSpread(draw, spread))
    expect(Math.abs(values.filter((x) => x < 10).length / 20_000 - 0.5)).toBeLessThan(0.02)
    expect(values.filter((x) => x > nearlyMost(spread)).length / 20_000).toBeLessThan(0.003)
    expect(drawSpread(draw, 5)).toBe(5)
  })
})

describe('how a simulated subject is written', () => {
  it.each([
    ['', { pass: 0.8, seed: 1 }],
    ['pass=0.3', { pass: 0.3, seed: 1 }],
    [' pass=1 , seed=7 ', { pass: 1, seed: 7 }],
    [
      'pass=beta:2:0.5,latency=800~0.4',
      { pass: { beta: [2, 0.5] }, seed: 1, latency: { median: 800, sigma: 0.4 } },
    ],
    [
      'price=1e-3,input=10,output=2~0,realtime',
      {
        pass: 0.8,
        seed: 1,
        price: 0.001,
        input: 10,
        output: { median: 2, sigma: 0 },
        realtime: true,
      },
    ],
  ])('%j', (text, options) => {
    expect(parseSimulated('sim', text)).toEqual({ id: 'sim', ...options })
  })

  it.each([
    ['pass=1.5', 'sim: pass must be a probability from 0 to 1'],
    ['pass=beta:0:1', 'sim: pass must be'],
    ['pass=often', 'sim: pass must be'],
    ['seed=-1', 'sim: seed must be'],
    ['latency=-5', 'sim: latency must be a number from 0'],
    ['pas=1', 'there is no pas; known are pass, seed, input'],
    ['pass=1,pass=1', 'pass is given twice'],
    ['realtime=2', 'realtime must be'],
  ])('refuses %j', (text, message) => {
    expect(() => parseSimulated('sim', text)).toThrow(UsageError)
    expect(() => parseSimulated('sim', text)).toThrow(message)
  })

  it('may name cases in a table', () => {
    expect(checkSimulated('sim', { pass: { a: 1, beta: 0.5 } })).toEqual({
      id: 'sim',
      pass: { a: 1, beta: 0.5 },
      seed: 1,
    })
  })
})
