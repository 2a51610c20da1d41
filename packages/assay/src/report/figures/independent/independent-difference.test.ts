import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { independentDifference, reportedBetween, type Sample } from './independent-difference.ts'
import { overlapOf } from './overlap.ts'

/** One trial for each of n cases, of which c passed. */
const passes = (c: number, n: number): Sample => ({
  kind: 'passes',
  cases: Array.from({ length: n }, (_, i) => ({ n: 1, ...both(i < c ? 1 : 0) })),
})

/** One trial for each case, with these scores. */
const scores = (...values: readonly number[]): Sample => ({
  kind: 'scores',
  cases: values.map((value) => ({ n: 1, ...both(value) })),
})

const both = (value: number) => ({ sum: value, sumSq: value * value })

const JOINED = 'intervals of independent groups joined (MOVER)'
const WELCH = 'Welch t over cases of independent groups'

// Computed with scipy 1.10: Clopper-Pearson bounds from beta.ppf, joined by the squared distances, and p as the root of
// the bound that crosses zero (brentq).
it.each([
  [5, 10, 10, 10, 0.06058491249689385, 0.8129139715526015, 0.02250264788742406],
  [2, 12, 30, 40, 0.22693528208574654, 0.7741442719996704, 0.0007303782212274747],
])('%i of %i against %i of %i is joined as scipy computes it', (...row) => {
  const [ca, na, cb, nb, low, high, p] = row
  const { population } = independentDifference(passes(ca, na), passes(cb, nb))
  expect(population.difference).toBeCloseTo(cb / nb - ca / na, 12)
  expect(population.n).toBe(na + nb)
  expect(population.interval?.method).toBe(JOINED)
  expect(population.interval?.low).toBeCloseTo(low, 9)
  expect(population.interval?.high).toBeCloseTo(high, 9)
  expect(population.p).toBeCloseTo(p, 7)
  expect(independentDifference(passes(cb, nb), passes(ca, na)).population.p).toBeCloseTo(p, 7)
})

// Computed with scipy 1.10: p of ttest_ind(equal_var=False), and the bounds with t.ppf at its degrees of freedom.
const FEW = scores(0.29, 0.275, 0.68, 0.17, 0.795, 0.65, 0.675, 0.205, 0.665, 0.215)
const MORE = scores(0.76, 0.785, 0.78, 0.85, 0.95, 0.855, 0.83, 0.345, 0.83, 0.835, 0.93, 0.35)
it.each([
  ['composites', FEW, MORE, 0.09070573569459997, 0.5019609309720668, 0.007355655490479728],
  [
    'passes',
    passes(8, 20),
    passes(15, 20),
    0.04619040974170224,
    0.6538095902582977,
    0.02510680318858517,
  ],
  [
    'few scores',
    scores(0.2, 0.4, 0.55, 0.9, 0.5),
    scores(0.5, 0.7, 0.8, 0.85, 0.3, 0.6, 0.75),
    -0.18680340624895353,
    0.4525176919632393,
    0.3593768775562163,
  ],
] as const)('%s have the Welch interval that scipy computes', (_, a, b, low, high, p) => {
  const { population, fixed } = independentDifference(a, b)
  expect(population.interval).toMatchObject({ method: WELCH, target: 'population' })
  expect(population.interval?.low).toBeCloseTo(low, 9)
  expect(population.interval?.high).toBeCloseTo(high, 9)
  expect(population.p).toBeCloseTo(p, 9)
  // With one trial of each case, the interval for exactly these cases is the same.
  expect(fixed.interval).toEqual({ ...population.interval, target: 'fixed' })
  expect(independentDifference(b, a).population.p).toBeCloseTo(p, 9)
})

