import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fakeSide, joined, passes, sideOf } from '../../test/fake-side.ts'
import type { Report } from '../report/index.ts'
import { compareReports } from './comparison.ts'

const names = (list: readonly { readonly case_id: string }[]): string[] =>
  list.map(({ case_id }) => case_id)

/** Makes two reports. In each, every case has one trial, with the score that the pair gives for that report. */
const scored = (pairs: readonly (readonly [number, number])[]): [Report, Report] => [
  fakeSide(Object.fromEntries(pairs.map(([a], i) => [`c${i}`, [a]]))),
  fakeSide(Object.fromEntries(pairs.map(([, b], i) => [`c${i}`, [b]]))),
]

describe('the document’s rule', () => {
  it('leaves a drop of exactly the threshold unchanged, and takes a hair more for a regression', () => {
    const [a, b] = scored([
      [1, 0.95],
      [0.55, 0.5],
      [0.9, 0.85],
      [0.9, 0.8499],
      [0.8, 0.86],
    ])
    const { regressions, improvements, unchanged, outcome } = compareReports(a, b, {
      failOnRegression: true,
    })
    expect(names(unchanged)).toEqual(['c0', 'c1', 'c2'])
    expect(names(regressions)).toEqual(['c3'])
    expect(names(improvements)).toEqual(['c4'])
    expect(regressions[0]).toMatchObject({
      model: 'fake',
      baseline_score: 0.9,
      current_score: 0.8499,
    })
    expect(regressions[0]?.delta).toBeCloseTo(-0.0501, 12)
    expect(outcome.code).toBe(1)
  })

  it('takes the mean over attempts', () => {
    const { regressions } = compareReports(fakeSide({ a: [1, 0.5, 0] }), fakeSide({ a: [1, 0, 0] }))
    expect(regressions[0]).toMatchObject({ baseline_score: 0.5, current_score: 1 / 3 })
  })

  it('finds a run equal to itself, whichever gate is asked', () => {
    const run = sideOf(5, [5, 4, 0, 3, 2, 5, 1, 5])
    for (const options of [{}, { failOnRegression: true }, { gate: 'statistical' } as const]) {
      const comparison = compareReports(run, run, options)
      expect(comparison.unchanged).toHaveLength(8)
      expect(comparison.regressions.length + comparison.improvements.length).toBe(0)
      expect(comparison.outcome).toMatchObject({ code: 0, failures: [] })
      for (const { change } of comparison.pairs[0]?.metrics ?? []) expect(change).toBeCloseTo(0, 12)
    }
  })

  it('fails on regressions only when asked', () => {
    const [a, b] = scored([[1, 0]])
    expect(compareReports(a, b).outcome.code).toBe(0)
    expect(compareReports(a, b, { failOnRegression: true }).outcome.code).toBe(1)
  })

  it('names new, removed, changed and unscored cases, and never calls them unchanged', () => {
    const a = fakeSide({
      gone: [1],
      same: [1],
      edited: { scores: [1], hash: 'old' },
      broke: [1],
      mended: [null],
      never: [null],
    })
    const b = fakeSide({
      same: [1],
      edited: { scores: [1], hash: 'new' },
      fresh: [1],
      broke: [null],
      mended: [1],
      never: [null],
    })
    const comparison = compareReports(a, b)
    expect(names(comparison.unchanged)).toEqual(['same'])
    expect(comparison.new_cases).toEqual([{ case_id: 'fresh', suite: 'suite', model: 'fake' }])
    expect(names(comparison.removed_cases)).toEqual(['gone'])
    expect(comparison.not_comparable.map(({ case_id, reason }) => [case_id, reason])).toEqual([
      ['broke', 'no scored trial in the current run'],
      ['edited', 'the case changed'],
      ['mended', 'no scored trial in the baseline'],
      ['never', 'no scored trial on either side'],
    ])
    expect(comparison.warnings.join('\n')).toContain('1 case removed: gone')
    expect(comparison.outcome.code).toBe(0)
    expect(
      compareReports(a, b, { failOnRemoved: true, allowPartial: true }).outcome.failures,
    ).toEqual([expect.stringContaining('3 cases of the baseline removed, changed or not scored')])
    expect(compareReports(a, b, { gate: 'statistical', allowPartial: true }).outcome.code).toBe(1)
    expect(
      compareReports(a, b, { gate: 'statistical', allowPartial: true, failOnRemoved: false })
        .outcome.code,
    ).toBe(0)
  })

  it('is not comparable at all without a common scored case', () => {
    expect(compareReports(fakeSide({ a: [1] }), fakeSide({ b: [1] })).outcome.code).toBe(3)
    const empty = compareReports(fakeSide({ a: [null] }), fakeSide({ a: [1] }))
    expect(empty.outcome.code).toBe(3)
    expect(JSON.stringify(empty)).not.toContain('NaN')
  })

  it('warns when one trial can move a case by more than the threshold', () => {
    const warned = (n: number): boolean =>
      compareReports(sideOf(n, [n, n]), sideOf(n, [n, n])).warnings.some((text) =>
        text.includes('one trial moves a score by up to'),
      )
    expect([1, 5, 19, 20, 40].map(warned)).toEqual([true, true, true, false, false])
  })
})

