/**
 * Tests that every output has the figures that the three specifications name: report.json, trials.csv, Markdown,
 * the terminal and the data of the page. formats/html-tiers.test.ts tests in a browser what the page shows of its
 * data.
 */
import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { fakeSource } from '../../../test/fake-source.ts'
import { reportOf, trialOf } from '../../../test/report-of.ts'
import { written } from '../../../test/written.ts'
import type { Trial } from '@assay/contract'
import { csv } from '../formats/csv.ts'
import { renderMarkdown } from '../formats/markdown.ts'
import { renderReport } from '../terminal/terminal.ts'
import { makeViewData } from '../view-data/make-view-data.ts'
import { gradeMeaning, letterOfMean } from './grade-words.ts'

const CASES = ['one', 'two', 'three']
/** The index of the trial that failed, by tier. */
const FAILS: Readonly<Record<string, number>> = { T0: 1, T1: 9 }

const trials: Trial[] = Object.keys(FAILS).flatMap((subject) =>
  CASES.flatMap((one) =>
    Array.from({ length: 4 }, (_, index) => {
      const passed = index !== FAILS[subject]
      return trialOf({
        subject,
        case: one,
        index,
        outcome: passed ? 'passed' : 'failed',
        score: passed ? 1 : 0,
        implRate: 0.8,
        cost: { answerUsd: subject === 'T0' ? 0.25 : 1, judgeUsd: null, spentUsd: 0 },
        time: {
          startedAt: '2026-01-01T00:00:00.000Z',
          durationMs: 4500,
          answerMs: 3000,
          waitMs: 250,
          gradeMs: 1000,
        },
      })
    }),
  ),
)
const report = reportOf(
  [{ id: 's', threshold: 0.9, cases: CASES.map((id) => ({ id, trials: 4 })) }],
  [{ id: 'T0' }, { id: 'T1' }],
  trials,
  { passK: [1, 2, 3], tiers: { order: ['T0', 'T1'], baseline: 'T0' } },
)
const terminal = (details: boolean, width = 120): string =>
  renderReport(report, { width, colors: pico.createColors(false), details })
const markdown = renderMarkdown(report)

/** The row of the first tier. Subjects are in the order of the headline, the best one first. */
const named = <T extends { readonly subject: string }>(rows: readonly T[]): T | undefined =>
  rows.find(({ subject }) => subject === 'T0')

/** The header of trials.csv and the rows of the first tier. */
async function csvRows(): Promise<string[]> {
  const [header = '', ...rows] = (await written(csv, fakeSource(trials, report))).split('\n')
  return [header, ...rows.filter((line) => line.split(',').includes('T0'))]
}

/** Cells of a row, whatever separates them. */
const row = (text: string, ...cells: readonly string[]): boolean =>
  text.split('\n').some((line) => {
    const found = line.split(/\s*\|\s*|\s{2,}/).map((cell) => cell.replaceAll('`', ''))
    return found.join('|').includes(cells.join('|'))
  })

describe('the total cost', () => {
  it('is in every output', async () => {
    expect(named(report.subjects)?.cost.totalUsd).toBe(3)
    expect(row(terminal(true), 'T0', '$3.00', '$0.25')).toBe(true)
    expect(row(markdown, 'T0', '$3.00', '$0.25')).toBe(true)
    const rows = await csvRows()
    const at = rows[0]?.split(',').indexOf('subject_total_cost_usd') ?? -1
    expect(rows[1]?.split(',')[at]).toBe('3')
    const data = await makeViewData(fakeSource(trials, report))
    expect(named(data.report.subjects)?.cost.totalUsd).toBe(3)
  })
})

