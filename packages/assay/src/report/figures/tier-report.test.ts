import {
  cliffsDelta,
  exactStratifiedTest,
  GRADE_SCALE,
  pairedDifference,
  stratifiedHomogeneityTest,
} from '@assay/metrics'
import { describe, expect, it } from 'vitest'
import { createColors } from 'picocolors'
import { reportOf, trialOf } from '../../../test/report-of.ts'
import type { Trial } from '@assay/contract'
import { reportSchema, type Report, type ReportTiers } from '../schema/report.ts'
import { renderReport } from '../terminal/terminal.ts'
import type { TierScoring } from './composite.ts'

interface Told {
  /** One character for each trial of each case: `1` passed, `0` failed, `e` errored. */
  readonly outcomes: Readonly<Record<string, string>>
  readonly cost?: number | null
  readonly impl?: number | null
  readonly score?: number | null
}

function tiersOf(
  told: Readonly<Record<string, Told>>,
  scoring?: TierScoring,
): { report: Report; tiers: ReportTiers } {
  const order = Object.keys(told)
  const [first] = Object.values(told)
  const cases = Object.entries(first?.outcomes ?? {}).map(([id, letters]) => ({
    id,
    trials: letters.length,
  }))
  const trials = Object.entries(told).flatMap(([subject, { outcomes, cost, impl, score }]) =>
    Object.entries(outcomes).flatMap(([one, letters]) =>
      Array.from(letters, (letter, index): Trial => {
        const passed = letter === '1'
        return trialOf({
          subject,
          case: one,
          index,
          outcome: passed ? 'passed' : letter === 'e' ? 'errored' : 'failed',
          implRate: impl ?? null,
          score: score === undefined ? Number(passed) : score,
          cost: { answerUsd: cost === undefined ? 1 : cost, judgeUsd: null, spentUsd: 0 },
        })
      }),
    ),
  )
  const report = reportOf(
    [{ id: 's', cases }],
    order.map((id) => ({ id })),
    trials,
    { tiers: { order, baseline: order[0] ?? '' }, ...(scoring === undefined ? {} : { scoring }) },
  )
  const [tiers] = report.tiers
  if (tiers === undefined) throw new Error('no tiers')
  return { report, tiers }
}

const T0 = { a: '1100', b: '1000', c: '1111', d: '0000', e: '1010' }
const T1 = { a: '1110', b: '1100', c: '1111', d: '1000', e: '1110' }
const T2 = { a: '1111', b: '1111', c: '1111', d: '1100', e: '1111' }
const rates = (outcomes: Readonly<Record<string, string>>): number[] =>
  Object.values(outcomes).map((letters) => letters.replaceAll('0', '').length / letters.length)

