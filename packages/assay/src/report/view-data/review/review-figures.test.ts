import { describe, expect, it } from 'vitest'
import type { Label } from '@assay/contract'
import { opinions, trialWithOpinions } from '../../../../test/trial-with-opinions.ts'
import { correctedRate, LEAST_EACH } from './corrected-rate.ts'
import type { ReviewedLabel } from './review-data.ts'
import { reviewFigures } from './review-figures.ts'
import { correctionWords, kappaWords } from './review-words.ts'
import { raterName, verdictsOf } from './verdicts.ts'

const label = (change: Partial<Label> = {}): Label => ({
  ...{ suite: 's', case: 'c', subject: 'm', index: 0, answer: 'h', reviewer: 'ann' },
  ...{ verdict: 'pass', note: '', blind: true, picked: 'random', at: '2026-01-01T00:00:00.000Z' },
  ...change,
})

/** Labels of one person: `count` trials that the person and the judge decided like this. */
function decided(
  count: number,
  verdict: Label['verdict'],
  passed: boolean,
  change: Partial<Label> & { from?: number } = {},
): ReviewedLabel[] {
  const { from = 0, ...rest } = change
  return Array.from({ length: count }, (_, i) => ({
    label: label({ verdict, case: `c${from + i}`, ...rest }),
    position: 0,
    isCurrent: true,
    verdicts: [{ grader: 'judge', judge: 'gpt', passed }],
  }))
}

const JUDGE = { grader: 'judge', judge: 'gpt' }
const OBSERVED = [{ ...JUDGE, suite: 's', subject: 'm', n: 100, c: 60 }]

/** 45 of 50 good answers and 40 of 50 bad ones are judged right. */
const FIFTIES = [
  ...decided(45, 'pass', true),
  ...decided(5, 'pass', false, { from: 45 }),
  ...decided(10, 'fail', true, { from: 50 }),
  ...decided(40, 'fail', false, { from: 60 }),
]

describe('a corrected rate', () => {
  it('is what the formula of Rogan and Gladen gives by hand', () => {
    const { reviewers } = reviewFigures({ labels: FIFTIES, observed: OBSERVED })
    const [rater] = reviewers[0]?.raters ?? []
    expect(rater?.confusion).toEqual({ bothPass: 45, onlyPerson: 5, onlyJudge: 10, bothFail: 40 })
    // Sensitivity 0.9, specificity 0.8: (0.6 + 0.8 − 1) / (0.9 + 0.8 − 1) = 0.4 / 0.7.
    expect(rater?.subjects[0]?.corrected.value).toBeCloseTo(4 / 7, 12)
    expect(rater?.basis).toBe(100)
    // The same after adding z²/2 passes and failures, and one of each kind to the labels (Lang and Reiczigel 2014).
    const z2 = 1.959963984540054 ** 2
    const [p, se, fp] = [(60 + z2 / 2) / (100 + z2), 46 / 52, 11 / 52]
    const rate = (p - fp) / (se - fp)
    const variance =
      ((p * (1 - p)) / (100 + z2) +
        (rate ** 2 * se * (1 - se)) / 52 +
        ((1 - rate) ** 2 * fp * (1 - fp)) / 52) /
      (se - fp) ** 2
    const shift = 2 * z2 * ((rate * se * (1 - se)) / 52 - ((1 - rate) * fp * (1 - fp)) / 52)
    const { low, high } = rater?.subjects[0]?.corrected.interval ?? { low: 0, high: 0 }
    expect(low).toBeCloseTo(rate + shift - Math.sqrt(z2 * variance), 12)
    expect(high).toBeCloseTo(rate + shift + Math.sqrt(z2 * variance), 12)
    // By the labels alone: 50 of 100.
    expect(rater?.subjects[0]?.byLabels).toMatchObject({ n: 100, c: 50 })
    // (0.85 observed agreement − 0.5 by chance) / 0.5
    expect(rater?.kappa?.value).toBeCloseTo(0.7, 12)
  })

  it('rests on trials that came up at random, not on chosen ones', () => {
    const labels = [...FIFTIES, ...decided(30, 'fail', true, { picked: 'chosen', from: 200 })]
    const [ann] = reviewFigures({ labels, observed: OBSERVED }).reviewers
    expect(ann?.chosen).toBe(30)
    expect(ann?.raters[0]?.basis).toBe(100)
    expect(ann?.raters[0]?.confusion.onlyJudge).toBe(40)
    expect(ann?.raters[0]?.subjects[0]?.corrected.value).toBeCloseTo(4 / 7, 12)
  })

  it('leaves out labels of answers that were replaced, and those of an unsure person', () => {
    const labels = [
      ...FIFTIES,
      ...decided(3, 'unsure', true, { from: 300 }),
      ...decided(4, 'pass', false, { from: 400 }).map((one) => ({ ...one, isCurrent: false })),
    ]
    const [ann] = reviewFigures({ labels, observed: OBSERVED }).reviewers
    expect(ann).toMatchObject({ pass: 50, fail: 50, unsure: 3, outdated: 4 })
    expect(ann?.raters[0]?.basis).toBe(100)
  })

  it('says how many more labels the promised interval needs', () => {
    const observed = { n: 400, c: 240 }
    const none = correctedRate(observed, { good: { n: 4, c: 4 }, bad: { n: 0, c: 0 } }, 400)
    expect(none).toMatchObject({ value: null, interval: null, hasSoMany: true })
    // 5/6 of the labels are taken to be passes, so ten failures come in 60 labels.
    expect(none.moreLabels).toBe(60)
    expect(correctionWords(none)).toBe(
      'no trial that came up at random has the label “fail” yet; about 60 more random labels are needed for an interval',
    )
    const few = correctedRate(observed, { good: { n: 12, c: 11 }, bad: { n: 9, c: 9 } }, 1)
    expect(few).toMatchObject({ interval: null, moreLabels: 3, hasSoMany: false })
    expect(few.reason).toContain(String(LEAST_EACH))
    expect(correctionWords(few)).toContain('more than the trials without a label')
    const wide = correctedRate(observed, { good: { n: 20, c: 18 }, bad: { n: 20, c: 16 } }, 1000)
    expect(wide.interval).not.toBeNull()
    const more = wide.moreLabels ?? 0
    expect(more).toBeGreaterThan(20)
    expect(correctionWords(wide)).toContain('±10 points')
    // With so many labels it is narrow enough, and with a tenth fewer it is not.
    const halfAt = (labels: number): number => {
      const n = Math.ceil(labels / 2)
      const { interval } = correctedRate(
        observed,
        { good: { n, c: Math.round(n * 0.9) }, bad: { n, c: Math.round(n * 0.8) } },
        0,
      )
      return ((interval?.high ?? 1) - (interval?.low ?? 0)) / 2
    }
    expect(halfAt(40 + more)).toBeLessThanOrEqual(0.101)
    expect(halfAt(40 + more * 0.8)).toBeGreaterThan(0.1)
    const small = correctedRate(
      { n: 12, c: 6 },
      { good: { n: 50, c: 45 }, bad: { n: 50, c: 40 } },
      0,
    )
    expect(small.moreLabels).toBeNull()
    expect(correctionWords(small)).toContain('more trials')
  })

  it('is none for a judge that guesses', () => {
    const guess = correctedRate(
      { n: 50, c: 25 },
      { good: { n: 20, c: 10 }, bad: { n: 20, c: 10 } },
      9,
    )
    expect(guess.value).toBeNull()
    expect(guess.reason).toContain('chance')
  })

  it('warns if the judge errs on the answers of one subject only', () => {
    const labels = [
      ...decided(30, 'pass', true, { subject: 'a' }),
      ...decided(15, 'fail', false, { subject: 'a', from: 30 }),
      ...decided(30, 'pass', false, { subject: 'b', from: 50 }),
      ...decided(15, 'fail', false, { subject: 'b', from: 80 }),
    ]
    const observed = ['a', 'b'].map((subject) => ({
      ...OBSERVED[0],
      ...JUDGE,
      suite: 's',
      n: 100,
      c: 50,
      subject,
    }))
    const [rater] = reviewFigures({ labels, observed }).reviewers[0]?.raters ?? []
    expect(rater?.notes[0]).toContain('errs more often')
  })
})

