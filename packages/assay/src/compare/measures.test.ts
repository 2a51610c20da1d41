import {
  costOfPassRatio,
  meanScoreEstimate,
  pairedDifference,
  passHatKUnbiased,
  upliftRatio,
} from '@assay/metrics'
import { describe, expect, it } from 'vitest'
import { fakeSide, passes, sideOf, type FakeCase } from '../../test/fake-side.ts'
import type { Report } from '../report/index.ts'
import { estimateOver } from '../report/index.ts'
import { matchCases, type CasePair } from './match-cases.ts'
import { measureOf, type Setting } from './measures.ts'

const FIXED: Setting = { level: 0.95, target: 'fixed', k: 1 }

const pairsOf = (a: Report, b: Report): readonly CasePair[] =>
  matchCases(a, b, { baseline: 'fake', current: 'fake' }).pairs

const before = [5, 4, 3, 5, 2, 1]
const after = [4, 4, 1, 5, 0, 2]
const counted = pairsOf(sideOf(5, before), sideOf(5, after))

describe('scores and rates', () => {
  it('join the two fixed-set intervals as the sides of right angles', () => {
    const sums = (list: readonly number[]) => list.map((c) => ({ n: 5, sum: c, sumSq: c }))
    const a = meanScoreEstimate(sums(before), 'fixed')
    const b = meanScoreEstimate(sums(after), 'fixed')
    const [x, y] = [a.value ?? 0, b.value ?? 0]
    const { difference, baseline, current } = measureOf('meanScore').compare(counted, FIXED)
    expect([baseline, current]).toEqual([x, y])
    expect(difference?.difference).toBeCloseTo(y - x, 15)
    expect(difference?.interval).toMatchObject({ target: 'fixed', level: 0.95 })
    expect(difference?.interval?.low).toBeCloseTo(
      y - x - Math.sqrt((y - (b.interval?.low ?? 0)) ** 2 + ((a.interval?.high ?? 0) - x) ** 2),
      14,
    )
    expect(difference?.interval?.high).toBeCloseTo(
      y - x + Math.sqrt(((b.interval?.high ?? 0) - y) ** 2 + (x - (a.interval?.low ?? 0)) ** 2),
      14,
    )
  })

  it('are a paired t for cases like these, and where a case has a single trial', () => {
    const t = pairedDifference(
      before.map((c) => c / 5),
      after.map((c) => c / 5),
    )
    const population = { ...FIXED, target: 'population' } as const
    const { difference } = measureOf('meanScore').compare(counted, population)
    const fixed = measureOf('meanScore').compare(counted, FIXED).difference?.interval
    expect(difference).toMatchObject({ difference: t.difference, se: t.se, units: t.units })
    // It is widened where it would not contain the interval for exactly these cases.
    expect(difference?.interval).toEqual({
      ...t.interval,
      low: Math.min(t.interval?.low ?? 0, fixed?.low ?? 0),
      high: Math.max(t.interval?.high ?? 0, fixed?.high ?? 0),
    })
    const one = fakeSide({ ...single([1, 1, 0]), d: [1, 1] })
    const other = fakeSide({ ...single([0, 1, 0]), d: [1, 0] })
    expect(measureOf('meanScore').compare(pairsOf(one, other), FIXED).difference).toEqual(
      pairedDifference([1, 1, 0, 1], [0, 1, 0, 0.5]),
    )
  })

  it('take pass^k over the cases with k trials on both sides', () => {
    const a = fakeSide({ x: passes(4, 5), y: passes(3, 5), z: [1] })
    const b = fakeSide({ x: passes(3, 5), y: passes(5, 5), z: passes(5, 5) })
    const { baseline, current, cases } = measureOf('passHatK').compare(pairsOf(a, b), {
      ...FIXED,
      k: 2,
    })
    expect(cases).toBe(2)
    expect(baseline).toBeCloseTo((passHatKUnbiased(5, 4, 2) + passHatKUnbiased(5, 3, 2)) / 2, 15)
    expect(current).toBeCloseTo((passHatKUnbiased(5, 3, 2) + 1) / 2, 15)
    expect(measureOf('passHatK').compare(pairsOf(a, b), { ...FIXED, k: 9 }).reason).toBe(
      'no case has 9 scored trials on both sides',
    )
  })

  it('have a width even where all trials of both sides agree', () => {
    const all = pairsOf(sideOf(5, [5, 5, 5]), sideOf(5, [5, 5, 5]))
    const { interval } = measureOf('meanScore').compare(all, FIXED).difference ?? {}
    expect(interval?.low).toBeLessThan(-0.1)
    expect(interval?.high).toBeGreaterThan(0.1)
  })
})

