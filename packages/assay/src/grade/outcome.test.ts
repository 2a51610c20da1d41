import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Answer, Case, Grade, GraderConfig, Reason } from '@assay/contract'
import { answerFailure, trialOutcome, type TrialEnd, type TrialOutcome } from './outcome.ts'

const grade = (given: Partial<Grade>): Grade => ({
  name: 'g',
  type: 'program',
  score: 1,
  passed: true,
  weight: 1,
  ...given,
})

/** Returns the configurations of graders that would give these grades. */
const configs = (grades: readonly Grade[]): GraderConfig[] =>
  grades.map(({ type, name, weight, required = false }) => ({
    ...{ type, name, weight, required, negate: false, options: {} },
  }))

/** Computes the outcome of a trial with these grades. By default, the graders are those of the grades. */
const outcome = (
  grades: readonly Grade[],
  threshold: number | null,
  graders = configs(grades),
): TrialOutcome => trialOutcome({ graders, threshold }, { kind: 'graded', grades })

const judged = (given: Partial<Grade>): Grade => grade({ type: 'judge', name: 'judge', ...given })

describe('the outcome of a graded answer', () => {
  it('has the weighted mean of the scores', () => {
    const grades = [grade({ score: 1, weight: 3 }), grade({ score: 0, passed: false })]
    expect(outcome(grades, null)).toMatchObject({ score: 0.75, outcome: 'failed' })
    expect(outcome(grades, 0.75)).toMatchObject({ score: 0.75, outcome: 'passed' })
    expect(outcome(grades, 0.76)).toMatchObject({ score: 0.75, outcome: 'failed' })
  })

  it('is 0 and failed as soon as a required grade failed, whatever the threshold', () => {
    const grades = [grade({ weight: 9 }), grade({ score: 1, passed: false, required: true })]
    for (const threshold of [null, 0, 0.5])
      expect(outcome(grades, threshold)).toMatchObject({ score: 0, outcome: 'failed' })
    const unscored = grade({ score: null, passed: false, required: true })
    expect(outcome([unscored], 0.5)).toMatchObject({ outcome: 'failed', score: 0 })
  })

  it('does not take a grade without a verdict for a failure, even where it is required', () => {
    const advice = grade({ score: 0, passed: null, required: true })
    expect(outcome([grade({}), advice], null)).toMatchObject({ score: 0.5, outcome: 'passed' })
  })

  it('leaves grades without a score out of the mean, not out of the verdict', () => {
    const grades = [grade({ score: 0.5 }), grade({ score: null, passed: false, weight: 5 })]
    expect(outcome(grades, null)).toMatchObject({ score: 0.5, outcome: 'failed' })
  })

  it('has no score where all weights are 0, and then no threshold decides', () => {
    expect(outcome([grade({ weight: 0 })], null)).toMatchObject({ score: null, outcome: 'passed' })
    expect(outcome([grade({ weight: 0 })], 0.5)).toMatchObject({ score: null, outcome: 'errored' })
  })

  it.each([0.9, null])('is errored where nobody gave a verdict, with score %s', (score) => {
    const grades = [grade({ score, passed: null })]
    expect(outcome(grades, null)).toEqual({
      outcome: 'errored',
      reason: {
        code: 'grader-error',
        text: 'no grader gave a verdict, and the case has no threshold',
      },
      score: null,
      implRate: null,
      grades,
    })
  })

  it('is errored where there is a threshold and no score', () => {
    for (const passed of [true, false, null])
      expect(outcome([grade({ score: null, passed })], 0.5)).toMatchObject({
        outcome: 'errored',
        reason: {
          code: 'grader-error',
          text: 'no grader gave a score that counts, and the case has a threshold of 0.5',
        },
      })
  })

  it('fails below the threshold, with the grade that failed as its reason, if there is one', () => {
    expect(outcome([grade({ score: 0.25, passed: null })], 0.5)).toMatchObject({
      outcome: 'failed',
      reason: { code: 'wrong-answer', text: 'score 0.25 is below the threshold 0.5' },
      score: 0.25,
    })
    const culprit = {
      name: 'tests',
      passed: false,
      cause: 'tests-failed',
      reason: '1 of 2',
    } as const
    expect(outcome([grade({ score: 0 }), grade({ ...culprit, score: 0 })], 0.5)).toMatchObject({
      reason: { code: 'tests-failed', text: 'tests: 1 of 2' },
    })
  })

  it('does not fail a threshold by rounding', () => {
    for (const score of [0.1, 0.3, 0.55, 0.7, 0.95])
      for (let n = 1; n < 20; n++) {
        const grades = Array.from({ length: n }, (_, i) => grade({ score, weight: 0.1 + i / 7 }))
        expect(outcome(grades, score).outcome).toBe('passed')
        expect(outcome(grades, score + 1e-6).outcome).toBe('failed')
      }
  })
})

