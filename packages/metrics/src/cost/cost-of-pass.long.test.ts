/**
 * Simulations of the interval of the cost of a pass, with log-normal costs. The 95 % interval must
 * contain the true cost at least 93 % of the time up to σ 1, and 90 % up to σ 2, for costs that vary
 * between cases and for costs that vary between trials.
 */
import { describe, expect, it } from 'vitest'
import { binomialDraw } from '../resample/binomial-draw.ts'
import { random } from '../resample/random.ts'
import { costOfPassRatio } from './cost-of-pass-ratio.ts'

const REPETITIONS = 1000
const TRIALS = 5

/**
 * Distributions of the cases' pass rates. The first set was used to choose the method. The second set
 * was not, so it is an independent check.
 */
const RATES: Readonly<Record<string, { draw: (u: number) => number; mean: number }>> = {
  'first set: arcsine': { draw: (u) => Math.sin((Math.PI / 2) * u) ** 2, mean: 0.5 },
  'first set: all .8': { draw: () => 0.8, mean: 0.8 },
  'first set: .3 or .95': { draw: (u) => (u < 0.5 ? 0.3 : 0.95), mean: 0.625 },
  'second set: uniform': { draw: (u) => u, mean: 0.5 },
  'second set: mostly .9, some .1': { draw: (u) => (u < 0.8 ? 0.9 : 0.1), mean: 0.74 },
}

function coverage(m: number, sigma: number, between: boolean, name: string, seed: number): number {
  const { draw: rateOf, mean } = RATES[name] as (typeof RATES)[string]
  const draw = random(seed, m, Math.round(10 * sigma), between ? 1 : 0)
  const normal = () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
  const truth = Math.exp((sigma * sigma) / 2) / mean
  let hits = 0
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const cases = Array.from({ length: m }, () => {
      const c = binomialDraw(draw, TRIALS, rateOf(draw()))
      const own = Math.exp(sigma * normal())
      let cost = 0
      for (let trial = 0; trial < TRIALS; trial++)
        cost += between ? own : Math.exp(sigma * normal())
      return { n: TRIALS, c, cost }
    })
    const { interval } = costOfPassRatio(cases, 0.95, repetition)
    if (interval !== undefined && interval.low <= truth && truth <= interval.high) hits++
  }
  return hits / REPETITIONS
}

/** One trial per case. A failed trial costs `factor` times as much as a passed one. */
function coverageOfSingles(m: number, sigma: number, p: number, factor: number): number {
  const draw = random(37, m, Math.round(100 * sigma), Math.round(100 * p), Math.round(10 * factor))
  const normal = () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
  const truth = (Math.exp((sigma * sigma) / 2) * (p + (1 - p) * factor)) / p
  let hits = 0
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const cases = Array.from({ length: m }, () => {
      const c = draw() < p ? 1 : 0
      return { n: 1, c, cost: Math.exp(sigma * normal()) * (c === 1 ? 1 : factor) }
    })
    const { interval } = costOfPassRatio(cases, 0.95, repetition)
    if (interval !== undefined && interval.low <= truth * (1 + 1e-9) && truth <= interval.high)
      hits++
  }
  return hits / REPETITIONS
}

describe('the interval of the cost of a pass', () => {
  it.each(Object.keys(RATES))('covers what it should with log-normal costs, %s', (name) => {
    const seed = name.startsWith('first') ? 5 : 911
    const short: string[] = []
    for (const m of [10, 20, 50])
      for (const sigma of [0.3, 0.8, 1, 1.5, 2])
        for (const between of [true, false]) {
          const covered = coverage(m, sigma, between, name, seed)
          if (covered < (sigma <= 1 ? 0.93 : 0.9))
            short.push(`${m} cases, sigma ${sigma}, ${between ? 'cases' : 'trials'}: ${covered}`)
        }
    expect(short).toEqual([])
  })

  it.each([0.75, 0.9, 0.97])(
    'covers what it should with one trial a case, of which %s pass',
    (p) => {
      const short: string[] = []
      for (const m of [12, 30])
        for (const sigma of [0, 0.05, 0.3, 1])
          for (const factor of [0.5, 1, 3]) {
            const covered = coverageOfSingles(m, sigma, p, factor)
            if (covered < 0.93)
              short.push(`${m} cases, sigma ${sigma}, failures cost ${factor} times: ${covered}`)
          }
      expect(short).toEqual([])
    },
  )
})
