import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { acceleration, bcaBounds, percentileBounds } from './bootstrap-interval.ts'
import {
  bootstrap,
  bootstrapBlock,
  bootstrapBlocks,
  type BootstrapEstimate,
  bootstrapSummary,
} from './bootstrap.ts'
import { type DistinctRows, distinctRows } from './distinct-rows.ts'
import { random, randomState, uniformInteger } from './random.ts'
import { forEachResample } from './resample-weights.ts'
import { leaveOneOut, ofSums, type Statistic } from './statistic.ts'

/** Columns: cost, passes. */
const ratio = ofSums((sum) => [sum(0) / sum(1)])
const passRate = ofSums((sum, cases) => [sum(1) / cases])

const byWeights: Statistic = (weights, { columns }) => {
  const totals = columns.map((column) =>
    weights.reduce((sum, w, i) => sum + w * (column[i] ?? 0), 0),
  )
  return [(totals[0] ?? 0) / (totals[1] ?? 0)]
}

/** Expects a share of resamples to be within four standard errors of its exact value. */
const within = (share: number, truth: number, resamples: number) =>
  expect(Math.abs(share - truth)).toBeLessThanOrEqual(
    4 * Math.sqrt((truth * (1 - truth)) / resamples),
  )

function one(estimates: readonly BootstrapEstimate[]): BootstrapEstimate {
  expect(estimates).toHaveLength(1)
  return estimates.at(0) as BootstrapEstimate
}

function suite(cases: number, distinctCosts: number, seed = 1): DistinctRows {
  const draw = random(seed)
  return distinctRows(
    Array.from({ length: cases }, () => [
      uniformInteger(draw, distinctCosts) / 7,
      uniformInteger(draw, 6),
    ]),
  )
}

describe('intervals from given replicates', () => {
  interface Vector {
    level: number
    value: number
    leftOut: number[]
    replicates: number[]
    acceleration: number
    percentile: [number, number]
    bca: [number, number]
  }

  it('agree with numpy and scipy', () => {
    for (const v of golden<Vector>('bootstrap-interval')) {
      const replicates = { sorted: Float64Array.from(v.replicates).sort(), undefined: 0 }
      const ones = new Float64Array(v.leftOut.length).fill(1)
      const a = acceleration(v.leftOut, ones)
      expectClose(a as number, v.acceleration, 1e-11)
      const percentile = percentileBounds(replicates, v.level)
      const bca = bcaBounds(replicates, v.value, a, v.level)
      expect(percentile).toEqual({
        low: expect.closeTo(v.percentile[0], 12),
        high: expect.closeTo(v.percentile[1], 12),
      })
      expect(bca).toEqual({
        low: expect.closeTo(v.bca[0], 10),
        high: expect.closeTo(v.bca[1], 10),
      })
    }
  })

  it('say why BCa has no answer', () => {
    const replicates = { sorted: Float64Array.of(1, 2, 3, 4), undefined: 0 }
    expect(bcaBounds(replicates, 0.5, 0.1, 0.95)).toContain('same side')
    expect(bcaBounds(replicates, 9, 0.1, 0.95)).toContain('same side')
    expect(bcaBounds(replicates, 2.5, null, 0.95)).toContain('acceleration')
    expect(bcaBounds(replicates, 2.5, 0.6, 0.95)).toContain('too large')
    expect(acceleration([0.1, 0.1, 0.1], Float64Array.of(1, 2, 1))).toBeNull()
    expect(acceleration([0.1, Infinity], Float64Array.of(1, 1))).toBeNull()
    expect(bcaBounds({ ...replicates, undefined: 1 }, 2.5, 0.1, 0.95)).toContain('no value in 1')
  })

  it('count a resample without a value against both ends', () => {
    const sorted = Float64Array.from({ length: 98 }, (_, i) => i + 1)
    // One resample has no value. It counts as −∞ and as +∞, so both quantiles move outwards.
    const bounds = percentileBounds({ sorted, undefined: 1 }, 0.9)
    expect(bounds).toEqual({ low: expect.closeTo(4.9, 12), high: expect.closeTo(94.1, 12) })
    expect(percentileBounds({ sorted, undefined: 6 }, 0.9)).toBe(
      'the statistic has no value in 6 of 104 resamples',
    )
  })

  it('have no end between minus and plus infinity', () => {
    const replicates = { sorted: Float64Array.of(-Infinity, Infinity), undefined: 0 }
    expect(percentileBounds(replicates, 0.5)).toContain('both directions')
  })

  it('take the acceleration of a mean in its closed form', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 3 }), (values) => {
        fc.pre(new Set(values).size > 1)
        const rows = distinctRows(values.map((x) => [x]))
        const leftOut = leaveOneOut(
          rows,
          ofSums((sum, cases) => [sum(0) / cases]),
        ).map(([x]) => x as number)
        const centre = values.reduce((a, b) => a + b) / values.length
        const squares = values.reduce((s, x) => s + (x - centre) ** 2, 0)
        const cubes = values.reduce((s, x) => s + (x - centre) ** 3, 0)
        const closed = cubes / (6 * squares ** 1.5)
        expect(
          Math.abs((acceleration(leftOut, rows.multiplicity) as number) - closed),
        ).toBeLessThan(1e-11)
      }),
    )
  })
})

