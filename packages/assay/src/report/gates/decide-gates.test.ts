import { describe, expect, it } from 'vitest'
import { fakeSide, joined, passes, sideOf } from '../../../test/fake-side.ts'
import type { Report } from '../schema/report.ts'
import { boundFault, checkGateNames, type BoundGate } from './bound-gate.ts'
import { decideGates } from './decide-gates.ts'
import { namesIn, withGates } from './gates-report.ts'
import { adviceText, gateSentence } from './words.ts'

const gate = (change: Partial<BoundGate> = {}): BoundGate => ({
  metric: 'passRate',
  k: null,
  kind: 'min',
  bound: 0.8,
  suite: null,
  subject: null,
  tag: null,
  case: null,
  per: null,
  target: null,
  ...change,
})

const only = (report: Report, change: Partial<BoundGate> = {}) => {
  const [result] = decideGates(report, [gate(change)])
  if (result === undefined) throw new Error('no result')
  return result
}

const tagged = (report: Report, tags: Readonly<Record<string, string[]>>): Report => ({
  ...report,
  subjects: report.subjects.map((row) => ({
    ...row,
    cases: row.cases.map((one) => ({ ...one, tags: tags[one.case] ?? [] })),
  })),
})

const constant = (m: number, c: number): number[] => Array.from({ length: m }, () => c)