describe('advice', () => {
  it('loses its verdict where another grader decides, and keeps its score', () => {
    const grades = [grade({}), judged({ score: 0, passed: false })]
    expect(outcome(grades, null)).toEqual({
      outcome: 'passed',
      score: 0.5,
      implRate: 0,
      grades: [grade({}), judged({ score: 0, passed: null })],
    })
  })

  it('decides alone, or beside a grader without a verdict, or where it is required', () => {
    const against = judged({ score: 0, passed: false })
    expect(outcome([against], null)).toMatchObject({ outcome: 'failed', grades: [against] })
    const open = grade({ passed: null })
    expect(outcome([open, against], null)).toMatchObject({
      outcome: 'failed',
      grades: [open, against],
    })
    const strict = judged({ score: 0, passed: false, required: true })
    expect(outcome([grade({}), strict], null)).toMatchObject({
      outcome: 'failed',
      score: 0,
      grades: [grade({}), strict],
    })
  })
})

describe('the outcome without grades', () => {
  const reason: Reason = { code: 'grader-timeout', text: 'too slow' }

  it('of an answer that failed is judged 0 where a judge would have been asked', () => {
    const failed = { outcome: 'failed', reason, score: 0, grades: [] }
    const end: TrialEnd = { kind: 'failed', reason }
    const of = (graders: GraderConfig[]): TrialOutcome =>
      trialOutcome({ graders, threshold: null }, end)
    expect(of(configs([grade({})]))).toEqual({ ...failed, implRate: null })
    expect(of(configs([grade({}), judged({})]))).toEqual({ ...failed, implRate: 0 })
  })

  it('of a trial that could not be graded says nothing about the subject', () => {
    for (const graders of [[], configs([judged({})])])
      expect(trialOutcome({ graders, threshold: null }, { kind: 'errored', reason })).toEqual({
        ...{ outcome: 'errored', reason, score: null, implRate: null, grades: [] },
      })
  })

  it('of a case without graders is unscored, even for an answer that failed', () => {
    for (const end of [
      { kind: 'graded', grades: [] } as const,
      { kind: 'failed', reason } as const,
    ])
      expect(trialOutcome({ graders: [], threshold: 0.5 }, end)).toEqual({
        ...{ outcome: 'unscored', score: null, implRate: null, grades: [] },
      })
  })
})

describe('answerFailure', () => {
  const answer = (given: Partial<Answer>): Answer => ({
    ...{ text: 'hello', stop: 'end', usage: null, usd: null },
    ...given,
  })

  it('is null for a text, files, a diff or an action', () => {
    expect(answerFailure(answer({}))).toBeNull()
    expect(answerFailure(answer({ text: ' ' }))).toMatchObject({ code: 'empty-answer' })
    expect(answerFailure(answer({ text: '', files: { a: '' } }))).toBeNull()
  })

  it('prefers what the subject says about how it stopped', () => {
    expect(answerFailure(answer({ stop: 'length' }))).toMatchObject({ code: 'truncated' })
    expect(answerFailure(answer({ stop: 'exit', note: 'exit code 3' }))).toEqual({
      code: 'exit-code',
      text: 'exit code 3',
    })
  })
})

// ── Laws ─────────────────────────────────────────────────────────────────────────────────────────────