describe('bootstrap', () => {
  interface Exact {
    rows: [number, number][]
    ratio: number
    infiniteShare: number
    meanSd: number
    belowRatio: number
    acceleration: number | null
  }
  const exact = golden<Exact>('bootstrap-exact')

  it('has the distribution of all n^n resamples, in both ways of drawing', () => {
    for (const { rows, ...truth } of exact) {
      // Repeating each case 30 times keeps the ratio, and the resamples then use binomial draws.
      const direct = one(bootstrap(distinctRows(rows), ratio, { seed: 3 }))
      expectClose(direct.value as number, truth.ratio, 1e-15)
      within(direct.infiniteResamples / direct.resamples, truth.infiniteShare, direct.resamples)
      const mean = one(bootstrap(distinctRows(rows), passRate, { seed: 4 }))
      expect(Math.abs((mean.standardError as number) / truth.meanSd - 1)).toBeLessThan(0.03)
      const many = distinctRows(Array.from({ length: 30 }, () => rows).flat())
      const binomials = one(bootstrap(many, passRate, { seed: 5 }))
      // `many` has every case 30 times. That does not change the SD of the cases, but there are 30
      // times as many, so the exact SD of the mean is smaller by the square root of 30.
      const repeated = truth.meanSd / Math.sqrt(30)
      expect(Math.abs((binomials.standardError as number) / repeated - 1)).toBeLessThan(0.03)
      const blocks = bootstrapBlock(distinctRows(rows), ratio, { seed: 6, resamples: 256 }, 0)
      within(blocks.filter((r) => r < truth.ratio).length / 256, truth.belowRatio, 256)
    }
  })

  it('takes the acceleration of a ratio as the exact jackknife does', () => {
    for (const { rows, acceleration: truth } of exact) {
      if (truth === null) continue
      const distinct = distinctRows(rows)
      const leftOut = leaveOneOut(distinct, ratio).map(([x]) => x as number)
      expectClose(acceleration(leftOut, distinct.multiplicity) as number, truth, 1e-11)
    }
  })

  it('draws each case equally often, whether rows are many or few', () => {
    for (const rows of [suite(700, 1000), suite(3000, 1)]) {
      const drawn = new Float64Array(rows.multiplicity.length)
      const resamples = 2000
      forEachResample(rows, randomState(12), resamples, (weights) => {
        expect(weights.reduce((a, b) => a + b)).toBe(rows.cases)
        for (const [i, w] of weights.entries()) drawn[i] = (drawn[i] ?? 0) + w
      })
      for (const [i, m] of rows.multiplicity.entries()) {
        const expected = m * resamples
        expect(Math.abs((drawn[i] ?? 0) - expected)).toBeLessThan(4.5 * Math.sqrt(expected))
      }
    }
  })

  it('draws as many cases as there are from suites of a million and of more than two', () => {
    for (const cases of [1_500_000, 2 ** 21 + 1]) {
      const rows = { cases, multiplicity: new Float64Array(cases).fill(1), columns: [] }
      forEachResample(rows, randomState(7), 1, (weights) => {
        expect(weights.reduce((a, b) => a + b)).toBe(cases)
        // A row is not drawn with probability 1/e.
        const missed = weights.filter((w) => w === 0).length / cases
        expect(Math.abs(missed - Math.exp(-1))).toBeLessThan(0.002)
      })
    }
  })

  it('gives bit-identical results however blocks are ordered, split or repeated', () => {
    for (const rows of [suite(40, 50), suite(4000, 2)]) {
      const options = { seed: 99, resamples: 1000 }
      const whole = bootstrap(rows, ratio, options)
      const count = bootstrapBlocks(options.resamples)
      expect(count).toBe(4)
      const backwards = Array.from({ length: count }, (_, i) => count - 1 - i).map(
        (block) => [block, bootstrapBlock(rows, ratio, options, block)] as const,
      )
      const inOrder = backwards.toSorted(([a], [b]) => a - b).map(([, values]) => values)
      expect(bootstrapSummary(rows, ratio, options, inOrder)).toEqual(whole)
      // Two workers compute the even and the odd blocks, each from a separate copy of the rows.
      const worker = (odd: number) =>
        [0, 1, 2, 3]
          .filter((b) => b % 2 === odd)
          .map((b) => bootstrapBlock(structuredClone(rows), ratio, options, b))
      const [even, odd] = [worker(0), worker(1)]
      for (const [block, values] of inOrder.entries())
        expect((block % 2 === 0 ? even : odd)[block >> 1]).toEqual(values)
    }
  })

  it('shares its resamples among statistics: several at once are the same as each alone', () => {
    const rows = suite(60, 50)
    const both = ofSums((sum, cases) => [sum(0) / sum(1), sum(1) / cases])
    const options = { seed: 5, resamples: 400 }
    expect(bootstrap(rows, both, options)).toEqual([
      ...bootstrap(rows, ratio, options),
      ...bootstrap(rows, passRate, options),
    ])
  })

  it('does not depend on the order of the cases, and does on the seed', () => {
    const rows = Array.from({ length: 25 }, (_, i) => [(i * 7) % 11, i % 3])
    const options = { seed: 1, resamples: 300 }
    const estimate = bootstrap(distinctRows(rows), ratio, options)
    expect(bootstrap(distinctRows(rows.toReversed()), ratio, options)).toEqual(estimate)
    expect(bootstrap(distinctRows(rows), ratio, { ...options, seed: 2 })).not.toEqual(estimate)
  })

  it('gives a statistic of weights the same answers as its form in sums', () => {
    const rows = suite(30, 5)
    const options = { seed: 8, resamples: 500 }
    const [a, b] = [one(bootstrap(rows, byWeights, options)), one(bootstrap(rows, ratio, options))]
    expect(a.percentile).toEqual(b.percentile)
    expectClose(a.bca?.low as number, b.bca?.low as number, 1e-9)
    expectClose(a.bca?.high as number, b.bca?.high as number, 1e-9)
  })

  it('covers the true mean about as often as it says (60 skewed cases)', () => {
    // Percentile and BCa intervals at 90 % over 300 suites. The standard error of the coverage is
    // 0.017.
    let [percentile, bca] = [0, 0]
    const suites = 300
    for (let s = 0; s < suites; s++) {
      const draw = random(31, s)
      const rows = distinctRows(Array.from({ length: 60 }, () => [-Math.log(1 - draw())]))
      const mean = ofSums((sum, cases) => [sum(0) / cases])
      const e = one(bootstrap(rows, mean, { seed: s, resamples: 399, level: 0.9 }))
      if ((e.percentile?.low as number) < 1 && (e.percentile?.high as number) > 1) percentile++
      if ((e.bca?.low as number) < 1 && (e.bca?.high as number) > 1) bca++
    }
    expect(percentile / suites).toBeGreaterThan(0.82)
    expect(percentile / suites).toBeLessThan(0.95)
    expect(bca / suites).toBeGreaterThan(0.83)
    expect(bca / suites).toBeLessThan(0.95)
  })

  it('never answers [x, x]: when all cases agree it says that nothing was seen', () => {
    for (const rows of [
      distinctRows(Array.from({ length: 20 }, () => [0.3, 1])),
      // The costs differ but the passes do not, so all resamples have the same pass rate, up to
      // rounding.
      distinctRows(Array.from({ length: 20 }, (_, i) => [i / 3, 0.7])),
      distinctRows([[2, 1]]),
    ]) {
      const e = one(bootstrap(rows, passRate, { seed: 1, resamples: 200 }))
      expect(e).toMatchObject({
        degenerate: true,
        percentile: null,
        bca: null,
        standardError: null,
      })
      expect(e.reason).toBe('all resamples agree: the spread between cases was not seen')
      expect(e.value).toBeCloseTo(rows.columns.at(1)?.at(0) as number, 12)
    }
  })

  it('puts resamples without a pass at infinity, and says how many they were', () => {
    const e = one(
      bootstrap(distinctRows([[1, 1], ...Array.from({ length: 9 }, () => [1, 0])]), ratio, {
        seed: 1,
        resamples: 2000,
      }),
    )
    expect(e.value).toBe(10)
    within(e.infiniteResamples / 2000, 0.9 ** 10, 2000)
    expect(e.percentile).toMatchObject({ high: Infinity })
    expect(e.standardError).toBeNull()
    // Leaving the only pass out makes the ratio infinite, so there is no acceleration.
    expect(e.bca).toBeNull()
    expect(e.reason).toContain('acceleration')
  })

  it('has no interval where the value itself is infinite or undefined', () => {
    const rows = distinctRows([
      [1, 0],
      [2, 0],
    ])
    expect(one(bootstrap(rows, ratio, { seed: 1, resamples: 50 }))).toMatchObject({
      value: null,
      infinite: true,
      percentile: null,
      infiniteResamples: 50,
      reason: 'the statistic is infinite on the cases',
    })
    const zeroByZero = ofSums((sum) => [sum(1) / sum(1)])
    const e = one(bootstrap(rows, zeroByZero, { seed: 1, resamples: 50 }))
    expect(e).toMatchObject({ value: null, undefinedResamples: 50, percentile: null, bca: null })
    expect(e).not.toHaveProperty('infinite')
    expect(e.reason).toBe('the statistic is undefined on the cases')
  })

  it('counts a null answer as no value', () => {
    const oftenNull = ofSums((sum) => [sum(0) > 4 ? null : sum(0)])
    const rows = distinctRows([[0], [1], [2], [0]])
    const e = one(bootstrap(rows, oftenNull, { seed: 1, resamples: 500 }))
    expect(e.undefinedResamples).toBeGreaterThan(20)
    expect(e).toMatchObject({ value: 3, percentile: null, bca: null, standardError: null })
    expect(e.reason).toContain('has no value in')
  })

  it('refuses what it cannot resample', () => {
    const rows = suite(5, 5)
    expect(() => bootstrap(rows, ratio, { seed: -1 })).toThrow('seed must be')
    expect(() => bootstrap(rows, ratio, { seed: 1, resamples: 0 })).toThrow('resamples must be')
    expect(() => bootstrap(rows, ratio, { seed: 1, resamples: 9, level: 1 })).toThrow(
      'level must be',
    )
    expect(() => bootstrapBlock(rows, ratio, { seed: 1, resamples: 9 }, 1)).toThrow('block must be')
    expect(() => bootstrapSummary(rows, ratio, { seed: 1, resamples: 9 }, [])).toThrow(
      'the number of values in blocks must be',
    )
    const seven = { ...rows, cases: 7 }
    expect(() => bootstrap(seven, ratio, { seed: 1, resamples: 9 })).toThrow('rows.cases must be')
    const half = { ...rows, multiplicity: rows.multiplicity.map(() => 0.5) }
    expect(() => bootstrap(half, ratio, { seed: 1 })).toThrow('rows.multiplicity must be')
    const short = { ...rows, columns: [new Float64Array(1)] }
    expect(() => bootstrap(short, ratio, { seed: 1 })).toThrow('the length of a column must be')
    const third = ofSums((sum) => [sum(2)])
    expect(() => bootstrap(rows, third, { seed: 1 })).toThrow('no column 2')
  })
})