describe('a gate with a bound', () => {
  // The interval of a case is exact on its effective n, here 19 trials with 16.15 passes. In scipy: low is
  // beta.ppf(0.025, 16.15, 3.85), high is beta.ppf(0.975, 17.15, 2.85).
  it('is decided by the interval of the value', () => {
    const side = sideOf(20, [17])
    const { value, interval, target, cases, trials } = only(side)
    expect([value, target, cases, trials]).toEqual([0.85, 'fixed', 1, 20])
    expect(interval?.low).toBeCloseTo(0.6135523117, 9)
    expect(interval?.high).toBeCloseTo(0.9697265977, 9)
    expect(only(side, { bound: 0.61 }).status).toBe('held')
    expect(only(side, { bound: 0.62 }).status).toBe('undecided')
    expect(only(side, { bound: 0.96 }).status).toBe('undecided')
    expect(only(side, { bound: 0.98 }).status).toBe('failed')
    expect(only(side, { kind: 'max', bound: 0.98 }).status).toBe('held')
    expect(only(side, { kind: 'max', bound: 0.61 }).status).toBe('failed')
  })

  it('has the p-value at which its interval ends on the bound', () => {
    // In scipy: 2 * beta.cdf(0.5, 16.15, 3.85).
    expect(only(sideOf(20, [17]), { bound: 0.5 }).p).toBeCloseTo(0.0034560556, 7)
  })

  it('says how many more trials would decide it', () => {
    const result = only(sideOf(20, [17]), { bound: 0.7 })
    expect(result.status).toBe('undecided')
    const more = result.needed?.trialsPerCase ?? 0
    expect(more).toBeGreaterThan(10)
    // With that many trials of the same rate the gate holds, with a margin for chance.
    const n = 20 + more
    expect(only(sideOf(n, [Math.round(0.85 * n)]), { bound: 0.7 }).status).toBe('held')
    expect(result.needed).toMatchObject({ trials: more, usd: expect.closeTo(0.001 * more, 9) })
    expect(adviceText(result)).toContain(
      `About ${more} more trials of this case (${more} more trials in all`,
    )
  })

  it('plans at the level that counts all gates, where Holm alone leaves it undecided', () => {
    const counts = [7, 4, 3, 8, 2, 5, 6, 4, 8, 4, 6, 4]
    const found = (n: number, passed: readonly number[]) =>
      decideGates(sideOf(n, passed), [gate({ per: 'case' })])
    const taken = found(10, counts).filter(({ reason }) => reason.includes('Holm'))
    expect(taken.map(({ value }) => value)).toEqual([0.4, 0.4, 0.4, 0.4])
    for (const result of taken) {
      const more = result.needed?.trialsPerCase ?? 0
      expect(more).toBeGreaterThan(5)
      expect(more).toBeLessThan(30)
      expect(adviceText(result)).toContain(`About ${more} more trials of this case`)
      expect(adviceText(result)).not.toContain('move the bound')
      // With that many trials of every case and the same rates, it fails among all gates.
      const n = 10 + more
      const again = found(
        n,
        counts.map((c) => Math.round((c * n) / 10)),
      )
      expect(again.find((one) => one.case === result.case)?.status).toBe('failed')
    }
    // A value below the bound is planned for the other gates too. One above it holds without adjustment.
    const among = (c: number) =>
      found(10, [c, ...constant(11, 8)])[0]?.needed?.trialsPerCase as number
    const alone = (c: number) => only(sideOf(10, [c])).needed?.trialsPerCase as number
    expect(among(5)).toBeGreaterThan(alone(5))
    expect(among(9)).toBe(alone(9))
  })

  it('does not call a value close to the bound that is not', () => {
    const far = { ...only(sideOf(20, [17]), { bound: 0.7 }), needed: null }
    expect(adviceText(far)).toContain('cannot be computed')
    expect(adviceText(far)).not.toContain('move the bound')
  })

  it('says that nothing decides it where that is so, and why', () => {
    expect(adviceText(only(sideOf(10, constant(5, 8))))).toContain('the bound itself')
    expect(adviceText(only(sideOf(10, constant(5, 10)), { bound: 1 }))).toContain(
      'No number of trials can prove exactly 100.0%: choose a bound below it.',
    )
    const unpriced = fakeSide({ a: { scores: [1, 1], usd: null }, b: [1, 1] })
    expect(adviceText(only(unpriced, { metric: 'costOfPass', kind: 'max', bound: 1 }))).toContain(
      'price of some answers is unknown',
    )
    expect(
      adviceText(only(sideOf(3, [3]), { metric: 'latency', kind: 'max', bound: 100 })),
    ).toContain('at least two cases')
    expect(adviceText(only(sideOf(3, [3]), { target: 'population' }))).toContain('target=fixed')
    const few = only(sideOf(3, [3, 2]), { metric: 'passHatK', k: 5 })
    expect(few).toMatchObject({ value: null, needed: { trialsPerCase: 2, trials: 4 } })
    expect(adviceText(few)).toContain('run 2 more trials of each case first')
    const close = only(sideOf(1000, [999]), { bound: 0.9989999 })
    expect(close.needed).toBeNull()
    expect(adviceText(close)).toContain('no practical number of trials')
  })

  it('asks for cases, not trials, where it is about cases like these', () => {
    const side = sideOf(10, [10, 9, 10, 8, 9, 10, 7, 9, 10, 9])
    const result = only(side, { target: 'population', bound: 0.87 })
    expect(result).toMatchObject({ status: 'undecided', target: 'population' })
    expect(result.needed?.trialsPerCase).toBeNull()
    expect(result.needed?.cases).toBeGreaterThan(0)
    expect(adviceText(result)).toContain('more cases like these')
    const cost = only(side, { metric: 'costOfPass', kind: 'max', bound: 0.0011 })
    expect(cost.target).toBe('population')
  })

  it('counts groups, not cases, where it is about cases like these', () => {
    const alone = sideOf(10, [10, 10, 10, 10, 5, 5, 5, 5, 8, 8, 8, 8])
    const grouped: Report = {
      ...alone,
      subjects: alone.subjects.map((row) => ({
        ...row,
        cases: row.cases.map((one, i) => ({ ...one, group: `g${Math.floor(i / 4)}` })),
      })),
    }
    const width = (report: Report, target: 'fixed' | 'population'): number => {
      const { interval } = only(report, { target })
      return (interval?.high ?? 1) - (interval?.low ?? 0)
    }
    expect(width(grouped, 'population')).toBeGreaterThan(1.3 * width(alone, 'population'))
    const { needed } = only(grouped, { target: 'population', bound: 0.7 })
    expect(needed?.groups).toBe(Math.ceil((needed?.cases ?? 0) / 4))
    expect(adviceText(only(grouped, { target: 'population', bound: 0.7 }))).toMatch(
      /more cases like these in \d+ more groups \(/,
    )
    expect(only(alone, { target: 'population', bound: 0.7 }).needed?.groups).toBeUndefined()
    expect(width(grouped, 'fixed')).toBeCloseTo(width(alone, 'fixed'), 12)
  })

  it('is about each suite and subject, a tag, a case, or every case', () => {
    const report = joined(
      sideOf(10, [10, 2], { subject: 'x' }),
      sideOf(10, [10, 10], { subject: 'y' }),
      sideOf(10, [0], { subject: 'x', suite: 'other' }),
    )
    const found = (change: Partial<BoundGate>) =>
      decideGates(tagged(report, { c0: ['easy', 'all'], c1: ['all'] }), [gate(change)]).map(
        ({ suite, subject, tag, case: one, trials }) => [suite, subject, tag, one, trials],
      )
    expect(found({})).toEqual([
      ['suite', 'x', null, null, 20],
      ['suite', 'y', null, null, 20],
      ['other', 'x', null, null, 10],
    ])
    expect(found({ subject: 'x', suite: 'suite' })).toEqual([['suite', 'x', null, null, 20]])
    expect(found({ subject: 'y', per: 'case' })).toEqual([
      ['suite', 'y', null, 'c0', 10],
      ['suite', 'y', null, 'c1', 10],
    ])
    expect(found({ tag: 'easy', subject: 'y' })).toEqual([['suite', 'y', 'easy', null, 10]])
    expect(found({ per: 'tag', subject: 'y' })).toEqual([
      ['suite', 'y', 'all', null, 20],
      ['suite', 'y', 'easy', null, 10],
    ])
    expect(found({ case: 'c1' }).map(([suite, subject]) => [suite, subject])).toEqual([
      ['suite', 'x'],
      ['suite', 'y'],
    ])
  })

  it('takes pass@k and pass^k for any k, the largest of the run unless given', () => {
    const side = sideOf(4, [4, 2])
    // C(2,2)/C(4,2) = 1/6, so pass^2 is (1 + 1/6) / 2 and pass@2 is (1 + 5/6) / 2.
    expect(only(side, { metric: 'passHatK', k: 2 }).value).toBeCloseTo(7 / 12, 12)
    expect(only(side, { metric: 'passAtK', k: 2 }).value).toBeCloseTo(11 / 12, 12)
    expect(only({ ...side, passK: [1, 3] }, { metric: 'passAtK' }).k).toBe(3)
  })

  it('is not failed by chance among many', () => {
    const side = sideOf(20, [11])
    const alone = only(side)
    expect(alone).toMatchObject({ status: 'failed' })
    const many = decideGates(
      side,
      Array.from({ length: 12 }, (_, i) => gate(i === 0 ? {} : { bound: 0.5 })),
    )
    expect(many[0]?.adjustedP).toBeCloseTo(12 * (alone.p ?? 0), 9)
    expect(many[0]).toMatchObject({ status: 'undecided' })
    expect(gateSentence(many[0] as (typeof many)[0])).toContain('Holm')
  })
})

describe('what makes no sense', () => {
  it('is refused with the nearest name', () => {
    const report = tagged(sideOf(2, [2]), { c0: ['safety'] })
    const refusal =
      (change: Partial<BoundGate>, on: Report = report) =>
      () =>
        checkGateNames([gate(change)], namesIn(on))
    expect(refusal({ tag: 'safty' })).toThrow('did you mean "safety"?')
    expect(refusal({ subject: 'fakes' })).toThrow('did you mean "fake"?')
    expect(refusal({ case: 'c1' })).toThrow('not part of this run')
    expect(refusal({ subject: 'zzzzzz' })).toThrow('not part of this run. Known: "')
    expect(refusal({ suite: 'suit' })).toThrow('did you mean "suite"?')
    expect(refusal({ per: 'tag' }, sideOf(2, [2]))).toThrow('no case has a tag')
    expect(refusal({ per: 'tag' }, tagged(sideOf(2, [2]), {}))).toThrow('no case has a tag')
    expect(refusal({ tag: 'safety', per: 'case' })).not.toThrow()
  })

  it('is a share above 1 or a negative amount', () => {
    expect(boundFault('passRate', 80)).toContain('80 % is 0.8')
    expect(boundFault('passRate', -0.1)).not.toBeNull()
    expect(boundFault('costOfPass', -1)).not.toBeNull()
    expect(boundFault('costOfPass', 80)).toBeNull()
    expect(boundFault('meanScore', Number.NaN)).not.toBeNull()
  })
})

describe('the outcome', () => {
  const asked = (bound: number, strict = false) => ({
    gates: [gate({ bound })],
    strict,
    requirePass: false,
  })
  const code = (report: Report, ...rest: Parameters<typeof asked>): number | undefined =>
    withGates(report, asked(...rest), []).gates?.outcome.code

  it('is 1 where a gate fails, and with strict where it is not decided', () => {
    const side = sideOf(20, [17])
    expect(code(side, 0.5)).toBe(0)
    expect(code(side, 0.5, true)).toBe(0)
    expect(code(side, 0.8)).toBe(0)
    expect(code(side, 0.8, true)).toBe(1)
    expect(code(side, 0.99)).toBe(1)
  })

  it('is 3 on a run that is incomplete, whatever the gates say', () => {
    const { gates } = withGates(sideOf(20, [17]), asked(0.99), ['3 trials not run'])
    expect(gates?.outcome.code).toBe(3)
    expect(gates?.outcome.failures[0]).toContain('3 trials not run')
  })

  it('is nothing where nothing is asked', () => {
    const side = sideOf(20, [17])
    expect(withGates(side, { gates: [], strict: false, requirePass: false }, [])).toBe(side)
  })
})

describe('--require-pass', () => {
  const verdicts = (report: Report, threshold: number | null) => {
    const suites = report.provenance.suites.map((one) => ({ ...one, threshold }))
    const known: Report = {
      ...report,
      provenance: { ...report.provenance, suites },
      subjects: report.subjects.map((row) => {
        const { skill } = row.spec
        if (skill === null) return row
        const passed =
          threshold === null
            ? row.cases.every(({ n, c }) => n === c)
            : skill.overallScore >= threshold
        return { ...row, spec: { ...row.spec, skill: { ...skill, passed } } }
      }),
    }
    const { gates } = withGates(known, { gates: [], strict: false, requirePass: true }, [])
    return { code: gates?.outcome.code, skills: gates?.skills, failures: gates?.outcome.failures }
  }

  it('exits by the verdict on each skill', () => {
    expect(verdicts(sideOf(10, [9, 9]), 0.9).code).toBe(0)
    expect(verdicts(sideOf(10, [9, 8]), 0.9)).toMatchObject({
      code: 1,
      skills: [{ passed: false, score: expect.closeTo(0.85, 12), threshold: 0.9 }],
    })
    expect(verdicts(sideOf(10, [10, 10]), null).code).toBe(0)
    expect(verdicts(sideOf(10, [10, 9]), null).code).toBe(1)
  })

  it('does not hold on a part of the stimuli, or on nothing', () => {
    const part = verdicts(fakeSide({ a: passes(5, 5), b: [null] }), 0.9)
    expect(part).toMatchObject({ code: 1, skills: [{ passed: true, missing: 1 }] })
    expect(part.failures?.join()).toContain('part of the stimuli')
    expect(verdicts(fakeSide({ a: [null] }), 0.9)).toMatchObject({
      code: 1,
      skills: [{ passed: null }],
    })
  })
})
