import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { random } from '../resample/random.ts'
import { normalSf } from '../special/normal.ts'
import { obrienFlemingBoundaries, spendingBoundaries } from './obrien-fleming.ts'

interface Vector {
  readonly looks?: number
  readonly information?: readonly number[]
  readonly alpha: number
  readonly z: readonly number[]
  readonly spent: readonly number[]
}

const vectors = golden<Vector>('sequential-boundaries')

const expectBoundaries = (
  actual: { readonly z: readonly number[]; readonly spent: readonly number[] },
  expected: Vector,
) => {
  expect(actual.z).toHaveLength(expected.z.length)
  for (const [k, z] of expected.z.entries())
    expectClose(actual.z[k] ?? 0, z, 1e-10, `look ${k + 1} of ${expected.z.length}`)
  for (const [k, spent] of expected.spent.entries())
    expectClose(actual.spent[k] ?? 0, spent, 1e-8, `spent by look ${k + 1}`)
}

/** A generator of standard normal numbers (Box and Muller). */
function normals(seed: number): () => number {
  const draw = random(seed)
  let spare: number | null = null
  return () => {
    if (spare !== null) {
      const z = spare
      spare = null
      return z
    }
    const r = Math.sqrt(-2 * Math.log(1 - draw()))
    const angle = 2 * Math.PI * draw()
    spare = r * Math.sin(angle)
    return r * Math.cos(angle)
  }
}

describe('obrienFlemingBoundaries', () => {
  it.each([
    [1, 0.05, 1.96],
    [2, 0.05, 1.977],
    [3, 0.05, 2.004],
    [4, 0.05, 2.024],
    [5, 0.05, 2.04],
    [10, 0.05, 2.087],
    [2, 0.1, 1.678],
    [5, 0.1, 1.751],
    [2, 0.01, 2.58],
    [5, 0.01, 2.621],
  ])('gives the published constant of %s looks at alpha %s: %s', (looks, alpha, constant) => {
    const final = obrienFlemingBoundaries(looks, alpha).z.at(-1) as number
    expect(Math.round(final * 1000) / 1000).toBe(constant)
  })

  it('agrees with dense integration by Simpson', () => {
    for (const v of vectors)
      if (v.looks !== undefined) expectBoundaries(obrienFlemingBoundaries(v.looks, v.alpha), v)
    expect(vectors.filter((v) => v.looks !== undefined).length).toBeGreaterThan(10)
  })

  it('spends alpha exactly, from the strictest look to nearly the usual test', () => {
    for (const [looks, alpha] of [
      [5, 0.05],
      [100, 0.05],
      [7, 1e-6],
    ] as const) {
      const { z, nominalP, spent } = obrienFlemingBoundaries(looks, alpha)
      expectClose(spent.at(-1) as number, alpha, 1e-12)
      for (const [k, x] of z.entries()) {
        expectClose(x * Math.sqrt(k + 1), z.at(0) as number, 1e-14)
        expectClose(nominalP[k] ?? 0, 2 * normalSf(x), 1e-14)
        if (k > 0) expect(spent[k]).toBeGreaterThanOrEqual(spent[k - 1] ?? 0)
      }
    }
  })

  it('raises false alarms in alpha of simulated runs; the usual test at each look in far more', () => {
    const { z } = obrienFlemingBoundaries(5)
    const normal = normals(81)
    const runs = 40_000
    let [planned, naive] = [0, 0]
    for (let run = 0; run < runs; run++) {
      let score = 0
      let [crossed, peeked] = [false, false]
      for (const [k, boundary] of z.entries()) {
        score += normal()
        const at = Math.abs(score) / Math.sqrt(k + 1)
        if (at >= boundary) crossed = true
        if (at >= 1.959963984540054) peeked = true
      }
      if (crossed) planned++
      if (peeked) naive++
    }
    // 0.0044 is four standard errors. Five unadjusted looks are known to give 14.2 % false alarms
    // (Armitage et al. 1969).
    expect(Math.abs(planned / runs - 0.05)).toBeLessThan(0.0044)
    expect(Math.abs(naive / runs - 0.142)).toBeLessThan(0.007)
  })

  it('refuses no looks, too many, and what is not an error rate', () => {
    expect(() => obrienFlemingBoundaries(0)).toThrow('looks must be')
    expect(() => obrienFlemingBoundaries(101)).toThrow('looks must be')
    expect(() => obrienFlemingBoundaries(2.5)).toThrow('looks must be')
    expect(() => obrienFlemingBoundaries(3, 0)).toThrow('alpha must be')
    expect(() => obrienFlemingBoundaries(3, 1)).toThrow('alpha must be')
  })
})

describe('spendingBoundaries', () => {
  it('agrees with dense integration by Simpson', () => {
    for (const v of vectors)
      if (v.information !== undefined)
        expectBoundaries(spendingBoundaries(v.information, v.alpha), v)
    expect(vectors.filter((v) => v.information !== undefined).length).toBeGreaterThan(4)
  })

  it('gives the boundaries that programs print for five equal looks', () => {
    const { z } = spendingBoundaries([0.2, 0.4, 0.6, 0.8, 1])
    expect(z.map((x) => Math.round(x * 1000) / 1000)).toEqual([4.877, 3.357, 2.68, 2.29, 2.031])
  })

  it('never changes a boundary by later looks', () => {
    const [short, long] = [spendingBoundaries([0.3, 0.5]), spendingBoundaries([0.3, 0.5, 0.9, 1])]
    for (const [k, z] of short.z.entries()) expectClose(long.z[k] ?? 0, z, 1e-10)
    expect(long.spent.at(-1)).toBeCloseTo(0.05, 10)
    expect(short.spent.at(-1)).toBeLessThan(0.05)
  })

  it.each([
    [[], 0.05, 'information must not be empty'],
    [[0, 1], 0.05, 'information must rise'],
    [[0.5, 0.5], 0.05, 'got 0.5 after 0.5'],
    [[0.5, 1.1], 0.05, 'information must rise'],
    [[0.5, Number.NaN], 0.05, 'information must rise'],
    [[1e-9, 1], 0.05, 'leaves nothing to spend'],
    [[0.5, 1], 1, 'alpha must be'],
  ])('refuses looks at %j with alpha %s', (information, alpha, message) => {
    expect(() => spendingBoundaries(information, alpha)).toThrow(RangeError)
    expect(() => spendingBoundaries(information, alpha)).toThrow(message)
  })
})
