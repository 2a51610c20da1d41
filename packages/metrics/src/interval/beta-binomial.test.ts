import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import type { CaseCounts, Metric } from '../metric.ts'
import { betaBinomialPosterior } from './beta-binomial-posterior.ts'
import { betaBinomialLogPmf, betaPassAtK, betaPassHatK } from './beta-binomial.ts'

interface Vector {
  readonly a: number
  readonly b: number
  readonly n?: number
  readonly c?: number
  readonly logPmf?: number
  readonly k?: number
  readonly passAtK?: number
  readonly passHatK?: number
}

const vectors = golden<Vector>('beta-binomial')

describe('betaBinomialLogPmf', () => {
  it('agrees with mpmath to 1e-13, absolutely where the logarithm is near 0', () => {
    for (const { a, b, n, c, logPmf } of vectors) {
      if (n === undefined || c === undefined || logPmf === undefined) continue
      const error = Math.abs(betaBinomialLogPmf(n, c, a, b) - logPmf)
      // With Beta(1e8, 2e8) and a hundred trials, terms of about 1e3 are subtracted, so digits are
      // lost.
      expect(error, JSON.stringify({ a, b, n, c })).toBeLessThanOrEqual(
        1e-13 * Math.max(1, Math.abs(logPmf), n),
      )
    }
  })

  it('adds up to 1', () => {
    const shape = fc.double({ min: 0.01, max: 50, noNaN: true })
    fc.assert(
      fc.property(shape, shape, fc.integer({ min: 1, max: 60 }), (a, b, n) => {
        let sum = 0
        for (let c = 0; c <= n; c++) sum += Math.exp(betaBinomialLogPmf(n, c, a, b))
        expectClose(sum, 1, 1e-12)
      }),
    )
  })

  it('refuses counts and shapes that are none', () => {
    expect(() => betaBinomialLogPmf(2, 3, 1, 1)).toThrow('c must be')
    expect(() => betaBinomialLogPmf(2, 1, 0, 1)).toThrow('a must be')
  })
})

describe('betaPassAtK and betaPassHatK', () => {
  it('agree with mpmath up to k = 10^6', () => {
    for (const { a, b, k, passAtK, passHatK } of vectors) {
      if (k === undefined || passAtK === undefined || passHatK === undefined) continue
      const at = `k = ${k} under Beta(${a}, ${b})`
      expectClose(betaPassAtK(a, b, k), passAtK, 2e-13, `pass@k, ${at}`)
      if (passHatK < 1e-300) expect(betaPassHatK(a, b, k), at).toBeLessThan(1e-300)
      else
        // The rounding error of L becomes a relative error of e^−L.
        expectClose(
          betaPassHatK(a, b, k),
          passHatK,
          2e-13 * (1 - Math.log(passHatK)),
          `pass^k, ${at}`,
        )
    }
  })

  it('are 0 and 1 for no attempts', () => {
    expect(betaPassAtK(2, 3, 0)).toBe(0)
    expect(betaPassHatK(2, 3, 0)).toBe(1)
  })

  it('refuse shapes and k that are none', () => {
    expect(() => betaPassAtK(1, 0, 1)).toThrow('b must be')
    expect(() => betaPassHatK(1, 1, 1.5)).toThrow('k must be')
  })
})

interface Summary {
  readonly value: number
  readonly low: number
  readonly high: number
}

interface PosteriorVector {
  readonly suite: string
  readonly cases: readonly (readonly [n: number, c: number])[]
  readonly ks: readonly number[]
  readonly passRate: Summary
  readonly correlation: Summary
  readonly passAtK: readonly Summary[]
  readonly passHatK: readonly Summary[]
  readonly shrunk: readonly { n: number; c: number; passRate: number }[]
  readonly expected?: readonly number[]
}

/** The grid has 96 cells per parameter. Its error is at worst a fiftieth of the interval's width. */
function expectSummary(metric: Metric | undefined, summary: Summary, at: string): void {
  const allowed = 0.02 * (summary.high - summary.low)
  const { value, interval } = metric ?? {}
  for (const [actual, expected] of [
    [value, summary.value],
    [interval?.low, summary.low],
    [interval?.high, summary.high],
  ] as const)
    expect(
      Math.abs((actual ?? Number.NaN) - expected),
      `${at}: ${actual}, ${expected}`,
    ).toBeLessThan(allowed)
}

const countsOf = (pairs: PosteriorVector['cases']): readonly CaseCounts[] =>
  pairs.map(([n, c]) => ({ n, c }))

