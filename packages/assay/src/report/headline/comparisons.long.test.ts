/**
 * 2,000 random comparisons of two or three subjects. Three laws must hold in all of them: an interval excludes zero
 * exactly where its own p-value is below alpha; the interval for cases like these contains the one for exactly these
 * cases; and a metric has the same value in every output.
 */
import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { random } from '@assay/metrics'
import { fakeSource } from '../../../test/fake-source.ts'
import { planted, plantedTrials, type PlantedSubject } from '../../../test/planted-report.ts'
import { written } from '../../../test/written.ts'
import { costPerPass, share } from '../../text/index.ts'
import { pairIntervals } from '../figures/pair-difference.ts'
import { csv } from '../formats/csv.ts'
import { json } from '../formats/json-format.ts'
import { renderMarkdown } from '../formats/markdown.ts'
import { reportSchema, type Report, type ReportMetric } from '../schema/report.ts'
import { renderReport } from '../terminal/terminal.ts'
import { makeViewData } from '../view-data/make-view-data.ts'
import { sharedCases } from './compare-subjects.ts'

const COMPARISONS = 2000
const ALPHA = 1 - 0.95
const colors = pico.createColors(false)

type Subjects = Readonly<Record<string, PlantedSubject>>

/** Draws suites of all kinds: 1 to 30 cases, 1 to 12 trials, hard and easy cases, small and large differences. */
function drawn(draw: () => number): Subjects {
  const whole = (most: number): number => 1 + Math.floor(draw() * most)
  const [cases, trials] = [whole(30), whole(12)]
  const names = draw() < 0.7 ? ['a', 'b'] : ['a', 'b', 'c']
  const isUneven = draw() < 0.3
  const sizes = Array.from({ length: cases }, () => (isUneven ? whole(12) : trials))
  const hard = Array.from({ length: cases }, () => (draw() < 0.2 ? Math.round(draw()) : draw()))
  return Object.fromEntries(
    names.map((name) => {
      const shift = draw() < 0.3 ? 0 : (draw() - 0.5) * 0.8
      const own = sizes.map((n, i) => {
        const p = Math.min(1, Math.max(0, (hard[i] ?? 0) + shift))
        const passed = Array.from({ length: n }, () => (draw() < p ? 1 : 0) as number)
        return { n, c: passed.reduce((sum, one) => sum + one, 0) }
      })
      return [name, { cases: own, usd: Math.round(draw() * 1000) / 10_000 }]
    }),
  )
}

const excludesZero = ({ interval }: ReportMetric): boolean =>
  interval !== undefined && (interval.low > 0 || (interval.high ?? 1) < 0)

/** The interval excludes zero exactly where its p-value is below alpha. */
function checkOwnP(metric: ReportMetric, where: string): void {
  if (metric.interval === undefined) expect(metric.p, where).toBeUndefined()
  else expect((metric.p ?? Number.NaN) < ALPHA, where).toBe(excludesZero(metric))
}

const ROUNDING = 1e-12

function checkContains(wide: ReportMetric, narrow: ReportMetric, where: string): void {
  if (wide.interval === undefined || narrow.interval === undefined) return
  expect(wide.interval.low, where).toBeLessThanOrEqual(narrow.interval.low + ROUNDING)
  expect(wide.interval.high ?? 1, where).toBeGreaterThanOrEqual(
    (narrow.interval.high ?? 1) - ROUNDING,
  )
}

/** The p-value is one minus the largest level that excludes zero: a little above it excludes, a little below not. */
function checkLargestLevel(report: Report, where: string): void {
  const [first, second] = report.subjects
  const rival = report.headline?.suites[0]?.against.find(
    ({ subject }) => subject === second?.subject,
  )
  if (first === undefined || second === undefined || rival === undefined) return
  const pair = sharedCases(first, second)
  for (const target of ['fixed', 'population'] as const) {
    const { p, interval } = rival[target]
    if (p === undefined || interval === undefined || p < 1e-8 || p > 0.999) continue
    const excludesAt = (alpha: number): boolean => {
      const at = pairIntervals(pair, 1 - alpha)[target]
      return at !== null && (at.low > 0 || at.high < 0)
    }
    expect(excludesAt(p * (1 + 1e-4)), `${where} ${target} above`).toBe(true)
    expect(excludesAt(p * (1 - 1e-4)), `${where} ${target} below`).toBe(false)
  }
}

const EMPTY = fakeSource([])

interface Row {
  readonly subject: string
  readonly case: string
  readonly passed: string
  readonly costUsd: string
}

function rowsOf(text: string): Row[] {
  const [head = '', ...lines] = text.trim().split('\n')
  const titles = head.split(',')
  const at = (cells: readonly string[], title: string): string => {
    expect(titles).toContain(title)
    return cells[titles.indexOf(title)] ?? ''
  }
  return lines.map((line) => {
    const cells = line.split(',')
    return {
      subject: at(cells, 'subject'),
      case: at(cells, 'case'),
      passed: at(cells, 'passed'),
      costUsd: at(cells, 'cost_usd'),
    }
  })
}

