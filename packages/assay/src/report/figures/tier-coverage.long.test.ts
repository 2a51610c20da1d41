/**
 * Checks how often the intervals of a tier report contain the true value. The tiers of examples/tiers.toml are
 * simulated, so the true values are known, both for exactly the cases of a repetition and for cases like these. Each
 * repetition draws new cases, lets every tier answer them, builds the report and compares its intervals with both true
 * values. The seed is 1, with 2,000 repetitions of each size. The test prints the rates, and docs/guides/experiments.md lists
 * them.
 */
import { fileURLToPath } from 'node:url'
import { random } from '@assay/metrics'
import { describe, expect, it } from 'vitest'
import type { Case } from '@assay/contract'
import { loadExperiment } from '../../experiment/index.ts'
import { Plan, Tally } from '../../log/index.ts'
import { makeSubjects, type NamedSubject, type SimulatedSubject } from '../../subject/index.ts'
import { fakeCase } from '../../../test/fakes.ts'
import { provenanceOf } from '../../../test/report-of.ts'
import { buildReport } from './build-report.ts'
import type { ReportMetric, ReportTiers } from '../schema/report.ts'

const SEED = 1
const REPETITIONS = 2000
const LEAST = 0.93
const FILE = fileURLToPath(new URL('../../../../../examples/tiers.toml', import.meta.url))
const SIZES = [
  [12, 10],
  [30, 5],
  [8, 20],
] as const
const NEVER = new AbortController().signal

interface Spread {
  readonly median: number
  readonly sigma: number
}

interface Tier {
  readonly subject: SimulatedSubject
  /** The true mean cost of one answer and the true mean pass rate on cases like these. */
  readonly cost: number
  readonly rate: number
}

async function tiersOfExample(): Promise<Tier[]> {
  const experiment = await loadExperiment(FILE)
  if (experiment === null) throw new Error('examples/tiers.toml is no experiment')
  const subjects = await makeSubjects({
    subjects: experiment.subjects,
    named: experiment.described as Record<string, NamedSubject>,
  })
  return subjects.map((subject) => {
    const { pass, price } = subject.config as unknown as {
      pass: { beta: [number, number] }
      price: Spread
    }
    const [a, b] = pass.beta
    // The mean of a log-normal distribution with this median and sigma.
    const cost = price.median * Math.exp(price.sigma ** 2 / 2)
    return { subject: subject as SimulatedSubject, cost, rate: a / (a + b) }
  })
}

const REFERENCE = 'right'

/**
 * Makes the cases of one repetition. The difficulty of a simulated case depends on its hash, so each repetition uses
 * other hashes.
 */
const casesOf = (repetition: number, m: number): Case[] =>
  Array.from({ length: m }, (_, i) =>
    fakeCase(`c${i}`, {
      hash: `${SEED} ${repetition} ${i}`,
      reference: REFERENCE,
      faulty: ['wrong'],
    }),
  )

async function tried(
  tiers: readonly Tier[],
  cases: readonly Case[],
  n: number,
  draw: () => number,
): Promise<ReportTiers> {
  const plan = new Plan(
    [{ id: 's', cases: cases.map((one) => ({ ...one, trials: n })) }],
    tiers.map(({ subject }) => ({ id: subject.id, pool: '' })),
    n,
  )
  const tally = new Tally(plan)
  for (const {
    case: planned,
    subject: { id },
    first,
  } of plan.cells) {
    const { subject } = tiers.find((tier) => tier.subject.id === id) as Tier
    const one = cases.find((known) => known.id === planned.id) as Case
    for (let index = 0; index < n; index++) {
      const ask = { suite: 's', case: one, index, messages: [], maxTokens: null, timeoutMs: 1000 }
      const { text, usd } = await subject.answer({ ...ask, random: draw, signal: NEVER })
      tally.put(first + index, {
        outcome: text === REFERENCE ? 'passed' : 'failed',
        score: text === REFERENCE ? 1 : 0,
        implRate: null,
        answerUsd: usd,
        judgeUsd: null,
        answerMs: 0,
        waitMs: 0,
        gradeMs: 0,
        usage: null,
        code: null,
        reason: null,
        grades: [],
        cached: false,
      })
    }
  }
  const order = tiers.map(({ subject }) => subject.id)
  const report = buildReport({
    tally,
    run: { id: 'run', createdAt: null, endedAt: null },
    provenance: provenanceOf(
      ['s'],
      order.map((id) => ({ id })),
    ),
    passK: [1],
    tiers: [{ order, baseline: order[0] as string }],
  })
  return report.tiers[0] as ReportTiers
}

const holds = ({ interval }: ReportMetric, truth: number): boolean =>
  interval !== undefined && interval.low <= truth && truth <= (interval.high ?? Infinity)

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

describe('the intervals of a tier report', () => {
  it.each(SIZES)(
    'hold the truth of examples/tiers.toml in 93 % of suites of %i cases, %i trials each',
    async (m, n) => {
      const tiers = await tiersOfExample()
      const [baseline] = tiers as [Tier, ...Tier[]]
      const held = new Map<string, number>()
      const count = (name: string, tier: Tier, target: string, isHeld: boolean): void => {
        const key = `${name} · ${tier.subject.id} · ${target}`
        held.set(key, (held.get(key) ?? 0) + Number(isHeld))
      }
      const draw = random(SEED, m, n)
      for (let r = 0; r < REPETITIONS; r++) {
        const cases = casesOf(r, m)
        const { metrics, cost_of_pass: costs } = await tried(tiers, cases, n, draw)
        const rates = metrics?.find(({ metric }) => metric === 'passRate')
        for (const [i, tier] of tiers.entries()) {
          const truthOf = (one: Tier): number =>
            mean(cases.map((known) => one.subject.truth(known)))
          const here = truthOf(tier)
          const both = [
            ['fixed', here, here - truthOf(baseline)],
            ['population', tier.rate, tier.rate - baseline.rate],
          ] as const
          for (const [target, rate, difference] of both) {
            const meanOf = rates?.means[i]?.[target] as ReportMetric
            count('pass rate', tier, target, holds(meanOf, rate))
            const cost = costs?.[i]?.[target] as ReportMetric
            count('cost of pass', tier, target, holds(cost, tier.cost / rate))
            const change = rates?.differences[i]
            if (change != null) count('difference', tier, target, holds(change[target], difference))
          }
        }
      }
      const shares = [...held].map(([key, times]) => [key, times / REPETITIONS] as const)
      for (const [key, share] of shares.toSorted(([a], [b]) => (a < b ? -1 : 1)))
        console.log(`${m} × ${n} · ${key}: ${share.toFixed(3)}`)
      expect(shares).toHaveLength(3 * 2 * 2 + 2 * 2)
      for (const [key, share] of shares) expect(share, key).toBeGreaterThanOrEqual(LEAST)
    },
  )
})
