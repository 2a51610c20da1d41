import { expect, it } from 'vitest'
import type { SuiteChange, TrendPoint } from './data/workbench-source.ts'
import { drawnPoints, tickText } from './pictures/trend.ts'
import { differences, shortCommit, verdictWord } from './trend-words.ts'

const CHANGE: SuiteChange = {
  ...{ verdict: 'inconclusive', text: 'The mean score rose.', cases: 18, leftOut: 4 },
  ...{ isEdited: false, parameters: [] },
}

interface Change {
  readonly commit?: string | null
  readonly suiteHash?: string
  readonly subjectHash?: string
  readonly createdAt?: string
  readonly rate?: number | null
  readonly change?: SuiteChange | null
}

function point(given: Change = {}): TrendPoint {
  const { commit = 'a'.repeat(40), suiteHash = 'suite-one', subjectHash = 'x' } = given
  const { createdAt = '2026-01-02T03:04:00Z', rate = 0.5, change = CHANGE } = given
  return {
    run: { key: 'k', folder: 'f', title: 't', createdAt, state: 'complete', commit },
    figure: {
      ...{ suite: 's', subject: 'm', source: 'live', suiteHash, subjectHash, c: 1, n: 2, rate },
      ...{ low: rate === null ? null : rate - 0.1, high: rate === null ? null : rate + 0.1 },
    },
    change,
  }
}

it('says nothing of two runs that differ in nothing', () => {
  expect(differences(point(), point())).toEqual([])
})

it('names the commits, also where one is unknown', () => {
  expect(differences(point(), point({ commit: 'b'.repeat(40) }))).toEqual([
    'commit aaaaaaaaaa → bbbbbbbbbb',
  ])
  expect(differences(point({ commit: null }), point())).toEqual(['commit unknown → aaaaaaaaaa'])
  expect(shortCommit('0123456789abcdef')).toBe('0123456789')
})

it('says on how many cases two versions of a suite were compared', () => {
  expect(differences(point(), point({ suiteHash: 'suite-two' }))).toEqual([
    'suite edited (suite-on → suite-tw): compared on the 18 cases that both versions have, without 4 others',
  ])
  // Nothing was compared, so nothing is said of cases.
  const change = { ...CHANGE, verdict: null, text: 'not compared: it has not ended' }
  const after = point({ suiteHash: 'suite-two', change })
  expect(differences(point(), after)).toEqual(['suite edited (suite-on → suite-tw)'])
  expect(verdictWord(after)).toBe('not compared: it has not ended')
})

it('names the settings that differ, or that some do', () => {
  const parameters = [{ name: 'temperature', baseline: '0', current: null }]
  const after = (change: SuiteChange) => point({ subjectHash: 'y', change })
  expect(differences(point(), after({ ...CHANGE, parameters }))).toEqual(['temperature 0 → none'])
  expect(differences(point(), after(CHANGE))).toEqual(['settings of the subject changed'])
})

it('has a word for each verdict, and none before the runs were compared', () => {
  const words = (['regression', 'improvement', 'noRegression', 'inconclusive'] as const).map(
    (verdict) => verdictWord(point({ change: { ...CHANGE, verdict } })),
  )
  expect(words).toEqual(['worse', 'better', 'not worse', 'not decided'])
  expect(verdictWord(point({ change: null }))).toBe('')
})

it('breaks the line where the suite was edited, and leaves out runs without a rate', () => {
  const points = [
    point(),
    point({ rate: null }),
    point({ suiteHash: 'suite-two' }),
    point({ suiteHash: 'suite-two' }),
  ]
  expect(drawnPoints(points).map(({ at, edition }) => [at, edition])).toEqual([
    ...[[0, '0'] as const, [2, '1'] as const],
    [3, '1'],
  ])
})

it('writes the date of a run once, and then its time', () => {
  const points = ['2026-01-02T03:04:00Z', '2026-01-02T05:06:00Z', '2026-01-03T07:08:00Z'].map(
    (createdAt) => point({ createdAt }),
  )
  expect([0, 1, 2].map((at) => tickText(points, at, 1))).toEqual([
    ...['2026-01-02', '05:06'],
    '2026-01-03',
  ])
})
