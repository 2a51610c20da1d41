/**
 * Simulations of the default intervals. The project promises that a 95 % interval contains the true
 * value at least 93 % of the time, for any mix of difficulties, both targets, every metric and every
 * size.
 *
 * Each simulated population (`Truth`) consists of a thousand equally likely pass rates. So its true pass@k and
 * pass^k are plain means over these rates. With 2,000 repetitions, the coverage of each combination is measured
 * within ± 0.5 points. The true coverage of all of them is at least 94.5 % (docs/design/default-intervals.md), so
 * the tests pass with any seed.
 */
import { describe, expect, it } from 'vitest'
import { DEFAULT_LEVEL, type Target } from '../metric.ts'
import { random } from '../resample/random.ts'
import { inverseIncompleteBeta } from '../special/incomplete-beta.ts'
import { caseHistogram } from './case-histogram.ts'
import { meanScoreEstimate } from './mean-score-estimate.ts'
import { passEstimate } from './pass-estimate.ts'

const SEED = 1
const REPETITIONS = 2000
const LEAST = 0.93

type Truth = readonly number[]

const RATES = 1000
const quantiles = (of: (p: number) => number, count: number = RATES): Truth =>
  Array.from({ length: count }, (_, i) => of((i + 0.5) / count))
const beta = (a: number, b: number): Truth => quantiles((p) => inverseIncompleteBeta(p, a, b))
const masses = (...parts: readonly (readonly [rate: number, share: number])[]): Truth =>
  parts.flatMap(([rate, share]) => Array.from({ length: Math.round(share * RATES) }, () => rate))

const TRUTHS: Readonly<Record<string, Truth>> = {
  'Beta(.5, .5)': beta(0.5, 0.5),
  'Beta(2, .5)': beta(2, 0.5),
  'Beta(20, 5)': beta(20, 5),
  'Beta(.3, 1.2)': beta(0.3, 1.2),
  'Beta(6, .3)': beta(6, 0.3),
  'a fifth never, three fifths always, a fifth uniform': [
    ...masses([0, 0.2], [1, 0.6]),
    ...quantiles((p) => p, 200),
  ],
  'all .8': masses([0.8, 1]),
  '.2 or .95': masses([0.2, 0.5], [0.95, 0.5]),
  'a tenth never, the rest always': masses([0, 0.1], [1, 0.9]),
  'half never, half always': masses([0, 0.5], [1, 0.5]),
  'a fifth at .5, the rest always': masses([0.5, 0.2], [1, 0.8]),
  '.02 or .9': masses([0.02, 0.6], [0.9, 0.4]),
}

const SIZES: readonly { m: number; n: number; ks: readonly number[] }[] = [
  { m: 10, n: 5, ks: [3, 5] },
  { m: 20, n: 5, ks: [3, 5] },
  { m: 20, n: 10, ks: [3, 5] },
  { m: 50, n: 5, ks: [5] },
  { m: 50, n: 10, ks: [5] },
  { m: 100, n: 10, ks: [5] },
  { m: 200, n: 5, ks: [5] },
  // One or two trials more than k: each case has few different values.
  { m: 10, n: 6, ks: [5] },
  { m: 10, n: 11, ks: [10] },
  { m: 20, n: 12, ks: [10] },
]

type Aim = 'all' | 'any'

/** The metric's true value for one pass rate. */
const exact = (aim: Aim, p: number, k: number): number =>
  aim === 'any' ? 1 - (1 - p) ** k : p ** k

const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** The coverage at one suite size, by metric and target. */
function coverage(
  truth: Truth,
  { m, n, ks }: (typeof SIZES)[number],
  truthIndex: number,
): Map<string, number> {
  const draw = random(SEED, truthIndex, m, n)
  const metrics = [
    { aim: 'any', k: 1 } as const,
    ...ks.flatMap((k) => [{ aim: 'any', k } as const, { aim: 'all', k } as const]),
  ].map(({ aim, k }) => {
    const values = truth.map((p) => exact(aim, p, k))
    return { aim, k, values, population: average(values), hits: { fixed: 0, population: 0 } }
  })
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const drawn = Array.from({ length: m }, () => Math.floor(draw() * RATES))
    const histogram = caseHistogram(
      drawn.map((index) => {
        const rate = truth.at(index) ?? 0
        let c = 0
        for (let trial = 0; trial < n; trial++) if (draw() < rate) c++
        return { n, c }
      }),
    )
    for (const { aim, k, values, population, hits } of metrics) {
      const truths = {
        population,
        fixed: average(drawn.map((index) => values.at(index) ?? 0)),
      }
      for (const target of ['population', 'fixed'] satisfies Target[]) {
        const { interval } = passEstimate(aim, histogram, k, target, DEFAULT_LEVEL)
        if (interval === undefined) throw new Error('an estimate without an interval')
        // Rounding can put a true value of 1 slightly above 1.
        const value = truths[target]
        if (interval.low <= value + 1e-12 && interval.high >= value - 1e-12) hits[target]++
      }
    }
  }
  return new Map(
    metrics.flatMap(({ aim, k, hits }) =>
      (['population', 'fixed'] as const).map((target) => [
        `${aim === 'any' ? 'pass@' : 'pass^'}${k}, ${target}`,
        hits[target] / REPETITIONS,
      ]),
    ),
  )
}

