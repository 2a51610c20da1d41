import { expect, test } from 'vitest'
import { fakeSource, fakeTrials } from '../../../assay/test/fake-source.ts'
import { makeViewData } from '../../../assay/src/report/view-data/make-view-data.ts'
import { embeddedSource, parseData } from './embedded.ts'

test('a page without data says so instead of failing', () => {
  expect(parseData('"assay:data"')).toBeNull()
})

test('trials are found by their whole identity, and those without texts are not', async () => {
  const trials = fakeTrials({ subjects: ['a', 'b'], cases: ['one', 'two'], trials: 3 })
  const data = await makeViewData(fakeSource(trials), {
    trials: 5,
    trialBytes: 1e6,
    actBytes: 1e6,
    cellBytes: 1e6,
    caseBytes: 1e6,
  })
  const source = embeddedSource(data)
  expect(await source.cells('suite')).toHaveLength(4)
  expect(await source.cells('other')).toHaveLength(0)
  let found = 0
  for (const { suite, case: one, subject, index } of trials) {
    const place = { suite, case: one, subject }
    const trial = await source.trial({ ...place, index })
    expect((await source.unfoldable(place)).has(index)).toBe(trial !== null)
    if (trial === null) continue
    found++
    expect([trial.case, trial.subject, trial.index]).toEqual([one, subject, index])
  }
  expect(found).toBe(5)
  expect((await source.head()).leftOut.trials).toBe(trials.length - 5)
})