const single = (scores: readonly number[]): Record<string, number[]> =>
  Object.fromEntries(scores.map((score, i) => [`s${i}`, [score]]))

describe('cost and latency', () => {
  const costs = (factor: number): Record<string, FakeCase> =>
    Object.fromEntries(
      before.map((c, i) => [
        `c${i}`,
        { scores: passes(c, 5), usd: factor * (i + 1), ms: factor * 100 * (i + 2) },
      ]),
    )

  it('agree with the paired uplift ratio of @assay/metrics', () => {
    const [a, b] = [
      [200, 300, 500, 450, 300],
      [220, 310, 420, 500, 410],
    ] as const
    const side = (ms: readonly number[]): Report =>
      fakeSide(Object.fromEntries(ms.map((one, i) => [`c${i}`, { scores: [1, 0], ms: one }])))
    const { difference } = measureOf('latency').compare(pairsOf(side(a), side(b)), FIXED)
    const uplift = upliftRatio(a, b)
    expect(Math.expm1(-(difference?.difference ?? 0))).toBeCloseTo(uplift.value ?? 0, 12)
    expect(Math.expm1(-(difference?.interval?.high ?? 0))).toBeCloseTo(
      uplift.interval?.low ?? 0,
      12,
    )
    expect(Math.expm1(-(difference?.interval?.low ?? 0))).toBeCloseTo(
      uplift.interval?.high ?? 0,
      12,
    )
  })

  it('have the cost of a pass of the reports: total cost over total passes', () => {
    // A case with more trials has more weight, because its cost and its passes are added up over all of them.
    const a = fakeSide({
      x: { scores: passes(9, 10), usd: 0.1 },
      y: { scores: passes(1, 2), usd: 0.2 },
      z: { scores: passes(1, 3), usd: 0.05 },
    })
    const b = fakeSide({
      x: { scores: passes(2, 3), usd: 0.1 },
      y: { scores: passes(9, 12), usd: 0.3 },
      z: { scores: passes(1, 1), usd: 0.01 },
    })
    const { baseline, current, difference } = measureOf('costOfPass').compare(pairsOf(a, b), FIXED)
    expect(baseline).toBeCloseTo((1 + 0.4 + 0.15) / 11, 12)
    expect(baseline).toBeCloseTo(a.subjects[0]?.cost.perPass.value ?? 0, 12)
    expect(current).toBeCloseTo(b.subjects[0]?.cost.perPass.value ?? 0, 12)
    expect(Math.exp(-(difference?.difference ?? 0))).toBeCloseTo(
      (current ?? 0) / (baseline ?? 1),
      12,
    )
  })

  it('agree on one side with the cost-of-pass ratio of @assay/metrics', () => {
    const cases = fakeSide(costs(1)).subjects[0]?.cases ?? []
    const ours = estimateOver(cases, { ...FIXED, metric: 'costOfPass' })
    const theirs = costOfPassRatio(before.map((c, i) => ({ n: 5, c, cost: 5 * (i + 1) })))
    expect(ours.value).toBeCloseTo(theirs.value ?? 0, 12)
    expect(ours.interval?.low).toBeCloseTo(theirs.interval?.low ?? 0, 12)
    expect(ours.interval?.high).toBeCloseTo(theirs.interval?.high ?? 0, 12)
  })

  it('do not depend on the unit, and a factor for all is that factor', () => {
    const difference = (x: number, y: number): number =>
      measureOf('costOfPass').compare(pairsOf(fakeSide(costs(x)), fakeSide(costs(y))), FIXED)
        .difference?.difference ?? Number.NaN
    expect(difference(1, 2)).toBeCloseTo(-Math.log(2), 12)
    expect(difference(100, 200)).toBeCloseTo(-Math.log(2), 12)
  })

  it('say why there is none', () => {
    const reason = (a: Record<string, FakeCase>, b: Record<string, FakeCase>): string | null =>
      measureOf('costOfPass').compare(pairsOf(fakeSide(a), fakeSide(b)), FIXED).reason
    expect(measureOf('costOfPass').compare([], FIXED).reason).toBe(
      'no case has scored trials on both sides',
    )
    const priced = { a: { scores: [1, 0], usd: 1 }, b: { scores: [1, 0], usd: 1 } }
    expect(reason(priced, { ...priced, b: { scores: [1], usd: null } })).toBe('prices are unknown')
    expect(reason(priced, { a: { scores: [0], usd: 1 } })).toBe('nothing passed in the current run')
    expect(reason({ a: { scores: [1], usd: 0 } }, priced)).toBe(
      'nothing cost anything in the baseline',
    )
  })
})
