import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import {
  type AlphaScale,
  krippendorffAlpha,
  krippendorffAlphaEstimate,
  type Ratings,
} from './krippendorff-alpha.ts'

const SCALES: readonly AlphaScale[] = ['nominal', 'ordinal', 'interval', 'ratio']

/** Four observers, twelve units: the example of Krippendorff 2011. */
const PUBLISHED: Ratings = [
  [1, 2, 3, 3, 2, 1, 4, 1, 2, null, null, null],
  [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, null, 3],
  [null, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, null],
  [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, null],
]

const table = fc
  .tuple(fc.integer({ min: 2, max: 4 }), fc.integer({ min: 1, max: 8 }))
  .chain(([judges, items]) =>
    fc.array(
      fc.array(fc.option(fc.integer({ min: 0, max: 4 })), { minLength: items, maxLength: items }),
      { minLength: judges, maxLength: judges },
    ),
  )

const transposed = (ratings: Ratings): (number | null)[][] =>
  (ratings.at(0) ?? []).map((_, item) => ratings.map((row) => row[item] ?? null))

describe('krippendorffAlpha', () => {
  it.each([
    ['nominal', 0.743],
    ['ordinal', 0.815],
    ['interval', 0.849],
    ['ratio', 0.797],
  ] as const)('gives the published %s alpha %s', (scale, printed) => {
    expect(Math.round((krippendorffAlpha(PUBLISHED, scale) as number) * 1000) / 1000).toBe(printed)
  })

  it('agrees with the coincidence matrix in exact rationals', () => {
    type Vector = { ratings: Ratings } & Record<AlphaScale, number | null>
    for (const vector of golden<Vector>('krippendorff-alpha'))
      for (const scale of SCALES) {
        const alpha = krippendorffAlpha(vector.ratings, scale)
        const expected = vector[scale]
        const about = `${scale} ${JSON.stringify(vector.ratings).slice(0, 60)}`
        if (expected === null) expect(alpha, about).toBeNull()
        else expect(Math.abs((alpha as number) - expected), about).toBeLessThan(1e-14)
      }
  })

  it('does not ask who rated, nor in which order items came', () => {
    fc.assert(
      fc.property(table, fc.constantFrom(...SCALES), (ratings, scale) => {
        const alpha = krippendorffAlpha(ratings, scale)
        const itemsBackwards = ratings.map((row) => row.toReversed())
        for (const other of [ratings.toReversed(), itemsBackwards]) {
          const same = krippendorffAlpha(other, scale)
          if (alpha === null) expect(same).toBeNull()
          else expect(same).toBeCloseTo(alpha, 12)
        }
      }),
    )
  })

  it('never exceeds 1, and is 1 exactly when all ratings of each item are equal', () => {
    fc.assert(
      fc.property(table, fc.constantFrom(...SCALES), (ratings, scale) => {
        const alpha = krippendorffAlpha(ratings, scale)
        const agreed = transposed(ratings).every(
          (item) => new Set(item.filter((x) => x !== null)).size <= 1,
        )
        if (alpha === null) return
        if (agreed) expect(alpha).toBe(1)
        else expect(alpha).toBeLessThan(1)
      }),
    )
  })

  it('has the invariance of its scale: names, order, units', () => {
    fc.assert(
      fc.property(table, (ratings) => {
        const map = (f: (x: number) => number) =>
          ratings.map((row) => row.map((x) => (x === null ? null : f(x))))
        const same = (scale: AlphaScale, f: (x: number) => number) => {
          const [a, b] = [krippendorffAlpha(ratings, scale), krippendorffAlpha(map(f), scale)]
          if (a === null) expect(b).toBeNull()
          else expect(b).toBeCloseTo(a, 10)
        }
        same('nominal', (x) => [7, -3, 11, 0, 5][x] ?? 0)
        same('ordinal', (x) => Math.exp(x))
        same('interval', (x) => 32 + 1.8 * x)
        same('ratio', (x) => 2.54 * x)
      }),
    )
  })

  it('leaves out what only one judge rated', () => {
    const more = PUBLISHED.map((row, judge) => [...row, judge === 2 ? 9 : null])
    for (const scale of SCALES)
      expectClose(
        krippendorffAlpha(more, scale) as number,
        krippendorffAlpha(PUBLISHED, scale) as number,
        1e-14,
      )
  })

  it('refuses what is not a table of ratings', () => {
    expect(() => krippendorffAlpha([[1, 2]], 'nominal')).toThrow('at least 2 members')
    expect(() => krippendorffAlpha([[], []], 'nominal')).toThrow('ratings[0] must not be empty')
    expect(() => krippendorffAlpha([[1], [1, 2]], 'nominal')).toThrow('same length')
    expect(() => krippendorffAlpha([[1], [Number.NaN]], 'nominal')).toThrow('ratings[1] must be')
    expect(() => krippendorffAlpha([[1], [-1]], 'ratio')).toThrow('of at least 0, got -1')
  })
})