describe('Welch’s interval', () => {
  it('is not used where a mean is within two cases of 0 or 1, or a side has no spread', () => {
    const methodOf = (a: Sample, b: Sample) =>
      independentDifference(a, b).population.interval?.method
    expect(methodOf(passes(3, 12), passes(6, 12))).toBe(WELCH)
    expect(methodOf(passes(2, 12), passes(6, 12))).toBe(JOINED)
    expect(methodOf(passes(6, 12), passes(10, 12))).toBe(JOINED)
    expect(methodOf(scores(...Array.from({ length: 8 }, () => 0.5)), MORE)).toBe(JOINED)
    expect(methodOf(scores(0.9, 0.95, 0.97, 0.99), FEW)).toBe(JOINED)
  })

  it('counts groups, where cases form groups', () => {
    const twice = (sample: Sample): Sample => ({
      kind: sample.kind,
      cases: sample.cases.flatMap((one) => [one, one]),
      groups: sample.cases.flatMap((_, i) => [`${i}`, `${i}`]),
    })
    const alone = independentDifference(FEW, MORE).population
    const grouped = independentDifference(twice(FEW), twice(MORE)).population
    expect(grouped.interval?.method).toBe('Welch t over groups of cases of independent groups')
    expect(grouped.interval?.low).toBeCloseTo(alone.interval?.low as number, 12)
    expect(grouped.interval?.high).toBeCloseTo(alone.interval?.high as number, 12)
    expect(grouped.p).toBeCloseTo(alone.p as number, 12)
  })

  it('contains the interval for exactly these cases', () => {
    // All cases have nearly the same rate, so that the spread between them is less than that of the trials.
    const alike = (c: readonly number[]): Sample => ({
      kind: 'passes',
      cases: c.map((sum) => ({ n: 4, sum, sumSq: sum })),
    })
    const { fixed, population } = independentDifference(
      alike([2, 2, 2, 2, 2, 1, 2]),
      alike([2, 2, 3, 2, 2, 2]),
    )
    expect(population.interval?.method).toBe(WELCH)
    expect(population.interval?.low).toBe(fixed.interval?.low)
    expect(population.interval?.high).toBe(fixed.interval?.high)
    expect(population.p).toBe(fixed.p)
  })
})

it('the interval excludes zero exactly where its own p is below 5 %', () => {
  const side = fc.integer({ min: 2, max: 30 }).chain((n) =>
    fc.integer({ min: 1, max: 3 }).chain((trials) =>
      fc
        .array(fc.integer({ min: 0, max: trials }), { minLength: n, maxLength: n })
        .map((list): Sample => ({
          kind: 'passes',
          cases: list.map((sum) => ({ n: trials, sum, sumSq: sum })),
        })),
    ),
  )
  fc.assert(
    fc.property(side, side, (a, b) => {
      for (const { interval, p } of Object.values(independentDifference(a, b))) {
        fc.pre(Math.abs((p as number) - 0.05) > 1e-6)
        const excludes = (interval?.low ?? 0) > 0 || (interval?.high ?? 0) < 0
        expect(excludes).toBe((p as number) < 0.05)
        expect(p).toBeLessThanOrEqual(1)
      }
    }),
    { numRuns: 60 },
  )
})

it('has no interval where a side has one case, and says why', () => {
  const { population } = independentDifference(passes(1, 1), passes(1, 4))
  expect(population.p).toBeNull()
  const { value, interval, reason } = reportedBetween(population)
  expect(value).toBeCloseTo(-0.75, 12)
  expect(interval).toBeUndefined()
  expect(reason).toMatch(/one case/)
})

it('subjects are paired unless they share less than half of the cases of the smaller one', () => {
  const LETTERS = 'abcdefgh'.split('')
  const has = (...letters: readonly string[]): boolean[] =>
    LETTERS.map((letter) => letters.includes(letter))
  const all = has(...LETTERS)
  expect(overlapOf(all, all)).toEqual({ as: 'paired', shared: 8, onlyA: 0, onlyB: 0 })
  expect(overlapOf(all, has('a'))).toEqual({ as: 'paired', shared: 1, onlyA: 7, onlyB: 0 })
  expect(overlapOf(has('a', 'b'), has('b', 'c'))).toMatchObject({ as: 'paired', shared: 1 })
  expect(overlapOf(has('a', 'b', 'c'), has('c', 'd', 'e'))).toEqual({
    as: 'independent',
    shared: 1,
    onlyA: 2,
    onlyB: 2,
  })
  expect(overlapOf(has('a', 'b'), has('c', 'd'))).toMatchObject({ as: 'independent', shared: 0 })
})
