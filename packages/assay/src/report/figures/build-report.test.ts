import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reportOf, trialOf } from '../../../test/report-of.ts'
import type { Outcome, Trial } from '@assay/contract'
import { reportSchema } from '../schema/report.ts'

const OUTCOMES: readonly Outcome[] = ['passed', 'failed', 'unscored', 'errored']
const suite = { id: 's', cases: ['a', 'b', 'c'].map((id) => ({ id, trials: 4 })) }
const subjects = [{ id: 'x' }, { id: 'y' }]

/** Random trials of the plan. Some planned trials are recorded twice, some not at all. */
const someTrials = fc.array(
  fc
    .record({
      case: fc.constantFrom('a', 'b', 'c'),
      subject: fc.constantFrom('x', 'y'),
      index: fc.nat(3),
      outcome: fc.constantFrom(...OUTCOMES),
      score: fc.option(fc.integer({ min: 0, max: 10 }).map((n) => n / 10)),
      implRate: fc.option(fc.integer({ min: 0, max: 10 }).map((n) => n / 10)),
      usd: fc.option(fc.integer({ min: 0, max: 1000 }).map((n) => n / 1e6)),
      ms: fc.nat(10_000),
    })
    .map(({ usd, ms, ...one }) =>
      trialOf({
        ...one,
        cost: { answerUsd: usd, judgeUsd: null, spentUsd: 0 },
        time: { startedAt: '', answerMs: ms, waitMs: 0, gradeMs: 1 },
        ...(one.outcome === 'errored'
          ? { reason: { code: 'provider-error' as const, text: 'gone' } }
          : {}),
      }),
    ),
  { maxLength: 30 },
)

const keyOf = ({ case: one, subject, index }: Trial): string => `${one} ${subject} ${index}`
const onlyLast = (trials: readonly Trial[]): Trial[] => [
  ...new Map(trials.map((trial) => [keyOf(trial), trial])).values(),
]

describe('a report', () => {
  it('is valid JSON by its schema, without NaN or Infinity, whatever was recorded', () => {
    fc.assert(
      fc.property(someTrials, (trials) => {
        const report = reportOf([suite], subjects, trials, {
          passK: [1, 3, 9],
          tiers: { order: ['x', 'y'], baseline: 'x' },
        })
        const again: unknown = JSON.parse(JSON.stringify(report))
        // Values that JSON cannot represent (NaN, Infinity) would come back as null. So the report must not contain
        // any.
        expect(again).toEqual(report)
        expect(reportSchema.parse(again)).toEqual(again)
      }),
      { seed: 1, numRuns: 150 },
    )
  })

  it('has one denominator: planned is the sum of the outcomes, everywhere', () => {
    fc.assert(
      fc.property(someTrials, (trials) => {
        const report = reportOf([suite], subjects, trials)
        const all = [
          report.counts,
          ...report.subjects.flatMap((row) => [row.counts, ...row.cases.map((one) => one.counts)]),
        ]
        for (const { planned, passed, failed, unscored, errored, cancelled } of all)
          expect(passed + failed + unscored + errored + cancelled).toBe(planned)
        expect(report.counts.planned).toBe(24)
        expect(report.counts.cancelled).toBe(24 - onlyLast(trials).length)
      }),
      { seed: 1, numRuns: 60 },
    )
  })

  it('does not depend on the order of lines of different trials', () => {
    fc.assert(
      fc.property(someTrials, fc.integer(), (trials, seed) => {
        const once = onlyLast(trials)
        const shuffled = once
          .map((trial, i) => ({ trial, at: Math.imul(i + 1, seed | 1) % 1009 }))
          .sort((a, b) => a.at - b.at)
          .map(({ trial }) => trial)
        expect(JSON.stringify(reportOf([suite], subjects, shuffled))).toBe(
          JSON.stringify(reportOf([suite], subjects, once)),
        )
      }),
      { seed: 1, numRuns: 60 },
    )
  })

  it('says what errored trials could have changed', () => {
    const outcomes: Outcome[] = ['passed', 'failed', 'errored', 'errored']
    const trials = outcomes.map((outcome, index) => trialOf({ case: 'a', index, outcome }))
    const [row] = reportOf([suite], subjects, trials).subjects
    expect(row?.passRate.value).toBe(0.5)
    expect(row?.sensitivity).toEqual({ erroredFail: 0.25, erroredPass: 0.75 })
  })

  it('names graders that failed, with how often they were asked', () => {
    const grade = (name: string, passed: boolean | null) => ({
      name,
      type: name,
      score: passed === true ? 1 : 0,
      passed,
      weight: 1,
    })
    const trials = [
      trialOf({ case: 'a', index: 0, grades: [grade('x', true), grade('y', false)] }),
      trialOf({ case: 'a', index: 1, grades: [grade('y', false), grade('advice', null)] }),
      trialOf({ case: 'a', index: 2, outcome: 'errored', grades: [grade('x', false)] }),
    ]
    const [row] = reportOf([suite], subjects, trials).subjects
    expect(row?.cases[0]?.failedGraders).toEqual([{ name: 'y', failed: 2, of: 2 }])
  })

  it('gives no cost where one scored trial has none', () => {
    const cost = (usd: number | null) => ({ answerUsd: usd, judgeUsd: null, spentUsd: 0 })
    const known = [trialOf({ case: 'a', cost: cost(2) }), trialOf({ case: 'b', cost: cost(1) })]
    const rowOf = (trials: readonly Trial[]) => reportOf([suite], subjects, trials).subjects[0]
    expect(rowOf(known)?.cost).toMatchObject({ totalUsd: 3, perTrialUsd: 1.5, unknown: 0 })
    expect(rowOf([...known, trialOf({ case: 'c', cost: cost(null) })])?.cost).toMatchObject({
      totalUsd: null,
      perTrialUsd: null,
      unknown: 1,
      perPass: { value: null, reason: 'the price of 1 answer is unknown' },
    })
  })

  it('thins a long curve and keeps its ends', () => {
    const many = { id: 's', cases: [{ id: 'a', trials: 1000 }] }
    const trials = Array.from({ length: 1000 }, (_, index) =>
      trialOf({ case: 'a', index, outcome: index < 3 ? 'passed' : 'failed' }),
    )
    const [row] = reportOf([many], [{ id: 'x' }], trials).subjects
    const ks = row?.curve.passAtK.map(({ k }) => k) ?? []
    expect(ks.slice(0, 3)).toEqual([1, 2, 3])
    expect(ks.at(-1)).toBe(1000)
    expect(ks.length).toBeLessThanOrEqual(140)
    expect(ks).toEqual([...ks].sort((a, b) => a - b))
    expect(row?.curve.passAtK.at(-1)?.metric.value).toBe(1)
  })
})
