import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OUTCOME_CODES, trialPage, type TrialTable } from './trial-page.ts'

/** One cell with these trials. */
const tableOf = (scores: readonly number[], outcomes: string): TrialTable => {
  const cell = { suite: 's', case: 'c', subject: 'one', first: 0, trials: scores.length }
  const score = (at: number): number => scores[at] ?? Number.NaN
  return {
    ...{ size: scores.length, cells: () => [cell], cellAt: () => cell, indexAt: (at) => at },
    outcome: Uint8Array.from(outcomes, (letter) => OUTCOME_CODES.indexOf(letter)),
    ...{ score, cost: score, time: score, reason: (at) => (at % 2 === 0 ? 'even' : null) },
  }
}

it('the pages together are the trials in order: equal ones as in the plan, those without a value last', () => {
  const values = fc.array(fc.constantFrom(0, 0.5, 1, -1, Number.NaN), { maxLength: 170 })
  fc.assert(
    fc.property(
      values,
      fc.boolean(),
      fc.constantFrom('', 'even'),
      (scores, isDescending, words) => {
        const table = tableOf(scores, 'f'.repeat(scores.length))
        const ask = { suite: 's', subject: null, outcome: null, words, isDescending }
        const pages = [0, 50, 100, 150].flatMap((from) => {
          const page = trialPage(table, { ...ask, order: 'score', from })
          // Beyond the end, the last page is shown again.
          return page.from === from ? page.rows : []
        })
        const key = (at: number): number => {
          const score = scores[at] ?? 0
          return Number.isNaN(score) ? Infinity : isDescending ? -score : score
        }
        const wanted = [...scores.keys()]
          .filter((at) => words === '' || at % 2 === 0)
          .toSorted((a, b) => (key(a) === key(b) ? a - b : key(a) - key(b)))
        expect(pages.map(({ index }) => index)).toEqual(wanted)
      },
    ),
    { numRuns: 60 },
  )
})

it('filters by outcome, and counts what matches of all', () => {
  const table = tableOf([1, 0, 0], 'pfe')
  const ask = { suite: 's', subject: null, words: '', order: 'plan', from: 0 } as const
  const page = trialPage(table, { ...ask, outcome: 'f', isDescending: false })
  expect([page.matching, page.total]).toEqual([1, 3])
  expect(page.rows[0]).toMatchObject({ index: 1, outcome: 'failed' })
  expect(trialPage(table, { ...ask, suite: 'x', outcome: null, isDescending: true }).total).toBe(0)
})