describe('the default intervals of pass rate, pass@k and pass^k', () => {
  it.each(SIZES)(
    'cover at least 93 % of the time for every truth, metric and target at $m cases of $n trials',
    (size) => {
      const short: string[] = []
      for (const [i, [name, truth]] of Object.entries(TRUTHS).entries())
        for (const [cell, covered] of coverage(truth, size, i))
          if (covered < LEAST) short.push(`${name}: ${cell} covers ${covered}`)
      expect(short).toEqual([])
    },
  )
})

/**
 * A kind of case: a hundred equally likely scores. A population is a list of equally likely kinds.
 */
type Kind = readonly number[]

const kind = (...parts: readonly (readonly [score: number, percent: number])[]): Kind =>
  parts.flatMap(([score, percent]) => Array.from({ length: percent }, () => score))

const spreadAround = (centre: number, width: number): Kind =>
  quantiles((p) => centre + width * (p - 0.5), 100)

const SCORE_TRUTHS: Readonly<Record<string, readonly Kind[]>> = {
  'at the ceiling, one trial in a hundred at 0': [
    kind([0.98, 2], [1, 98]),
    kind([0, 1], [0.98, 2], [1, 97]),
    kind([0, 2], [0.98, 2], [1, 96]),
  ],
  'at the ceiling, one case in fifty always at 0': [
    kind([0, 100]),
    ...Array.from({ length: 49 }, () => kind([0.98, 10], [1, 90])),
  ],
  'code of every quality': [
    kind([0, 5], [0.5, 5], [0.9, 20], [1, 70]),
    kind([0, 20], [0.5, 30], [0.75, 30], [1, 20]),
    kind([0, 60], [0.4, 20], [0.6, 20]),
    kind([0.9, 10], [1, 90]),
  ],
  'even scores': [0.3, 0.5, 0.6, 0.7, 0.8].map((centre) => spreadAround(centre, 0.3)),
}

function scoreCoverage(truth: readonly Kind[], m: number, n: number, truthIndex: number) {
  const draw = random(SEED, truthIndex, m, n)
  const means = truth.map(average)
  const population = average(means)
  const hits = { fixed: 0, population: 0 }
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const drawn = Array.from({ length: m }, () => Math.floor(draw() * truth.length))
    const cases = drawn.map((index) => {
      const scores = truth.at(index) ?? []
      let sum = 0
      let sumSq = 0
      for (let trial = 0; trial < n; trial++) {
        const score = scores.at(Math.floor(draw() * scores.length)) ?? 0
        sum += score
        sumSq += score * score
      }
      return { n, sum, sumSq }
    })
    const truths = { population, fixed: average(drawn.map((index) => means.at(index) ?? 0)) }
    for (const target of ['population', 'fixed'] as const) {
      const { interval } = meanScoreEstimate(cases, target)
      if (interval === undefined) throw new Error('an estimate without an interval')
      if (interval.low <= truths[target] && interval.high >= truths[target]) hits[target]++
    }
  }
  return { fixed: hits.fixed / REPETITIONS, population: hits.population / REPETITIONS }
}

describe('the default intervals of the mean score', () => {
  it.each([
    { m: 20, n: 5 },
    { m: 50, n: 1 },
    { m: 50, n: 5 },
    { m: 100, n: 5 },
  ])(
    'cover at least 93 % of the time at $m cases of $n trials, also what was not seen',
    ({ m, n }) => {
      const short: string[] = []
      for (const [i, [name, truth]] of Object.entries(SCORE_TRUTHS).entries())
        for (const [target, covered] of Object.entries(scoreCoverage(truth, m, n, i)))
          if (covered < LEAST) short.push(`${name}: ${target} covers ${covered}`)
      expect(short).toEqual([])
    },
  )
})