describe('pass@k', () => {
  it('is there for each k, next to pass^k and p^k, which are two numbers', async () => {
    // 3 of 4 pass: pass^2 = C(3,2)/C(4,2) = 0.5, and p^2 = 0.5625.
    expect(named(report.subjects)?.passHatK[1]?.metric.value).toBeCloseTo(0.5, 12)
    for (const text of [terminal(true), markdown]) {
      expect(text).toMatch(/T0`? [ |]*1 [ |]+75% \([^)]*\) [ |]+75% \([^)]*\) [ |]+0\.750/)
      expect(text).toMatch(/T0`? [ |]*2 [ |]+\S+ \([^)]*\) [ |]+50% \([^)]*\) [ |]+0\.563/)
      expect(text).toMatch(/T0`? [ |]*3 [ |]+\S+ \([^)]*\) [ |]+25% \([^)]*\) [ |]+0\.422/)
    }
    const rows = await csvRows()
    for (const [k, value] of [
      [1, '0.75'],
      [2, '1'],
      [3, '1'],
    ] as const) {
      const at = rows[0]?.split(',').indexOf(`subject_pass_at_${k}`) ?? -1
      expect(rows[1]?.split(',')[at], `pass@${k}`).toBe(value)
    }
    const data = await makeViewData(fakeSource(trials, report))
    expect(named(data.report.subjects)?.passToTheK.map(({ value }) => value)).toEqual([
      0.75, 0.5625, 0.421875,
    ])
  })
})

describe('a single run', () => {
  it('has its composite, cost of pass and duration, with the times it consists of', async () => {
    expect(named(report.subjects)?.cases[0]?.runs?.[1]).toMatchObject({
      composite: 0.4,
      cost_of_pass: null,
      infinite: ['cost_of_pass'],
      duration_seconds: 4.5,
      answer_seconds: 3,
      wait_seconds: 0.25,
      grade_seconds: 1,
    })
    const cells = ['0.900', '$0.25', '$0.25', '4.5 s', '3.0 s', '250 ms', '1.0 s']
    expect(row(terminal(true), 'one', '0', '1', '0.800', ...cells)).toBe(true)
    expect(row(markdown, 'one', 'T0', '0', '1', '0.800', ...cells)).toBe(true)
    expect(row(terminal(true), 'one', '1', '0', '0.800', '0.400', '$0.25', '∞', '4.5 s')).toBe(true)
    const rows = await csvRows()
    const at = (name: string): number => rows[0]?.split(',').indexOf(name) ?? -1
    const second = rows[2]?.split(',') ?? []
    expect([second[at('composite')], second[at('cost_of_pass')]]).toEqual(['0.4', 'Inf'])
    expect(second[at('duration_seconds')]).toBe('4.5')
    const data = await makeViewData(fakeSource(trials, report))
    expect(data.trials.find((one) => one.subject === 'T0' && one.index === 1)).toMatchObject({
      composite: 0.4,
      costOfPass: 'infinite',
      durationMs: 4500,
      waitMs: 250,
    })
  })

  it('fits into 80 columns, and what does not fit is named', () => {
    const narrow = terminal(true, 80)
    for (const line of narrow.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    expect(narrow).toContain('Costs and the parts of the duration: from 110 columns on')
    expect(row(narrow, 'one', '0', '1', '0.800', '0.900', '$0.25', '4.5 s')).toBe(true)
    expect(terminal(false)).toContain('--details shows total costs')
    expect(terminal(true)).not.toContain('--details shows')
  })
})

describe('the statistics block', () => {
  it('is in Markdown and in the terminal on request', () => {
    const cells = ['1.000', '0.750', '1.000', '0.000', '1.000', '0.433', '12']
    for (const text of [terminal(true), markdown]) {
      expect(row(text, 'pass_rate', ...cells)).toBe(true)
      expect(row(text, 'cost_of_pass', '$0.25', '∞', '$0.25', '$0.25', '∞', '–', '12')).toBe(true)
    }
    expect(terminal(false)).not.toContain('cost_of_pass')
  })
})

describe('figures across tiers', () => {
  it('say what they mean: prompt sensitive, insensitive or not decided', () => {
    for (const text of [terminal(false), markdown]) {
      const joined = text.replaceAll(/\s+/g, ' ')
      expect(joined).toContain('low: consistent across tiers, prompt insensitive')
      expect(joined).toMatch(/not decided whether prompt sensitive or insensitive: .*more trials/)
      expect(joined).toContain('variance of median costs 0.141 $²')
      expect(joined).toContain('cost delta $0.75')
      expect(joined).toContain('T1 $1.00, T0 $0.25')
    }
  })
})

describe('a letter', () => {
  it('is shown with its meaning, its composite and the parts of that', () => {
    // Medians: passed 1 and judged 0.8, so the composite is 0.9: a B, though only 75 % pass.
    expect(named(report.subjects)?.grade).toMatchObject({ letter: 'B', meaning: 'Good' })
    const basis =
      'median composite 0.900 (medians of its parts: passed 1.000, judged 0.800); mean composite 0.775 (passed 0.750, judged 0.800), which would be C'
    expect(terminal(true).replaceAll(/\s+/g, ' ')).toContain(`T0: grade B Good, ${basis}`)
    expect(markdown).toContain(`grade B Good, ${basis}`)
    expect(markdown).toContain('| B Good (median composite 0.900) |')
  })

  it('of 10 passes in 16 is an A by the median, and the letter of the mean is named', () => {
    const grade = { letter: 'A', meaning: 'Excellent', probabilities: [] }
    const composite = { value: 0.625, n: 8 }
    const scoring = report.provenance.scoring
    expect(letterOfMean({ grade, composite }, scoring)).toBe('F')
    expect(letterOfMean({ grade, composite: { value: 0.96, n: 8 } }, scoring)).toBeNull()
    expect(letterOfMean({ grade: null, composite: null }, scoring)).toBeNull()
    // The scale of a report file can be anything.
    for (const grades of [null, 1, { steps: [] }, { steps: [null], below: 'F' }, { steps: 'A' }])
      expect(letterOfMean({ grade, composite }, { ...scoring, grades })).toBeNull()
  })

  it('has no meaning on another scale', () => {
    expect(gradeMeaning('A', { steps: [{ grade: 'A', least: 0.5 }], below: 'F' })).toBeNull()
    expect(gradeMeaning(null, null)).toBeNull()
  })
})

describe('a skill', () => {
  it('has its table and verdict in Markdown as in the terminal', () => {
    for (const text of [terminal(false), markdown]) {
      expect(text).toContain('FAILED: score 0.750, below the threshold of 0.9')
      expect(text).toContain('PASSED: score 1.000, at least the threshold of 0.9')
      expect(text).toMatch(/pass@4 [ |]*p\^4/)
      expect(text).toMatch(/one`? [ |]*(?:4 \| )?0\.750 [ |]*75% [ |]*1\.000 [ |]*0\.316 [ |]*25%/)
    }
  })
})
