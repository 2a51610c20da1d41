import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fakeSide, joined, passes, sideOf } from '../../test/fake-side.ts'
import type { Report } from '../report/index.ts'
import { compareReports } from './comparison.ts'
import type { CompareOptions } from './comparison-types.ts'
import type { Gate } from './gates.ts'
import { settling } from './words.ts'

const gated = (
  a: Report,
  b: Report,
  options: Partial<CompareOptions> = {},
): ReturnType<typeof compareReports> => compareReports(a, b, { gate: 'statistical', ...options })

const constant = (m: number, c: number): number[] => Array.from({ length: m }, () => c)

const good = sideOf(10, constant(20, 9))
const worse = sideOf(10, constant(20, 6))
const broken = sideOf(10, [0, 0, 0, ...constant(17, 9)])

describe('the statistical gate', () => {
  it('fails on a drop that is beyond the margin and beyond chance', () => {
    const { outcome, gates, pairs } = gated(good, worse)
    expect(outcome.code).toBe(1)
    expect(gates).toMatchObject([{ metric: 'meanScore', status: 'failed', verdict: 'regression' }])
    expect(pairs[0]?.metrics[0]).toMatchObject({ verdict: 'regression', needed: null })
    expect(pairs[0]?.metrics[0]?.change).toBeCloseTo(-0.3, 12)
  })

  it('sees cases that broke among others that did not, which a t over cases cannot', () => {
    expect(gated(good, broken).gates[0]?.status).toBe('failed')
    expect(gated(good, broken, { target: 'population' }).gates[0]?.status).toBe('undecided')
  })

  it('holds on an improvement and where a drop beyond the margin is ruled out', () => {
    expect(gated(worse, good).gates[0]).toMatchObject({ status: 'held', verdict: 'improvement' })
    const many = sideOf(100, constant(20, 95))
    expect(gated(many, many).gates[0]).toMatchObject({ status: 'held', verdict: 'noRegression' })
  })

  it('is undecided for want of evidence: exit 0, or 1 with strict, and says what would settle it', () => {
    const a = sideOf(5, constant(10, 4))
    const { outcome, gates, pairs } = gated(a, a)
    expect(gates[0]?.status).toBe('undecided')
    expect(outcome.code).toBe(0)
    expect(gated(a, a, { strict: true }).outcome.code).toBe(1)
    const needed = pairs[0]?.metrics[0]?.needed
    expect(needed?.trialsPerCase).toBeGreaterThan(10)
    expect(needed?.trials).toBe(20 * (needed?.trialsPerCase ?? 0))
    expect(needed?.usd).toBeCloseTo(0.001 * (needed?.trials ?? 0), 9)
  })

  it('asks for new groups, where cases form groups', () => {
    const grouped = (report: Report): Report => ({
      ...report,
      subjects: report.subjects.map((row) => ({
        ...row,
        cases: row.cases.map((one, i) => ({ ...one, group: `g${i % 4}` })),
      })),
    })
    const [a, b] = [sideOf(10, constant(12, 9)), sideOf(10, [2, 1, 2, 3, ...constant(8, 2)])]
    const options = { target: 'population' as const }
    const change = gated(grouped(a), grouped(b), options).pairs[0]?.metrics[0]
    expect(change?.reason).toBe('fewer than 5 independent groups of cases')
    expect(change?.needed).toMatchObject({ trialsPerCase: null, cases: 3, groups: 1, trials: 60 })
    expect(settling(change?.needed ?? null)).toContain(
      'About 3 more cases like these in 1 more group (60 more trials in all, about',
    )
    // Without groups, or about exactly these cases, groups are not asked for.
    expect(gated(a, a, options).pairs[0]?.metrics[0]?.needed?.groups).toBeUndefined()
    expect(gated(grouped(a), grouped(a)).pairs[0]?.metrics[0]?.needed?.groups).toBeUndefined()
  })

  it('with as many trials as it asked for, settles it', () => {
    const small = sideOf(5, constant(10, 4))
    const more = gated(small, small).pairs[0]?.metrics[0]?.needed?.trialsPerCase ?? 0
    // The same pass rates, with a third more trials than advised. The advice has a power of only 80 %, so it may not be
    // enough.
    const n = Math.ceil((4 / 3) * (5 + more))
    const large = sideOf(n, constant(10, Math.round(0.8 * n)))
    expect(gated(large, large).gates[0]?.status).toBe('held')
  })

  it('decides on the metric and the margin that were asked', () => {
    const slow = fakeSide(
      Object.fromEntries(
        constant(10, 5).map((_, i) => [`c${i}`, { scores: passes(9, 10), ms: 300 + 10 * i }]),
      ),
    )
    const fast = fakeSide(
      Object.fromEntries(
        constant(10, 5).map((_, i) => [`c${i}`, { scores: passes(9, 10), ms: 200 + 12 * i }]),
      ),
    )
    expect(gated(fast, slow, { metric: 'latency' }).gates[0]).toMatchObject({
      metric: 'latency',
      limit: 0.1,
      status: 'failed',
    })
    expect(gated(slow, fast, { metric: 'latency' }).gates[0]?.verdict).toBe('improvement')
    expect(gated(fast, slow, { metric: 'latency', margin: 1 }).gates[0]?.status).toBe('held')
    expect(gated(good, worse, { margin: 0.5 }).gates[0]?.status).toBe('held')
  })

  it('holds where every case took exactly as long as before', () => {
    const timed = (m: number, factor = 1): Report =>
      fakeSide(
        Object.fromEntries(
          constant(m, 0).map((_, i) => [
            `c${i}`,
            { scores: passes(9, 10), ms: factor * (100 + i), usd: 0.01 },
          ]),
        ),
      )
    const strict = { metric: 'latency', strict: true } as const
    expect(gated(timed(5), timed(5), strict)).toMatchObject({
      outcome: { code: 0 },
      gates: [{ status: 'held', verdict: 'noRegression' }],
    })
    expect(gated(timed(5), timed(5), { ...strict, metric: 'costOfPass' }).outcome.code).toBe(0)
    // Four cases are too few, and a change by the same factor in all cases leaves no variance. Neither proves anything.
    expect(gated(timed(4), timed(4), strict).outcome.code).toBe(1)
    expect(gated(timed(5), timed(5, 2), strict).gates[0]?.verdict).not.toBe('noRegression')
  })

  it('says nothing on fewer than five units, whatever the figures', () => {
    const [a, b] = [fakeSide({ x: [1], y: [1] }), fakeSide({ x: [0], y: [0] })]
    expect(gated(a, b).gates[0]?.status).toBe('undecided')
  })
})

