import { expect, it } from 'vitest'
import { fakeTrials } from '../../../../test/fake-source.ts'
import { reportOf } from '../../../../test/report-of.ts'
import { tiersSection } from './tiers.ts'
import { COMPOSITE_WEIGHTS, GRADE_SCALE } from '@assay/metrics'

it('tiers have the uplift of the terminal, in points and relative, and an infinite cost of pass', () => {
  const subjects = ['base', 'better', 'never']
  const cases = ['a', 'b', 'c']
  const trials = fakeTrials({
    subjects,
    cases,
    trials: 2,
    change: ({ subject, index }) => {
      const passes = subject === 'better' || (subject === 'base' && index === 0)
      return { outcome: passes ? 'passed' : 'failed', score: passes ? 1 : 0 }
    },
  })
  const report = reportOf(
    [{ id: 'suite', cases: cases.map((id) => ({ id, trials: 2 })) }],
    subjects.map((id) => ({ id })),
    trials,
    {
      tiers: { order: subjects, baseline: 'base' },
      scoring: { weights: COMPOSITE_WEIGHTS, scale: GRADE_SCALE, impl: 'score' },
    },
  )
  const lines = tiersSection(report)
  const columns = (line: string | undefined): string[] =>
    (line ?? '').split('|').map((cell) => cell.trim())
  const head = columns(lines.find((line) => line.includes('$/pass')))
  const [tiers] = report.tiers
  const told = (i: number, title: string): string | undefined =>
    columns(lines.find((line) => line.includes(`\`${subjects[i]}\` |`)))[head.indexOf(title)]
  expect(tiers?.uplift_abs[1]).toBeGreaterThan(0)
  expect(told(1, 'uplift')).toBe(`+${tiers?.uplift_abs[1]?.toFixed(3)}`)
  expect(told(1, 'relative')).toBe(`+${((tiers?.tier_uplift[1] ?? 0) * 100).toFixed(1)}%`)
  expect(told(2, '$/pass')).toBe('∞')
})