const anyGrade = fc.record({
  name: fc.constant('g'),
  type: fc.constantFrom('program', 'judge'),
  score: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  passed: fc.option(fc.boolean()),
  weight: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e9, noNaN: true })),
  required: fc.constantFrom(undefined, true as const),
}) as fc.Arbitrary<Grade>
const anyGrades = fc.array(anyGrade, { minLength: 1, maxLength: 8 })
const anyThreshold = fc.option(fc.double({ min: 0, max: 1, noNaN: true }))

describe('trialOutcome', () => {
  it('has scores from 0 to 1', () => {
    fc.assert(
      fc.property(anyGrades, anyThreshold, (grades, threshold) => {
        const { score, implRate } = outcome(grades, threshold)
        for (const value of [score ?? 0, implRate ?? 0]) {
          expect(value).toBeGreaterThanOrEqual(0)
          expect(value).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  it('does not depend on the order of the grades', () => {
    fc.assert(
      fc.property(
        anyGrades,
        anyThreshold,
        fc.infiniteStream(fc.nat()),
        (grades, threshold, keys) => {
          const shuffled = grades
            .map((one) => [keys.next().value as number, one] as const)
            .sort(([a], [b]) => a - b)
            .map(([, one]) => one)
          const { grades: _, ...before } = outcome(grades, threshold)
          const { grades: _shuffled, ...after } = outcome(shuffled, threshold)
          expect(after).toEqual(before)
        },
      ),
    )
  })

  it('never falls when a grade gets better', () => {
    fc.assert(
      fc.property(
        anyGrades,
        anyThreshold,
        fc.nat(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (grades, threshold, which, gain) => {
          const before = outcome(grades, threshold)
          const at = which % grades.length
          const better = grades.map((one, i) =>
            i === at
              ? {
                  ...one,
                  score: one.score === null ? null : Math.min(1, one.score + gain),
                  passed: one.passed === null ? null : true,
                }
              : one,
          )
          const after = outcome(better, threshold)
          expect(after.score ?? 0).toBeGreaterThanOrEqual(before.score ?? 0)
          if (before.outcome === 'passed') expect(after.outcome).toBe('passed')
        },
      ),
    )
  })

  it('agrees with an oracle that follows the documentation in whole numbers', () => {
    fc.assert(
      fc.property(anyTrial, (trial) => {
        const { score, implRate, ...rest } = trialOutcome(trial.case, trial.end)
        const expected = oracle(trial, String(score))
        expect(rest).toEqual(expected.rest)
        expectClose(score, expected.score)
        expectClose(implRate, expected.implRate)
      }),
      { numRuns: 5000 },
    )
  })
})

// ── The oracle ───────────────────────────────────────────────────────────────────────────────────────
// A second implementation of `trialOutcome` that shares no code with it. Scores and thresholds are multiples of
// 1/20 and weights are whole numbers, so all comparisons are exact comparisons of whole numbers.

interface Point {
  readonly judge: boolean
  readonly required: boolean
  readonly verdict: 'yes' | 'no' | 'none'
  readonly twentieths: number | null
  readonly weight: number
}

interface OracleTrial {
  readonly points: readonly Point[]
  readonly limit: number | null
  readonly case: Pick<Case, 'graders' | 'threshold'>
  readonly end: TrialEnd
}

const anyPoint: fc.Arbitrary<Point> = fc.record({
  judge: fc.boolean(),
  required: fc.boolean(),
  verdict: fc.constantFrom('yes', 'yes', 'no', 'none'),
  twentieths: fc.option(fc.integer({ min: 0, max: 20 })),
  weight: fc.integer({ min: 0, max: 4 }),
})

const VERDICTS = { yes: true, no: false, none: null } as const

const asGrade = (point: Point, i: number): Grade => ({
  name: `g${i}`,
  type: point.judge ? 'judge' : 'equals',
  score: point.twentieths === null ? null : point.twentieths / 20,
  passed: VERDICTS[point.verdict],
  weight: point.weight,
  ...(point.required ? { required: true } : {}),
})

const anyTrial: fc.Arbitrary<OracleTrial> = fc
  .record({
    points: fc.array(anyPoint, { maxLength: 5 }),
    limit: fc.option(fc.integer({ min: 0, max: 20 })),
    kind: fc.constantFrom('graded', 'graded', 'graded', 'failed', 'errored'),
  })
  .map(({ points, limit, kind }) => {
    const grades = points.map(asGrade)
    const reason: Reason = { code: 'grader-timeout', text: 'x' }
    return {
      points,
      limit,
      case: { graders: configs(grades), threshold: limit === null ? null : limit / 20 },
      end: kind === 'graded' ? { kind, grades } : { kind, reason },
    }
  })

interface Fraction {
  readonly top: number
  readonly bottom: number
}

function meanOf(
  points: readonly Point[],
  weightOf = (point: Point) => point.weight,
): Fraction | null {
  let [top, bottom] = [0, 0]
  for (const point of points) {
    top += weightOf(point) * (point.twentieths ?? 0)
    bottom += point.twentieths === null ? 0 : weightOf(point)
  }
  return bottom === 0 ? null : { top, bottom: bottom * 20 }
}

interface Expected {
  readonly rest: Omit<TrialOutcome, 'score' | 'implRate'>
  readonly score: Fraction | null
  readonly implRate: Fraction | null
}

const ZERO: Fraction = { top: 0, bottom: 1 }

/**
 * Returns the expected result. `digits` is the score as the reason shows it. The score itself is compared as a
 * number.
 */
function oracle({ points, limit, end }: OracleTrial, digits: string): Expected {
  if (end.kind === 'errored')
    return {
      rest: { outcome: 'errored', reason: end.reason, grades: [] },
      score: null,
      implRate: null,
    }
  if (points.length === 0)
    return { rest: { outcome: 'unscored', grades: [] }, score: null, implRate: null }
  const judges = points.filter(({ judge }) => judge)
  if (end.kind === 'failed')
    return {
      rest: { outcome: 'failed', reason: end.reason, grades: [] },
      score: ZERO,
      implRate: judges.length === 0 ? null : ZERO,
    }

  // The verdict of a judge that is not required counts only if no other grader gave a verdict.
  const binding = points.filter(({ judge, required }) => required || !judge)
  const isHeard = (point: Point): boolean =>
    binding.includes(point) || binding.every(({ verdict }) => verdict === 'none')
  const grades = points.map((point, i) =>
    asGrade(isHeard(point) ? point : { ...point, verdict: 'none' }, i),
  )
  const implRate = meanOf(judges) ?? meanOf(judges, () => 1)
  const heard = points.filter(isHeard)
  const no = heard.filter(({ verdict }) => verdict === 'no')
  const yes = heard.filter(({ verdict }) => verdict === 'yes')
  const mean = meanOf(points)

  const failed = (score: Fraction | null): Expected => {
    const first = points.findIndex((point) => no.includes(point))
    const text =
      first === -1
        ? `score ${digits} is below the threshold ${(limit as number) / 20}`
        : `g${first}: did not pass`
    return {
      rest: { outcome: 'failed', reason: { code: 'wrong-answer', text }, grades },
      score,
      implRate,
    }
  }
  const passed: Expected = { rest: { outcome: 'passed', grades }, score: mean, implRate }
  const open = (text: string): Expected => ({
    rest: { outcome: 'errored', reason: { code: 'grader-error', text }, grades },
    score: null,
    implRate,
  })

  if (no.some(({ required }) => required)) return failed(ZERO)
  if (limit !== null) {
    if (mean === null)
      return open(
        `no grader gave a score that counts, and the case has a threshold of ${limit / 20}`,
      )
    return mean.top * 20 >= limit * mean.bottom ? passed : failed(mean)
  }
  if (no.length > 0) return failed(mean)
  return yes.length > 0 ? passed : open('no grader gave a verdict, and the case has no threshold')
}

function expectClose(value: number | null, expected: Fraction | null): void {
  if (value === null || expected === null) expect(value).toBe(expected)
  else expect(Math.abs(value - expected.top / expected.bottom)).toBeLessThan(1e-12)
}
