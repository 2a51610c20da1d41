import { expect, it } from 'vitest'
import type { ViewComparison, ViewPair } from '../data/workbench-source.ts'
import { comparisonHeadline } from './comparison.tsx'

const pair = (subject: string, verdict: ViewPair['verdict'], head: string): ViewPair => ({
  ...{ baseline: subject, current: subject, verdict, head, said: `It is about ${subject}.` },
  ...{ parameters: [], titles: [], notes: [], rows: [['mean score', '0.9', '0.8']] },
})

const compared = (pairs: ViewPair[], worse: string[] = []): ViewComparison => ({
  baseline: { name: 'runs/a', createdAt: null, marks: [] },
  current: { name: 'runs/b', createdAt: null, marks: [] },
  ...{ failures: [], pairs, gates: [], threshold: 0.05, improvements: [], unchanged: 0 },
  regressions: worse.map((subject) => ({
    ...{
      suite: 's',
      case: 'c',
      subject,
      baseline: subject,
      texts: ['1', '0', '−1', '0.1'],
      delta: -1,
    },
  })),
  ...{ added: [], removed: [], incomparable: [], leftOut: 0, warnings: [] },
})

it('the headline of a comparison names its subject', () => {
  expect(comparisonHeadline(compared([pair('warm', 'regression', 'WORSE')]))).toBe(
    'warm: WORSE. It is about warm.',
  )
  const two = { ...pair('warm', 'inconclusive', 'NOT DECIDED'), baseline: 'brief' }
  expect(comparisonHeadline(compared([two]))).toContain('brief → warm: NOT DECIDED')
  expect(comparisonHeadline(compared([]))).toBe('These runs have nothing in common.')
})

it('the headline of several subjects names all of them, the worst first', () => {
  const pairs = [
    pair('fine', 'noRegression', 'NO REGRESSION'),
    pair('brief', 'inconclusive', 'NOT DECIDED'),
    pair('warm', 'inconclusive', 'NOT DECIDED'),
    pair('cold', 'regression', 'WORSE'),
  ]
  expect(comparisonHeadline(compared(pairs, ['warm']))).toBe(
    ['cold: WORSE', 'warm: NOT DECIDED', 'brief: NOT DECIDED', 'fine: NO REGRESSION']
      .map((one) => `${one} (mean score 0.9 → 0.8)`)
      .join(' · '),
  )
  const many = Array.from({ length: 9 }, (_, i) => pair(`s${i}`, 'improvement', 'BETTER'))
  expect(comparisonHeadline(compared(many))).toMatch(/s5: BETTER .* · 3 more subjects below$/)
})
