import { describe, expect, test } from 'vitest'
import { drawn, fakeSource, fakeTrial, fakeTrials } from '../../../test/fake-source.ts'
import { fakeCase, fakeSuite } from '../../../test/fakes.ts'
import { makeViewData, VIEW_LIMITS } from './make-view-data.ts'
import { scriptBytes, scriptJson } from '../formats/script-json.ts'

const names = (n: number): string[] => Array.from({ length: n }, (_, i) => `case ${i}`)

describe('what the viewer gets', () => {
  test('a letter for each planned trial, by its index, whatever the order of recording', async () => {
    const at = { suite: 's', case: 'c', subject: 'x' }
    const trials = [
      fakeTrial({ ...at, index: 4, outcome: 'unscored' }),
      fakeTrial({ ...at, index: 0, outcome: 'failed' }),
      fakeTrial({ ...at, index: 2, outcome: 'errored' }),
      fakeTrial({ ...at, index: 1 }),
    ]
    const { cells } = await makeViewData(fakeSource(trials))
    expect(cells.map(({ outcomes }) => outcomes)).toEqual(['fpecu'])
  })

  test('shuffled lines give the same data, also where the texts do not all fit', async () => {
    const trials = fakeTrials({
      subjects: ['a', 'b'],
      cases: names(12),
      trials: 5,
      change: (identity, _, place) => ({
        answer: 'x'.repeat(Math.floor(3000 * drawn(place.case, identity.index))),
      }),
    })
    const shuffled = trials.toSorted((a, b) => order(a) - order(b))
    const limits = { ...VIEW_LIMITS, trials: 60, trialBytes: 40_000 }
    const first = await makeViewData(fakeSource(trials), limits)
    const second = await makeViewData(
      { ...fakeSource(trials), trials: fakeSource(shuffled).trials },
      limits,
    )
    expect(second).toEqual(first)
    expect(first.trials.length).toBeGreaterThan(10)
    expect(first.trials.length + first.leftOut.trials).toBe(trials.length)
    expect(first.trials.reduce((sum, trial) => sum + scriptBytes(trial), 0)).toBeLessThan(40_000)
  })

  test('a long text is cut, and says by how much', async () => {
    const at = { suite: 's', case: 'c', subject: 'x', index: 0 }
    const big = { blob: 'big', bytes: 5_000_000 }
    const gone = { blob: 'gone', bytes: 9000 }
    const trial = fakeTrial({ ...at, answer: big, files: { 'a.ts': gone, __proto__x: 'kept' } })
    const blobs = { big: 'x'.repeat(5_000_000) }
    const { trials } = await makeViewData(fakeSource([trial], {}, { blobs }))
    expect(trials[0]?.answer).toEqual({ text: 'x'.repeat(20_000), more: 4_980_000 })
    expect(trials[0]?.files).toEqual([
      { path: 'a.ts', text: { text: '', more: 9000, gone: true } },
      { path: '__proto__x', text: 'kept' },
    ])
  })

  test('no character is cut in two', async () => {
    const at = { suite: 's', case: 'c', subject: 'x', index: 0 }
    const trial = fakeTrial({ ...at, answer: `x${'😀'.repeat(20_000)}` })
    const { trials } = await makeViewData(fakeSource([trial]))
    const answer = trials[0]?.answer
    expect(typeof answer === 'object' ? answer?.text.isWellFormed() : false).toBe(true)
  })

  test('many files, many grades and deep ones are limited and counted', async () => {
    const at = { suite: 's', case: 'c', subject: 'x', index: 0 }
    const grade = { name: 'g', type: 'g', score: 0, passed: false, weight: 1 }
    const deep = Array.from({ length: 50 }).reduce<object>(
      (inner) => ({ ...grade, details: [inner] }),
      grade,
    )
    const trial = fakeTrial({
      ...at,
      outcome: 'failed',
      files: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${i}`, 'y'.repeat(9000)])),
      grades: [
        { ...grade, details: Array.from({ length: 500 }, () => grade) },
        deep as typeof grade,
      ],
    })
    const { trials } = await makeViewData(fakeSource([trial]))
    expect(trials[0]?.filesLeftOut).toBe(470)
    expect(trials[0]?.grades[0]?.detailsLeftOut).toBe(400)
    expect(scriptBytes(trials[0])).toBeLessThan(200_000)
    expect(JSON.stringify(trials[0]?.grades[1])).toContain('"detailsLeftOut":1')
  })

  test('cases beyond the room are left out, the best first, all subjects of a case together', async () => {
    const trials = fakeTrials({ subjects: ['a', 'b'], cases: names(40), trials: 5 })
    const source = fakeSource(trials)
    const { cells, leftOut } = await makeViewData(source, { ...VIEW_LIMITS, cellBytes: 6000 })
    const kept = new Set(cells.map((cell) => cell.case))
    expect(kept.size).toBeGreaterThan(5)
    expect(leftOut.cases).toBe(40 - kept.size)
    expect(cells).toHaveLength(2 * kept.size)
    const rate = (one: string): number => {
      const rows = source.report.subjects.flatMap(({ cases }) =>
        cases.filter((other) => other.case === one),
      )
      return rows.reduce((sum, { c }) => sum + c, 0) / rows.reduce((sum, { n }) => sum + n, 0)
    }
    const worstLeftOut = Math.min(
      ...names(40)
        .filter((one) => !kept.has(one))
        .map(rate),
    )
    expect(Math.max(...[...kept].map(rate))).toBeLessThanOrEqual(worstLeftOut)
  })

  test('what was asked goes along until its room is used up', async () => {
    const trials = fakeTrials({ suite: 's', subjects: ['a'], cases: names(10), trials: 1 })
    const cases = names(10).map((id) => fakeCase(id, { turns: ['?'.repeat(1000)] }))
    const source = fakeSource(trials, {}, { suites: [fakeSuite(cases, { id: 's' })] })
    const data = await makeViewData(source, { ...VIEW_LIMITS, caseBytes: 5000 })
    expect(data.cases).toHaveLength(10)
    expect(data.cases.filter(({ turns }) => turns !== null)).toHaveLength(4)
  })

  test('a run with very many cells stays far below 30 MB', async () => {
    const at = { suite: 's', subject: 'x', index: 0 }
    const [one] = [fakeTrial({ ...at, case: 'c', outcome: 'failed', answer: '<'.repeat(2000) })]
    const small = fakeSource([one])
    const [row] = small.report.subjects
    const [cell] = row?.cases ?? []
    if (row === undefined || cell === undefined) throw new Error('no cell')
    const ids = Array.from({ length: 60_000 }, (_, i) => `a case with a rather long name ${i}`)
    const source = {
      ...small,
      report: {
        ...small.report,
        subjects: [{ ...row, cases: ids.map((id) => ({ ...cell, case: id })) }],
      },
      trials: async (each: (trial: typeof one) => void) => {
        for (const id of ids) each({ ...one, case: id })
      },
    }
    const data = await makeViewData(source)
    const bytes = scriptBytes(data)
    expect(bytes).toBeLessThan(28_000_000)
    expect(bytes).toBeGreaterThan(15_000_000)
    expect(data.leftOut.cases + data.cells.length).toBe(60_000)
    expect(data.leftOut.trials + data.trials.length).toBe(60_000)
  })
})

const order = ({ subject, case: one, index }: { subject: string; case: string; index: number }) =>
  drawn(subject.length, one.length, index, one.charCodeAt(one.length - 1))

test('JSON inside a script element cannot end it', () => {
  const value = { '</script>': '<!-- <script> \u2028\u2029 \ud800 ]]>' }
  const json = scriptJson(value)
  expect(json).not.toMatch(/[<\u2028\u2029\p{Cs}]/u)
  expect(JSON.parse(json)).toEqual(value)
})
