import { describe, expect, it } from 'vitest'
import { golden } from '../../test/golden.ts'
import { chiSquareSf } from '../special/chi-square.ts'
import { binomialDraw, multinomialCounts } from './binomial-draw.ts'
import { random } from './random.ts'

interface Vector {
  readonly n: number
  readonly p: number
  /** Bin i has the outcomes above upTo[i − 1] up to upTo[i]. The last bin has all larger outcomes. */
  readonly upTo: readonly number[]
  readonly share: readonly number[]
}

const fit = (counts: Float64Array, share: readonly number[], draws: number): number =>
  chiSquareSf(
    share.reduce((sum, p, i) => sum + ((counts[i] ?? 0) - p * draws) ** 2 / (p * draws), 0),
    share.length - 1,
  )

describe('binomialDraw', () => {
  it.each(golden<Vector>('binomial-draw').map((v) => [v.n, v.p, v] as const))(
    'follows the binomial distribution of n = %s, p = %s, tails included',
    (n, p, { upTo, share }) => {
      const draw = random(2024, n)
      const draws = 100_000
      const counts = new Float64Array(share.length)
      for (let i = 0; i < draws; i++) {
        const k = binomialDraw(draw, n, p)
        const bin = upTo.findIndex((edge) => k <= edge)
        const at = bin < 0 ? upTo.length : bin
        counts[at] = (counts[at] ?? 0) + 1
      }
      expect(fit(counts, share, draws)).toBeGreaterThan(1e-3)
    },
  )

  it('has the mean and variance of the distribution to within their error', () => {
    for (const [n, p] of [
      [7, 0.3],
      [300, 0.02],
      [300, 0.4],
      [1e12, 0.5],
    ] as const) {
      const draw = random(9, n)
      const draws = 40_000
      const z = Array.from(
        { length: draws },
        () => (binomialDraw(draw, n, p) - n * p) / Math.sqrt(n * p * (1 - p)),
      )
      const mean = z.reduce((a, b) => a + b) / draws
      const variance = z.reduce((a, b) => a + b * b, 0) / draws
      expect(Math.abs(mean)).toBeLessThan(4 / Math.sqrt(draws))
      expect(Math.abs(variance - 1)).toBeLessThan(4 * Math.sqrt(2.5 / draws))
    }
  })

  it('is certain at p = 0 and p = 1 and for no trials', () => {
    const draw = random(1)
    expect(binomialDraw(draw, 50, 0)).toBe(0)
    expect(binomialDraw(draw, 50, 1)).toBe(50)
    expect(binomialDraw(draw, 0, 0.4)).toBe(0)
  })

  it('draws again when rounding leaves a uniform beyond the last probability', () => {
    // The uniform number 1 − 2^−53 can be above the rounded sum of all probabilities. The function
    // must then draw again instead of returning n.
    let calls = 0
    const top = () => (calls++ < 1 ? 1 - 2 ** -53 : 0.3)
    const k = binomialDraw(top, 12, 0.1)
    expect(k).toBeGreaterThanOrEqual(0)
    expect(k).toBeLessThanOrEqual(12)
  })

  it.each([
    [-1, 0.5, 'n must be'],
    [1.5, 0.5, 'n must be'],
    [5, 1.1, 'p must be'],
    [5, Number.NaN, 'p must be'],
  ])('refuses n = %s, p = %s', (n, p, message) => {
    expect(() => binomialDraw(random(1), n, p)).toThrow(message)
  })
})

describe('multinomialCounts', () => {
  it('gives every joint outcome its exact chance', () => {
    // 4 draws with weights 1 : 2 : 3. All 15 outcomes are compared with their exact probability
    // 4!/(a! b! c!) · (1/6)^a (2/6)^b (3/6)^c.
    const factorial = [1, 1, 2, 6, 24]
    const outcomes = new Map<string, number>()
    const share: number[] = []
    for (let a = 0; a <= 4; a++)
      for (let b = 0; a + b <= 4; b++) {
        const c = 4 - a - b
        const ways = [a, b, c].reduce((w, k) => w / (factorial[k] ?? 0), 24)
        outcomes.set(`${a},${b},${c}`, share.length)
        share.push(ways * (1 / 6) ** a * (2 / 6) ** b * (3 / 6) ** c)
      }
    const draw = random(8)
    const draws = 60_000
    const counts = new Float64Array(share.length)
    for (let i = 0; i < draws; i++) {
      const at = outcomes.get(multinomialCounts(draw, 4, [1, 2, 3]).join(',')) as number
      counts[at] = (counts[at] ?? 0) + 1
    }
    expect(fit(counts, share, draws)).toBeGreaterThan(1e-3)
  })

  it('loses no draw to rounding, and never draws a weight of 0', () => {
    const draw = random(3)
    for (let i = 0; i < 300; i++) {
      const counts = multinomialCounts(draw, 1000, [0.1, 0.2, 0, 0.3, 1e-17, 0.1, 0])
      expect(counts.reduce((a, b) => a + b)).toBe(1000)
      expect(counts[2]).toBe(0)
      expect(counts[6]).toBe(0)
    }
  })

  it.each([
    [[], 'weights must not be empty'],
    [[0, 0], 'weights must not all be 0'],
    [[1, -1], 'weights[1] must be'],
    [[1, Number.NaN], 'weights[1] must be'],
    [[1e308, 1e308], 'the sum of weights must be'],
  ])('refuses the weights %s', (weights, message) => {
    expect(() => multinomialCounts(random(1), 3, weights)).toThrow(message)
  })
})