describe('betaBinomialPosterior', () => {
  it.each(golden<PosteriorVector>('beta-binomial-posterior'))(
    'agrees with a grid of 1500 by 1500 for the suite "$suite"',
    (v) => {
      const posterior = betaBinomialPosterior(countsOf(v.cases), v.ks)
      expectSummary(posterior.passRate, v.passRate, 'pass rate')
      expectSummary(posterior.correlation, v.correlation, 'correlation')
      for (const [i, k] of v.ks.entries()) {
        const [at, hat] = [v.passAtK.at(i), v.passHatK.at(i)]
        if (at === undefined || hat === undefined) throw new Error('a vector without its k')
        expectSummary(posterior.passAtK[i], at, `pass@${k}`)
        expectSummary(posterior.passHatK[i], hat, `pass^${k}`)
      }
      for (const [i, { n, c, passRate }] of v.shrunk.entries()) {
        expect(posterior.cases[i]).toMatchObject({ n, c })
        expectClose(posterior.cases[i]?.passRate ?? 0, passRate, 4e-3, `case ${c}/${n}`)
      }
      for (const [c, expected] of (v.expected ?? []).entries()) {
        const row = posterior.check.counts[c]
        expect(row).toMatchObject({ from: c, to: c })
        expect(Math.abs((row?.expected ?? 0) - expected)).toBeLessThan(0.01 * v.cases.length ** 0.5)
      }
    },
  )

  it('is labelled as model-based, about the population', () => {
    const { interval } = betaBinomialPosterior([{ n: 5, c: 4 }], [20]).passAtK[0] ?? {}
    expect(interval).toMatchObject({
      method: 'beta-binomial posterior (model-based)',
      target: 'population',
      level: 0.95,
    })
  })

  it('draws cases towards the suite', () => {
    const cases = [0, 1, 2, 2, 3, 3, 4, 5].map((c) => ({ n: 5, c }))
    const { cases: shrunk } = betaBinomialPosterior(cases, [])
    expect(shrunk[0]?.passRate).toBeGreaterThan(0.02)
    expect(shrunk.at(-1)?.passRate).toBeLessThan(0.98)
  })

  it('finds its own model unremarkable and two separate kinds of cases not', () => {
    const flat = Array.from({ length: 60 }, (_, i) => ({ n: 5, c: i % 6 }))
    expect(betaBinomialPosterior(flat, []).check.p).toBeGreaterThan(0.05)
    const two = Array.from({ length: 60 }, (_, i) => ({ n: 10, c: i % 2 === 0 ? 2 : 9 }))
    expect(betaBinomialPosterior(two, []).check.p).toBeLessThan(1e-3)
  })

  it('gathers many counts into bins that hold them all', () => {
    const cases = Array.from({ length: 12 }, (_, i) => ({ n: 100, c: 8 * i }))
    const { counts } = betaBinomialPosterior(cases, []).check
    expect(counts).toHaveLength(21)
    expect(counts.reduce((sum, { observed }) => sum + observed, 0)).toBe(12)
    expectClose(
      counts.reduce((sum, { expected }) => sum + expected, 0),
      12,
      1e-3,
    )
    expect(counts.at(-1)?.to).toBe(100)
  })

  it('checks nothing where fewer than five cases share their number of trials', () => {
    const cases = [
      { n: 5, c: 3 },
      { n: 6, c: 6 },
      { n: 7, c: 2 },
    ]
    expect(betaBinomialPosterior(cases, []).check).toEqual({ counts: [], p: null })
  })

  it('zooms in on a posterior far narrower than its first grid', () => {
    const cases = Array.from({ length: 4200 }, (_, i) => ({ n: 20, c: i % 21 }))
    const { passRate } = betaBinomialPosterior(cases, [])
    expectClose(passRate.value ?? 0, 0.5, 1e-3)
    // The expected width, from the standard error over 4,200 cases with uniform pass rates and 20
    // trials.
    const width = (passRate.interval?.high ?? 0) - (passRate.interval?.low ?? 0)
    expectClose(width, 2 * 1.96 * Math.sqrt((1 / 12 + 1 / 6 / 20) / 4200), 0.05)
  })

  it('refuses an empty suite, cases without a trial, k below 1 and levels that are none', () => {
    expect(() => betaBinomialPosterior([], [])).toThrow('cases must not be empty')
    expect(() => betaBinomialPosterior([{ n: 0, c: 0 }], [])).toThrow('n must be')
    expect(() => betaBinomialPosterior([{ n: 2, c: 0 }], [0])).toThrow('k must be')
    expect(() => betaBinomialPosterior([{ n: 2, c: 0 }], [1], 1)).toThrow('level must be')
  })
})