describe('tiers side by side', () => {
  const { report, tiers } = tiersOf({
    T0: { outcomes: T0, cost: 1 },
    T1: { outcomes: T1, cost: 2 },
    T2: { outcomes: T2, cost: 4 },
  })
  const passRate = tiers.metrics?.find(({ metric }) => metric === 'passRate')

  it('are what the schema says', () => {
    expect(reportSchema.parse(JSON.parse(JSON.stringify(report))).tiers).toEqual(report.tiers)
  })

  it('differences are paired by case, for both targets', () => {
    const expected = pairedDifference(rates(T0), rates(T2))
    expect(passRate?.differences[0]).toBeNull()
    expect(passRate?.differences[2]?.population).toMatchObject({
      value: expected.difference,
      n: 5,
      interval: { low: expected.interval?.low, target: 'population' },
    })
    const fixed = passRate?.differences[2]?.fixed
    expect(fixed?.value).toBeCloseTo(expected.difference, 12)
    expect(fixed?.interval).toMatchObject({ target: 'fixed' })
    const { delta } = cliffsDelta(rates(T2), rates(T0))
    expect(passRate?.differences[2]?.effect).toMatchObject({ delta, over: 'cases' })
  })

  it('tests are stratified by case and adjusted over all pairs', () => {
    const counts = (outcomes: Readonly<Record<string, string>>) =>
      Object.values(outcomes).map((letters) => ({
        n: letters.length,
        c: letters.replaceAll('0', '').length,
      }))
    const all = [T0, T1, T2].map(counts)
    const strata = Object.keys(T0).map((_, i) => all.map((tier) => tier[i] as { n: 4; c: number }))
    const { statistic, df, informative } = stratifiedHomogeneityTest(strata)
    expect(passRate?.omnibus).toMatchObject({ df, informative, shared: strata.length })
    expect(passRate?.omnibus?.statistic).toBeCloseTo(statistic, 9)
    const [x, , y] = all
    const pair = passRate?.pairs.find(({ a, b }) => a === 'T0' && b === 'T2')
    const expected = exactStratifiedTest(
      (x ?? []).map(({ n, c }, i) => ({ nA: n, cA: c, nB: n, cB: y?.[i]?.c ?? 0 })),
    )
    expect(pair?.p).toBe(expected.p)
    expect(passRate?.pairs).toHaveLength(3)
    // Holm's adjustment multiplies the smallest of three p-values by three.
    const smallest = Math.min(...(passRate?.pairs ?? []).map(({ p }) => p ?? 1))
    expect(pair?.p).toBe(smallest)
    expect(pair?.adjusted).toBeCloseTo(3 * smallest, 12)
  })

  it('costs of a pass have intervals for both targets, and the frontier is named', () => {
    expect(tiers.cost_of_pass?.map(({ fixed }) => fixed.value)).toEqual(
      tiers.cost_of_pass?.map(({ population }) => population.value),
    )
    expect(tiers.cost_of_pass?.[0]?.fixed.interval?.target).toBe('fixed')
    // On T0, 9 of 20 trials passed.
    expect(tiers.frontier_cop).toEqual({ tier: 'T0', cost_of_pass: 1 / (9 / 20) })
    expect(tiers.pareto?.tiers).toEqual(['T0', 'T1', 'T2'])
    expect(tiers.frontier).toMatchObject({ cases: 5, solved: 5 })
  })

  it('have a proper minus everywhere', () => {
    const cheap = { outcomes: { a: '11', b: '10' }, cost: 0.0001, impl: 0.5 }
    const dear = { outcomes: { a: '00', b: '10' }, cost: 0.0002, impl: 0.1 }
    const { report: small } = tiersOf({ T0: cheap, T1: dear })
    const text = renderReport(small, { width: 80, colors: createColors(false) })
    expect(text).toMatch(/e−9 \$²/)
    expect(text).not.toMatch(/-\d/)
  })

  it('fit 80 columns, with the notes', () => {
    const text = renderReport(report, { width: 80, colors: createColors(false) })
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    expect(text).toContain('over the baseline')
    expect(text.replaceAll('\n', ' ')).toContain('a median of passes and failures is only 0, 0.5')
  })
})