describe('who is compared with whom', () => {
  const careful = fakeSide({ a: [1, 1] }, { subject: 'careful' })
  const hasty = fakeSide({ a: [1, 0] }, { subject: 'hasty' })
  const both = joined(careful, hasty)

  it('pairs one with one, whatever their names', () => {
    expect(compareReports(careful, hasty).pairs).toMatchObject([
      { baseline: 'careful', current: 'hasty' },
    ])
  })

  it('pairs by name where there are more, and says who is missing', () => {
    const comparison = compareReports(both, careful)
    expect(comparison.pairs.map(({ current }) => current)).toEqual(['careful'])
    expect(comparison.removed_cases).toEqual([{ case_id: 'a', suite: 'suite', model: 'hasty' }])
  })

  it('calls a case new only where the subjects compared have no such case in the baseline', () => {
    const { new_cases, warnings } = compareReports(careful, both)
    expect(new_cases).toEqual([])
    expect(warnings).toContain('not compared, as only the current run has it: hasty')
    const more = fakeSide({ a: [1, 0], fresh: [1, 0] }, { subject: 'hasty' })
    expect(compareReports(careful, joined(careful, more)).new_cases).toEqual([
      { case_id: 'fresh', suite: 'suite', model: 'hasty' },
    ])
  })

  it('takes a selector on each side of one run', () => {
    const comparison = compareReports(both, both, {
      baseline: { name: 'latest', subject: 'careful' },
      current: { name: 'latest', subject: 'hasty' },
    })
    expect(comparison.regressions).toMatchObject([
      { case_id: 'a', model: 'hasty', baseline_model: 'careful', delta: -0.5 },
    ])
    expect(comparison.removed_cases).toEqual([])
  })

  it('takes pairs, also of names with equals signs', () => {
    const old = joined(fakeSide({ a: [1] }, { subject: 'x:p=1' }), careful)
    const now = joined(fakeSide({ a: [1] }, { subject: 'x:p=2' }), hasty)
    expect(
      compareReports(old, now, { pairs: ['x:p=1=x:p=2', 'careful=hasty'] }).pairs,
    ).toMatchObject([{ current: 'x:p=2' }, { current: 'hasty' }])
    expect(() => compareReports(old, now, { pairs: ['carefull=hasty'] })).toThrow(
      'the baseline has no subject "carefull"; did you mean "careful"?',
    )
    expect(() => compareReports(old, now, { pairs: ['careful'] })).toThrow('expected OLD=NEW')
    expect(() => compareReports(old, now, { baseline: { name: 'x', subject: 'nobody' } })).toThrow(
      'no subject "nobody"',
    )
  })

  it('prints the parameters that differ', () => {
    const withConfig = (config: unknown): Report => ({
      ...careful,
      provenance: {
        ...careful.provenance,
        subjects: [{ id: 'careful', kind: 'model', source: 'live', config, hash: '' }],
      },
    })
    const comparison = compareReports(
      withConfig({ temperature: 0.2, options: { system: 'a', seed: 1 } }),
      withConfig({ temperature: 0.7, options: { system: 'a' } }),
    )
    expect(comparison.pairs[0]?.parameters).toEqual([
      { name: 'options.seed', baseline: '1', current: null },
      { name: 'temperature', baseline: '0.2', current: '0.7' },
    ])
  })

  it('warns of different sources, suites, scoring and unfinished runs', () => {
    const a = fakeSide({ a: [1, null] }, { source: 'simulated', suite: 'old' })
    const b = fakeSide({ a: [1] }, { suite: 'new' })
    const changed: Report = {
      ...b,
      provenance: { ...b.provenance, scoring: { ...b.provenance.scoring, version: 2 } },
    }
    const said = compareReports(a, changed).warnings.join('\n')
    expect(said).toContain('the baseline’s answers are simulated, the current run’s are live')
    expect(said).toContain('different suites: "old" in the baseline, "new" in the current run')
    expect(said).toContain('different weights or versions of the scoring')
    expect(said).toContain('the baseline is incomplete: 1 trial errored of 2 trials')
    expect(compareReports(b, b).warnings.join()).not.toContain('incomplete')
  })
})