describe('krippendorffAlphaEstimate', () => {
  it('has the distribution over all resamples of the items, those without an alpha included', () => {
    interface Vector {
      ratings: Ratings
      scale: AlphaScale
      undefinedShare: number
      ends: { level: number; low: [number, number]; high: [number, number] }[]
    }
    for (const { ratings, scale, undefinedShare, ends } of golden<Vector>('krippendorff-resampled'))
      for (const { level, low, high } of ends) {
        const e = krippendorffAlphaEstimate(ratings, scale, { seed: 17, resamples: 10_000, level })
        expect(e.value).toBe(krippendorffAlpha(ratings, scale))
        const error = Math.sqrt((undefinedShare * (1 - undefinedShare)) / 10_000)
        expect(Math.abs(e.undefinedResamples / 10_000 - undefinedShare)).toBeLessThan(4 * error)
        for (const [end, [from, to]] of [
          [e.percentile?.low, low],
          [e.percentile?.high, high],
        ] as const) {
          expect(end).toBeGreaterThanOrEqual(from - 1e-12)
          expect(end).toBeLessThanOrEqual(to + 1e-12)
        }
      }
  })

  it('holds the published alpha in a wide interval: twelve items are few', () => {
    const e = krippendorffAlphaEstimate(PUBLISHED, 'interval', { seed: 1, resamples: 2000 })
    expectClose(e.value as number, 0.8491, 1e-3)
    expect(e.percentile?.low).toBeLessThan(0.75)
    expect(e.percentile?.high).toBeGreaterThan(0.95)
    expect(e.percentile?.high).toBeLessThanOrEqual(1)
  })

  it('does not depend on the order of items and judges', () => {
    const options = { seed: 3, resamples: 300 }
    const mixed = PUBLISHED.toReversed().map((row) => row.toReversed())
    for (const scale of SCALES)
      expect(krippendorffAlphaEstimate(mixed, scale, options)).toEqual(
        krippendorffAlphaEstimate(PUBLISHED, scale, options),
      )
  })

  it('says when there is nothing to agree about or nothing seen', () => {
    const none = krippendorffAlphaEstimate(
      [
        [1, 1],
        [1, 1],
      ],
      'nominal',
      { seed: 1, resamples: 50 },
    )
    expect(none).toMatchObject({ value: null, undefinedResamples: 50, percentile: null })
    const perfect = krippendorffAlphaEstimate(
      [Array.from({ length: 40 }, (_, i) => i % 2), Array.from({ length: 40 }, (_, i) => i % 2)],
      'nominal',
      { seed: 1, resamples: 50 },
    )
    expect(perfect).toMatchObject({ value: 1, degenerate: true, percentile: null })
  })

  it('resamples groups of items where they are given, whatever the order of the items', () => {
    // Five cases with four trials each. Within a case, each judge gives the same rating four times.
    const marks = [
      [1, 1],
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ].flatMap((pair) => Array.from({ length: 4 }, () => pair as [number, number]))
    const groups = marks.map((_, i) => `case ${Math.floor(i / 4)}`)
    const ratings = [marks.map(([a]) => a), marks.map(([, b]) => b)]
    const options = { seed: 1, resamples: 999 }
    const byCase = krippendorffAlphaEstimate(ratings, 'interval', { ...options, groups })
    const byTrial = krippendorffAlphaEstimate(ratings, 'interval', options)
    expect(byCase.value).toBe(byTrial.value)
    const width = ({ percentile }: typeof byCase) =>
      (percentile?.high ?? 0) - (percentile?.low ?? 0)
    expect(width(byCase)).toBeGreaterThan(1.4 * width(byTrial))
    const shuffled = krippendorffAlphaEstimate(
      ratings.map((row) => row.toReversed()),
      'interval',
      { ...options, groups: groups.toReversed() },
    )
    expect(shuffled).toEqual(byCase)
    expect(() =>
      krippendorffAlphaEstimate(ratings, 'interval', { ...options, groups: ['a'] }),
    ).toThrow('groups and ratings[0] must have the same length')
  })
})
