import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import type { Metric } from '../metric.ts'
import { random } from '../resample/random.ts'
import { classification, type ClassifiedTrials } from './classification.ts'

interface Share {
  value: number
  n: number
  se?: number
  bounds: [number, number] | null
}

interface Vector {
  trials: [string, string | null, string][]
  level: number
  classes: { name: string; precision: Share | null; recall: Share | null; f1: Share | null }[]
  accuracy: Share
  confusion: number[][]
  micro: [number, number, number]
  macro: [number, number, number]
}

const trialsOf = (list: readonly [string, string | null, string][]): ClassifiedTrials[] =>
  list.map(([expected, predicted, unit]) => ({ expected, predicted, unit, count: 1 }))

function expectShare(actual: Metric, expected: Share | null, at: string): void {
  if (expected === null) {
    expect(actual.value, at).toBeNull()
    expect(actual.reason, at).toBeTypeOf('string')
    return
  }
  expect(actual.value, at).toBeCloseTo(expected.value, 12)
  expect(actual.n, at).toBe(expected.n)
  if (expected.bounds === null) expect(actual.interval, at).toBeUndefined()
  else {
    expect(actual.interval?.low, at).toBeCloseTo(expected.bounds[0], 9)
    expect(actual.interval?.high, at).toBeCloseTo(expected.bounds[1], 9)
  }
  if (expected.se !== undefined && expected.se > 0 && actual.se !== undefined)
    expectClose(actual.se, expected.se, 1e-9, at)
}

describe('classification', () => {
  it('agrees with scikit-learn, statsmodels and scipy', () => {
    for (const [i, v] of golden<Vector>('classification').entries()) {
      const found = classification(trialsOf(v.trials), { level: v.level })
      expect(found.classes.map(({ name }) => name)).toEqual(v.classes.map(({ name }) => name))
      expect(found.confusion).toEqual(v.confusion)
      expectShare(found.accuracy, v.accuracy, `${i} accuracy`)
      for (const [k, one] of found.classes.entries()) {
        const theirs = v.classes[k] as Vector['classes'][number]
        expectShare(one.precision, theirs.precision, `${i} precision ${one.name}`)
        expectShare(one.recall, theirs.recall, `${i} recall ${one.name}`)
        expectShare(one.f1, theirs.f1, `${i} f1 ${one.name}`)
      }
      for (const [k, key] of (['precision', 'recall', 'f1'] as const).entries()) {
        expect(found.micro[key].value ?? 0, `${i} micro ${key}`).toBeCloseTo(
          v.micro[k] as number,
          12,
        )
        // scikit-learn counts a figure without a denominator as 0. Here there is no average then.
        if (found.macro[key].value !== null)
          expect(found.macro[key].value, `${i} macro ${key}`).toBeCloseTo(v.macro[k] as number, 12)
      }
    }
  })

  const some = fc.array(
    fc.record({
      expected: fc.constantFrom('a', 'b', 'c'),
      predicted: fc.constantFrom('a', 'b', 'c', null),
      count: fc.integer({ min: 0, max: 3 }),
      unit: fc.constantFrom('1', '2', '3', '4', '5'),
    }),
    { maxLength: 25 },
  )

  it('keeps every figure in its interval, and every interval in [0, 1]', () => {
    fc.assert(
      fc.property(some, (trials) => {
        const { classes, accuracy, macro, micro } = classification(trials)
        const all = [accuracy, ...Object.values(macro), ...Object.values(micro)] as Metric[]
        for (const one of classes) all.push(one.precision, one.recall, one.f1)
        for (const { value, interval, reason } of all) {
          if (value === null) expect(reason).toBeTypeOf('string')
          else if (interval === undefined) expect(reason).toBeTypeOf('string')
          else {
            expect(interval.low).toBeGreaterThanOrEqual(0)
            expect(interval.low).toBeLessThanOrEqual(value + 1e-12)
            expect(interval.high).toBeGreaterThanOrEqual(value - 1e-12)
            expect(interval.high).toBeLessThanOrEqual(1)
          }
        }
      }),
    )
  })

  it('does not depend on the order of trials, nor on how they are counted', () => {
    fc.assert(
      fc.property(some, (trials) => {
        const split = trials.flatMap((one) =>
          Array.from({ length: one.count }, () => ({ ...one, count: 1 })),
        )
        const kept = trials.filter(({ count }) => count > 0)
        expect(classification(split.toReversed())).toEqual(classification(kept))
      }),
    )
  })

  it('gives nothing for naming no class: recall, F1 and accuracy never rise', () => {
    fc.assert(
      fc.property(some, fc.nat(24), (trials, at) => {
        const kept = trials.filter(({ count }) => count > 0)
        const silent = kept.map((one, i) =>
          i === at % kept.length ? { ...one, predicted: null } : one,
        )
        const [before, after] = [classification(kept), classification(silent)]
        expect(after.accuracy.value ?? 0).toBeLessThanOrEqual(before.accuracy.value ?? 0)
        for (const one of after.classes) {
          const was = before.classes.find(({ name }) => name === one.name)
          if (kept[at % kept.length]?.predicted === one.name) continue
          expect(one.recall.value).toBe(was?.recall.value)
        }
      }),
    )
  })

  it('refuses counts that are no counts', () => {
    const one = { expected: 'a', predicted: 'a', unit: '1' }
    expect(() => classification([{ ...one, count: -1 }])).toThrow(RangeError)
    expect(() => classification([{ ...one, count: 0.5 }])).toThrow(RangeError)
    expect(() => classification([], { level: 1 })).toThrow(RangeError)
    expect(classification([]).accuracy).toMatchObject({ value: null, n: 0 })
  })

  it('covers the true recall of a class about as often as it says', () => {
    let covered = 0
    const runs = 600
    for (let run = 0; run < runs; run++) {
      const draw = random(5, run)
      const trials = Array.from({ length: 60 }, (_, i): ClassifiedTrials => {
        const expected = draw() < 0.3 ? 'a' : 'b'
        const predicted = draw() < 0.8 ? expected : expected === 'a' ? 'b' : 'a'
        return { expected, predicted, count: 1, unit: String(i) }
      })
      const { classes } = classification(trials)
      const { low, high } = classes[0]?.recall.interval ?? { low: 0, high: 1 }
      if (low <= 0.8 && high >= 0.8) covered++
    }
    expect(covered / runs).toBeGreaterThan(0.93)
  })
})