describe('a current run that is not whole', () => {
  const whole = sideOf(10, [9, 9, 9, 9, 9, 9])
  const broken = sideOf(10, [0, 0, 0, 0, 0, 0])
  const stopped = (run: Report, why: 'budget' | 'interrupted'): Report => ({
    ...run,
    counts: { ...run.counts, planned: run.counts.planned + 4, cancelled: 4 },
    provenance: { ...run.provenance, stopped: why },
  })

  it('holds no gate unless that is allowed', () => {
    const part = stopped(whole, 'budget')
    for (const gate of [{ gate: 'statistical' } as const, { failOnRegression: true }]) {
      const { outcome } = compareReports(whole, part, gate)
      expect(outcome.code).toBe(3)
      expect(outcome.failures[0]).toContain('4 trials of 64 not run')
      expect(compareReports(whole, part, { ...gate, allowPartial: true }).outcome.code).toBe(0)
    }
    expect(compareReports(whole, part).outcome.code).toBe(0)
  })

  it('is 3 with the statistical gate even where it is worse, and 1 by the document’s rule', () => {
    const part = stopped(broken, 'interrupted')
    expect(compareReports(whole, part, { gate: 'statistical' }).outcome.code).toBe(3)
    expect(compareReports(whole, part, { failOnRegression: true }).outcome.code).toBe(1)
    expect(
      compareReports(whole, part, { gate: 'statistical', allowPartial: true }).outcome.code,
    ).toBe(1)
  })

  it('is another matter than such a baseline, which was allowed when it was blessed', () => {
    const { outcome, warnings } = compareReports(stopped(whole, 'budget'), whole, {
      gate: 'statistical',
    })
    expect(outcome.code).toBe(0)
    expect(warnings.join()).toContain('the baseline is incomplete')
  })
})

describe('sides without a common subject', () => {
  it('are not comparable, and no case is called new, removed or unchanged for that', () => {
    const two = (...ids: readonly [string, string]): Report =>
      joined(sideOf(3, [3, 2], { subject: ids[0] }), sideOf(3, [1, 2], { subject: ids[1] }))
    const comparison = compareReports(two('a', 'b'), two('c', 'd'), { gate: 'statistical' })
    expect(comparison).toMatchObject({ new_cases: [], removed_cases: [], unchanged: [], pairs: [] })
    expect(comparison.outcome.code).toBe(3)
    expect(comparison.outcome.failures).toEqual([
      'no subject is on both sides: the baseline has "a", "b"; the current run has "c", "d". Say who belongs together with --pair OLD=NEW, or choose one of each side with RUN#subject',
    ])
    expect(compareReports(two('a', 'b'), two('c', 'd'), { pairs: ['a=c'] }).pairs).toHaveLength(1)
  })
})