const meanOf = (list: readonly number[]): number =>
  list.reduce((sum, one) => sum + one, 0) / list.length

async function checkOutputs(subjects: Subjects, report: Report, where: string): Promise<void> {
  const trials = plantedTrials(subjects)
  const source = {
    ...EMPTY,
    report,
    trials: async (each: (trial: (typeof trials)[number]) => void) => trials.forEach(each),
  }
  const parsed = reportSchema.parse(JSON.parse(await written(json, source)))
  const { report: page } = await makeViewData(source)
  const rows = Map.groupBy(rowsOf(await written(csv, source)), ({ subject }) => subject)
  const [markdown, terminal] = [
    renderMarkdown(report),
    renderReport(report, { width: 400, colors }),
  ]
  for (const [i, row] of report.subjects.entries()) {
    expect(parsed.subjects[i], where).toMatchObject({ passRate: row.passRate, cost: row.cost })
    expect(page.subjects[i], where).toMatchObject({ passRate: row.passRate, cost: row.cost })
    const own = rows.get(row.subject) ?? []
    const byCase = [...Map.groupBy(own, (one) => one.case).values()]
    const rate = meanOf(byCase.map((list) => meanOf(list.map(({ passed }) => Number(passed)))))
    expect(rate, where).toBeCloseTo(row.passRate.value ?? Number.NaN, 12)
    const passed = own.filter((one) => one.passed === '1').length
    const total = own.reduce((sum, { costUsd }) => sum + Number(costUsd), 0)
    if (passed > 0) expect(total / passed, where).toBeCloseTo(row.cost.perPass.value ?? -1, 9)
    const cells = [`${passed}/${own.length}`, share(row.passRate)]
    expect(markdown, where).toContain(`| \`${row.subject}\` | ${cells.join(' | ')} |`)
    // Without an interval for cases like these, the terminal shows the one for exactly these cases, which Markdown has in a
    // column of its own.
    const isFixedOnly = report.subjects.every(({ passRate }) => passRate.interval === undefined)
    const inTerminal = [cells[0], share(isFixedOnly ? row.fixed.passRate : row.passRate)]
    const shown = terminal.split('\n').find((one) => one.startsWith(`${row.subject}  `))
    expect(shown?.split(/ {2,}/), where).toEqual([
      row.subject,
      ...inTerminal,
      costPerPass(row.cost.perPass),
    ])
  }
}

describe(`over ${COMPARISONS} random comparisons`, () => {
  const draw = random(20_261_117)
  /** Tiers have tests and resamples of their own, which take longer, so that only some comparisons are tiers. */
  const all = Array.from({ length: COMPARISONS }, (_, i) => {
    const subjects = drawn(draw)
    return { subjects, report: planted(subjects, { tiers: i % 25 === 0 }) }
  })

  it('an interval excludes zero exactly where its own p is below alpha', () => {
    let excluded = 0
    for (const [i, { report }] of all.entries()) {
      for (const { population, fixed, together, subject } of report.headline?.suites[0]?.against ??
        []) {
        checkOwnP(population, `${i} ${subject} population`)
        checkOwnP(fixed, `${i} ${subject} fixed`)
        if (excludesZero(population)) excluded++
        if (together !== null && together.comparisons === 1)
          expect(together.low, String(i)).toBe((population.interval ?? fixed.interval)?.low)
      }
      for (const { differences } of report.tiers[0]?.metrics ?? [])
        for (const difference of differences) {
          if (difference === null) continue
          checkOwnP(difference.population, `${i} tiers`)
          checkOwnP(difference.fixed, `${i} tiers`)
          const { together } = difference
          if (together == null) continue
          const isOut = together.low > 0 || together.high < 0
          expect(together.decision !== 'not decided', `${i} together`).toBe(isOut)
        }
      checkLargestLevel(report, String(i))
    }
    // Both kinds were drawn often.
    expect(excluded).toBeGreaterThan(300)
    expect(excluded).toBeLessThan(COMPARISONS)
  })

  it('the population interval contains the fixed one', () => {
    expect(all).toHaveLength(COMPARISONS)
    for (const [i, { report }] of all.entries()) {
      for (const row of report.subjects) {
        checkContains(row.passRate, row.fixed.passRate, `${i} pass rate`)
        checkContains(row.meanScore, row.fixed.meanScore, `${i} mean score`)
      }
      for (const { population, fixed } of report.headline?.suites[0]?.against ?? [])
        checkContains(population, fixed, `${i} difference`)
      for (const { differences, means } of report.tiers[0]?.metrics ?? []) {
        for (const { population, fixed } of means) checkContains(population, fixed, `${i} tier`)
        for (const one of differences)
          if (one !== null) checkContains(one.population, one.fixed, `${i} tier difference`)
      }
    }
  })

  it('a metric has the same value in every output', async () => {
    expect(all).toHaveLength(COMPARISONS)
    for (const [i, { subjects, report }] of all.entries())
      await checkOutputs(subjects, report, String(i))
  })
})