describe('several gates', () => {
  const change = (metric: Gate['metric'], margin: number | null = null): Gate => ({
    metric,
    subject: null,
    rule: { kind: 'change', margin },
  })

  it('are adjusted together: what fails alone may be undecided among many', () => {
    // The p-value of this drop is between 0.05 / 6 and 0.05, so it is significant alone but not among six gates.
    const [a, b] = [sideOf(10, constant(16, 9)), sideOf(10, constant(16, 8))]
    const [alone] = gated(a, b, { gates: [change('meanScore')] }).gates
    expect(alone).toMatchObject({ status: 'failed' })
    expect(alone?.p).toBeGreaterThan(0.05 / 6)
    const six = gated(a, b, {
      gates: [change('meanScore'), ...constant(5, 0).map(() => change('meanScore', 0.5))],
    }).gates
    expect(six[0]).toMatchObject({ status: 'undecided', verdict: 'inconclusive' })
    expect(six[0]?.adjustedP).toBeCloseTo(6 * (alone?.p ?? 0), 9)
    expect(six[1]).toMatchObject({ status: 'held', verdict: 'noRegression' })
  })

  it('with bounds fail, hold or are undecided by the interval of the current run', () => {
    const bound = (kind: 'min' | 'max', value: number, metric: Gate['metric'] = 'passRate') =>
      gated(good, worse, { gates: [{ metric, subject: null, rule: { kind, bound: value } }] })
        .gates[0]?.status
    expect(bound('min', 0.9)).toBe('failed')
    expect(bound('min', 0.6)).toBe('undecided')
    expect(bound('min', 0.3)).toBe('held')
    expect(bound('max', 0.3)).toBe('failed')
    expect(bound('max', 0.9, 'meanScore')).toBe('held')
    const none = sideOf(10, constant(6, 0))
    const [cost] = gated(none, none, {
      gates: [{ metric: 'costOfPass', subject: null, rule: { kind: 'max', bound: 1 } }],
    }).gates
    expect(cost).toMatchObject({ status: 'failed', reason: 'it is infinite: nothing passed' })
  })

  it('may be about one subject of several', () => {
    const two = (c: number): Report =>
      joined(
        sideOf(10, constant(20, 9), { subject: 'x' }),
        sideOf(10, constant(20, c), { subject: 'y' }),
      )
    const { gates } = gated(two(9), two(5), {
      gates: [{ metric: 'meanScore', subject: 'y', rule: { kind: 'change', margin: null } }],
    })
    expect(gates).toMatchObject([{ subject: 'y', status: 'failed' }])
    expect(gated(two(9), two(5)).gates.map(({ subject, status }) => [subject, status])).toEqual([
      ['x', 'undecided'],
      ['y', 'failed'],
    ])
  })
})

describe('verdicts', () => {
  it('mirror each other: a regression there is an improvement back', () => {
    const counts = fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { minLength: 5, maxLength: 12 })
    fc.assert(
      fc.property(counts, (list) => {
        const side = (at: 0 | 1): Report =>
          sideOf(
            8,
            list.map((pair) => pair[at]),
          )
        const verdict = (a: Report, b: Report): string | undefined =>
          compareReports(a, b).pairs[0]?.metrics[0]?.verdict
        const there = verdict(side(0), side(1))
        const back = verdict(side(1), side(0))
        expect(there === 'regression').toBe(back === 'improvement')
        expect(there === 'improvement').toBe(back === 'regression')
      }),
      { numRuns: 40 },
    )
  })
})
