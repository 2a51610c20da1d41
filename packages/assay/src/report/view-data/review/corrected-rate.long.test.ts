/**
 * The promised interval holds: with judges of known error, the corrected rate's interval contains the true rate at least
 * 93 % of the time. Trials come in cases with different rates, labels are a random part of the trials, and an interval
 * counts only where the page would show one.
 */
import { random } from '@assay/metrics'
import { expect, it } from 'vitest'
import type { Label } from '@assay/contract'
import type { ReviewedLabel } from './review-data.ts'
import { reviewFigures } from './review-figures.ts'

const RUNS = 1500
const LEAST_COVERAGE = 0.93

interface Situation {
  /** The rates of the cases are spread around this one. */
  readonly rate: number
  readonly sensitivity: number
  readonly specificity: number
  readonly cases: number
  readonly trials: number
  readonly labels: number
}

const LABEL: Label = {
  ...{ suite: 's', case: 'c', subject: 'm', index: 0, answer: 'h', reviewer: 'ann', note: '' },
  ...{ verdict: 'pass', blind: true, picked: 'random', at: '2026-01-01T00:00:00.000Z' },
}
const JUDGE = { grader: 'judge', judge: 'gpt' }

/** Returns how often an interval was shown, and how often it held the true rate of these cases. */
function simulate(situation: Situation): { shown: number; held: number } {
  const { rate, sensitivity, specificity, cases, trials, labels } = situation
  let [shown, held] = [0, 0]
  for (let run = 0; run < RUNS; run++) {
    const draw = random(77, run, Math.round(rate * 100), Math.round(sensitivity * 100), labels)
    const rates = Array.from({ length: cases }, (_, i) => {
      const spread = Math.min(rate, 1 - rate) * ((2 * i) / Math.max(1, cases - 1) - 1)
      return rate + spread
    })
    const all = rates.flatMap((own, i) =>
      Array.from({ length: trials }, () => {
        const isGood = draw() < own
        return { case: `c${i}`, isGood, passed: draw() < (isGood ? sensitivity : 1 - specificity) }
      }),
    )
    // A random order: the first of it get labels.
    const order = all.map((one) => ({ one, key: draw() })).toSorted((a, b) => a.key - b.key)
    const given = order.slice(0, labels).map(({ one }, index): ReviewedLabel => ({
      label: { ...LABEL, case: one.case, index, verdict: one.isGood ? 'pass' : 'fail' },
      position: index,
      isCurrent: true,
      verdicts: [{ ...JUDGE, passed: one.passed }],
    }))
    const counts = { n: all.length, c: all.filter(({ passed }) => passed).length }
    const observed = [{ ...JUDGE, suite: 's', subject: 'm', ...counts }]
    const { reviewers } = reviewFigures({ labels: given, observed })
    const interval = reviewers[0]?.raters[0]?.subjects[0]?.corrected.interval ?? null
    if (interval === null) continue
    shown++
    if (interval.low <= rate && rate <= interval.high) held++
  }
  return { shown, held }
}

const SITUATIONS: readonly Situation[] = [
  { rate: 0.5, sensitivity: 0.9, specificity: 0.9, cases: 20, trials: 10, labels: 40 },
  { rate: 0.7, sensitivity: 0.95, specificity: 0.7, cases: 50, trials: 4, labels: 80 },
  { rate: 0.3, sensitivity: 0.8, specificity: 0.95, cases: 100, trials: 1, labels: 60 },
  { rate: 0.9, sensitivity: 0.99, specificity: 0.6, cases: 40, trials: 5, labels: 150 },
  { rate: 0.1, sensitivity: 0.7, specificity: 0.98, cases: 40, trials: 5, labels: 150 },
  { rate: 0.6, sensitivity: 1, specificity: 1, cases: 10, trials: 6, labels: 40 },
  { rate: 0.8, sensitivity: 0.85, specificity: 0.8, cases: 5, trials: 40, labels: 100 },
  { rate: 0.5, sensitivity: 0.65, specificity: 0.65, cases: 30, trials: 10, labels: 120 },
]

for (const situation of SITUATIONS)
  it(`covers a rate of ${situation.rate}, judged ${situation.sensitivity} and ${situation.specificity} right`, () => {
    const { shown, held } = simulate(situation)
    expect(shown).toBeGreaterThan(RUNS / 3)
    expect(held / shown, `${held} of ${shown}`).toBeGreaterThanOrEqual(LEAST_COVERAGE)
  })

it('would not hold without the correction', () => {
  // The judge's own rate is 0.5 · 0.9 + 0.5 · 0.4 = 0.65, far from the true 0.5.
  const judged = 0.5 * 0.9 + 0.5 * 0.4
  const half = 1.96 * Math.sqrt((judged * (1 - judged)) / 400)
  expect(judged - half).toBeGreaterThan(0.5)
  const { shown, held } = simulate({
    ...{ rate: 0.5, sensitivity: 0.9, specificity: 0.6, cases: 40, trials: 10, labels: 100 },
  })
  expect(held / shown).toBeGreaterThanOrEqual(LEAST_COVERAGE)
})