describe('the order of keys', () => {
  it('in a report makes no difference', () => {
    const run = sideOf(3, [3, 2, 1])
    const turned = JSON.parse(JSON.stringify(run), (_key, value: unknown) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    ) as Report
    expect(JSON.stringify(turned)).not.toBe(JSON.stringify(run))
    const { warnings, pairs } = compareReports(run, turned, { gate: 'statistical' })
    expect(warnings).toEqual([])
    expect(pairs[0]?.parameters).toEqual([])
  })
})

describe('laws', () => {
  const counts = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 6 })),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  const sides = (list: readonly (readonly [number, number])[]): [Report, Report] => [
    sideOf(
      6,
      list.map(([a]) => a),
    ),
    sideOf(
      6,
      list.map(([, b]) => b),
    ),
  ]

  it('swapping the sides turns regressions into improvements and every change round', () => {
    fc.assert(
      fc.property(counts, (list) => {
        const [a, b] = sides(list)
        const there = compareReports(a, b)
        const back = compareReports(b, a)
        expect(names(back.improvements)).toEqual(names(there.regressions))
        expect(names(back.regressions)).toEqual(names(there.improvements))
        expect(names(back.unchanged)).toEqual(names(there.unchanged))
        const [x, y] = [there.pairs[0], back.pairs[0]]
        for (const [i, one] of (x?.metrics ?? []).entries()) {
          const other = y?.metrics[i]
          expect(other?.p ?? -1).toBeCloseTo(one.p ?? -1, 6)
          if (one.scale === 'points') expect(other?.change).toBeCloseTo(-(one.change ?? 0), 12)
        }
        expect(y?.tests.anythingChanged.p).toBeCloseTo(x?.tests.anythingChanged.p ?? -1, 12)
      }),
      { numRuns: 40 },
    )
  })

  it('depends on the order of neither cases nor subjects nor trials', () => {
    fc.assert(
      fc.property(counts, fc.nat(), (list, turn) => {
        const [a, b] = sides(list)
        const turned = (report: Report): Report => ({
          ...report,
          subjects: report.subjects.map((row) => {
            const at = turn % row.cases.length
            return { ...row, cases: [...row.cases.slice(at), ...row.cases.slice(0, at)].reverse() }
          }),
        })
        expect(compareReports(turned(a), turned(b))).toEqual(compareReports(a, b))
      }),
      { numRuns: 30 },
    )
    const shuffled = fakeSide({ a: [0, 0.3, 1], b: [1, 0] })
    const straight = fakeSide({ b: [0, 1], a: [1, 0, 0.3] })
    expect(compareReports(shuffled, shuffled)).toEqual(compareReports(straight, straight))
  })

  it('never holds a number that JSON cannot write', () => {
    fc.assert(
      fc.property(counts, (list) => {
        const [a, b] = sides(list)
        const comparison = compareReports(a, b, { gate: 'statistical' })
        const walk = (value: unknown): void => {
          if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true)
          else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk)
        }
        walk(comparison)
      }),
      { numRuns: 30 },
    )
  })
})

describe('a report that contradicts itself', () => {
  const broken = (change: object): Report => {
    const report = fakeSide({ a: passes(3, 5) })
    return {
      ...report,
      subjects: report.subjects.map((row) => ({
        ...row,
        cases: row.cases.map((one) => ({ ...one, ...change })),
      })),
    }
  }
  const good = fakeSide({ a: [1] })

  it('is refused with the place', () => {
    expect(() => compareReports(broken({ c: 9 }), good)).toThrow(
      'case "a" has more passes (9) than scored trials (5)',
    )
    const { sums } = good.subjects[0]?.cases[0] ?? {}
    expect(() => compareReports(broken({ sums: { ...sums, score: 7 } }), good)).toThrow(
      'not between 0 and 1',
    )
    expect(() => compareReports(broken({ sums: { ...sums, scoreSq: 0.1 } }), good)).toThrow(
      'no scores have',
    )
    const twice = { ...good, subjects: [...good.subjects, ...good.subjects] }
    expect(() => compareReports(good, twice)).toThrow('is there twice')
  })
})