describe('degenerate figures say so', () => {
  const notes = (told: Readonly<Record<string, Told>>): string =>
    (tiersOf(told).tiers.notes ?? []).join('\n')

  it('a baseline of 0 has no percentage', () => {
    const told = {
      T0: { outcomes: { a: '00', b: '00' }, impl: 0 },
      T1: { outcomes: T1, impl: 0.5 },
    }
    expect(tiersOf(told).tiers.tier_uplift).toEqual([null, null])
    expect(notes(told)).toContain('the median composite of T0 is 0')
  })

  it('no pass makes a pass infinitely dear, with what it costs at least', () => {
    const told = { T0: { outcomes: { a: '11', b: '10' } }, T1: { outcomes: { a: '00', b: '00' } } }
    expect(notes(told)).toMatch(
      /T1 never passed: its cost of a pass is infinite, probably above \$/,
    )
    const [, none] = tiersOf(told).tiers.cost_of_pass ?? []
    expect(none?.fixed).toMatchObject({ value: null, infinite: true, interval: { high: null } })
  })

  it('one case says nothing about others: its trials are compared', () => {
    const told = {
      T0: { outcomes: { a: '1100' }, impl: 0.3 },
      T1: { outcomes: { a: '1111' }, impl: 0.6 },
    }
    const { tiers } = tiersOf(told)
    const composite = tiers.metrics?.find(({ metric }) => metric === 'composite')
    expect(composite?.differences[1]?.population.interval).toBeUndefined()
    expect(composite?.differences[1]?.population.reason).toContain('one case')
    expect(composite?.differences[1]?.fixed.interval?.target).toBe('fixed')
    expect(composite?.pairs[0]?.test).toBe('Mann-Whitney over trials')
    expect(composite?.omnibus?.test).toContain('Cochran-Mantel-Haenszel')
    expect(tiers.pareto?.probability).toEqual([])
    expect(notes(told)).toContain('one case says nothing about others')
  })

  it('an unknown price leaves no cost figure across tiers', () => {
    const told = { T0: { outcomes: T0, cost: null }, T1: { outcomes: T1 } }
    const { tiers } = tiersOf(told)
    expect([tiers.cost_delta, tiers.pareto, tiers.frontier]).toEqual([null, null, null])
    expect(tiers.frontier_cop).toEqual({ cost_of_pass: null, tier: null })
    expect(tiers.cost_of_pass?.[0]?.fixed.reason).toContain('unknown')
    expect(notes(told)).toContain('some prices are unknown')
  })

  it('tiers that were scored on different cases are not compared by medians', () => {
    const told = {
      lo: { outcomes: { a: '10', b: '10', c: '10' } },
      hi: { outcomes: { a: '11', b: '11', c: 'ee' } },
    }
    expect(notes(told)).toContain(
      'hi with lo is compared over the 2 cases that both have (left out: 1 only of lo, 0 only of hi)',
    )
    expect(tiersOf(told).tiers.metrics?.[0]?.differences[1]?.population.n).toBe(2)
    const same = { a: '10', b: '1e', c: 'ee' }
    expect(notes({ lo: { outcomes: same }, hi: { outcomes: same } })).not.toContain('same cases')
  })

  it('prices of each case’s cheapest tier say of which cases they are, with the interval', () => {
    const shown = (outcomes: Readonly<Record<string, string>>): string =>
      renderReport(tiersOf({ lo: { outcomes }, hi: { outcomes, cost: 3 } }).report, {
        width: 80,
        colors: createColors(false),
      }).replaceAll('\n', ' ')
    const part = shown({ a: '1110', b: '1111', c: '0000' })
    expect(part).toMatch(
      /cheapest pass \$1\.71 by lo, over all its cases; \$1\.33 \(\d\.\d+–\S+\) if/,
    )
    expect(part).toContain('this is of the 2 of 3 cases that any tier solved in that half')
    expect(shown({ a: '1110', b: '1111', c: '1100' })).not.toContain('that any tier solved')
  })

  it('no judge, no composite', () => {
    expect(notes({ T0: { outcomes: T0 }, T1: { outcomes: T1 } })).toContain('no judge rated')
  })
})

describe('an experiment’s own scoring', () => {
  const half = { outcomes: { a: '1', b: '1' }, score: 0.5, impl: 0.1 }

  it('takes the score for the implementation rate where it says so, with its weights', () => {
    const weights = { pass: 1, impl: 3 }
    const { report } = tiersOf({ T0: half }, { impl: 'score', weights, scale: GRADE_SCALE })
    expect(report.subjects[0]?.composite?.value).toBeCloseTo((1 + 3 * 0.5) / 4, 12)
    expect(report.subjects[0]?.spec.statistics?.composite?.median).toBeCloseTo(0.625, 12)
  })

  it('grades by its own scale', () => {
    const scale = { steps: [{ grade: 'fine', least: 0.55 }], below: 'poor' }
    const { report } = tiersOf(
      { T0: half },
      { impl: 'judge', weights: { pass: 1, impl: 1 }, scale },
    )
    // The composite is (1 + 0.1) / 2 = 0.55, which reaches the grade "fine".
    expect(report.subjects[0]?.spec.grade).toBe('fine')
    expect(report.subjects[0]?.grade?.probabilities).toEqual([{ grade: 'fine', probability: 1 }])
  })
})