it('keeps two people separate and says how far they agree', () => {
  const labels = [
    ...decided(20, 'pass', true),
    ...decided(20, 'fail', false, { from: 20 }),
    ...decided(15, 'pass', true, { reviewer: 'bob' }),
    ...decided(15, 'fail', true, { reviewer: 'bob', from: 15 }),
    ...decided(1, 'unsure', true, { reviewer: 'bob', from: 30 }),
  ]
  const { reviewers, agreement } = reviewFigures({ labels, observed: OBSERVED })
  expect(reviewers.map(({ reviewer, pass, fail }) => [reviewer, pass, fail])).toEqual([
    ['ann', 20, 20],
    ['bob', 15, 15],
  ])
  // Both decided 30 trials. They differ on 5: ann passed 20 of them, bob 15.
  expect(agreement).toMatchObject([{ a: 'ann', b: 'bob', n: 30, same: 25 }])
  // Chance: (20/30)(15/30) + (10/30)(15/30) = 0.5, so kappa = (25/30 − 0.5) / 0.5.
  expect(agreement[0]?.kappa?.value).toBeCloseTo(2 / 3, 12)
  expect(kappaWords(agreement[0]?.kappa ?? null)).toMatch(
    /^0\.67 \(0\.\d\d to 0\.\d\d\) over 30 trials$/,
  )
  expect(kappaWords(null)).toBe('–')
})

it('compares with all graders together, each judge, and several judges together', () => {
  expect(verdictsOf(trialWithOpinions())).toEqual([{ grader: null, judge: null, passed: true }])
  const one = { name: 'a', type: 'judge', score: 1, passed: false, weight: 1 }
  const two = { ...one, name: 'b', passed: true }
  const grades = [{ ...opinions, details: [one, two] }]
  const verdicts = verdictsOf(trialWithOpinions({ grades, outcome: 'errored' }))
  expect(verdicts.map((given) => [raterName(given), given.passed])).toEqual([
    ['all judges of judge', true],
    ['a', false],
    ['b', true],
  ])
})
