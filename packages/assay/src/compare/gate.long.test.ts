/**
 * Checks the error rates of the gate by simulation: how often it fails a subject that did not change, how often it
 * detects a subject that became worse, how often it wrongly says that there is no regression, and how often its
 * intervals contain the true value. The seed is 1, with 2,000 repetitions. The test prints the rates, and
 * docs/design/gate.md lists them.
 */
import { binomialDraw, random, type Random } from '@assay/metrics'
import { describe, expect, it } from 'vitest'
import type { CaseReport } from '../report/index.ts'
import { judge, verdictOn } from './gate-verdict.ts'
import { changeOf, type CasePair } from './match-cases.ts'
import { measureOf, type Setting } from './measures.ts'
import type { MetricName } from './names.ts'

const SEED = 1
const REPETITIONS = 2000
const SETTING: Setting = { level: 0.95, target: 'fixed', k: 3 }
const ALPHA = 0.05
/** The highest rate that the simulation may show: 5 %, plus two standard errors of a simulated rate of 5 %. */
const ALLOWED = ALPHA + 2 * Math.sqrt((ALPHA * (1 - ALPHA)) / REPETITIONS)

// ── True pass probabilities ──────────────────────────────────────────────────────────────────────────

function normal(draw: Random): number {
  return Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
}

/** Draws from a gamma distribution by the method of Marsaglia and Tsang. */
function gamma(draw: Random, shape: number): number {
  if (shape < 1) return gamma(draw, shape + 1) * draw() ** (1 / shape)
  const d = shape - 1 / 3
  for (;;) {
    const x = normal(draw)
    const v = (1 + x / Math.sqrt(9 * d)) ** 3
    if (v > 0 && Math.log(draw()) < (x * x) / 2 + d - d * v + d * Math.log(v)) return d * v
  }
}

function beta(draw: Random, a: number, b: number): number {
  const x = gamma(draw, a)
  return x / (x + gamma(draw, b))
}

/** Distributions of pass probabilities. Each function draws the probability that one case passes. */
const TRUTHS: Readonly<Record<string, (draw: Random) => number>> = {
  'all 0.8': () => 0.8,
  'all 0.5': () => 0.5,
  'all 0.97': () => 0.97,
  'Beta(.5, .5)': (draw) => beta(draw, 0.5, 0.5),
  'Beta(6, .3)': (draw) => beta(draw, 6, 0.3),
  'half 1, half 0.5': (draw) => (draw() < 0.5 ? 1 : 0.5),
}

const SIZES = [
  [20, 5],
  [50, 10],
  [10, 3],
  [5, 20],
  [50, 2],
  [50, 1],
] as const

// ── Cases ────────────────────────────────────────────────────────────────────────────────────────────

interface Sums {
  readonly n: number
  readonly c: number
  readonly score: number
  readonly scoreSq: number
  readonly costUsd?: number
}

/** Makes a case report with only the fields that the measures read. */
const caseOf = ({ n, c, score, scoreSq, costUsd = 0 }: Sums): CaseReport =>
  ({
    n,
    c,
    meanAnswerMs: null,
    sums: { scores: n, score, scoreSq, costUsd, costs: n },
  }) as CaseReport

const passFail = (draw: Random, n: number, p: number): CaseReport => {
  const c = binomialDraw(draw, n, p)
  return caseOf({ n, c, score: c, scoreSq: c })
}

/** Simulates code scores: 0 if the code does not compile, at least 0.5 if it compiles, and 1 if all tests pass. */
function codeScores(draw: Random, n: number, p: number): CaseReport {
  let [c, score, scoreSq] = [0, 0, 0]
  for (let i = 0; i < n; i++) {
    const passed = draw() < p
    const one = passed ? 1 : draw() < 0.3 ? 0 : 0.5 + 0.4 * draw()
    if (passed) c++
    score += one
    scoreSq += one * one
  }
  return caseOf({ n, c, score, scoreSq })
}

type Make = (draw: Random, n: number, p: number) => CaseReport

const pairsOf = (
  draw: Random,
  before: readonly number[],
  after: readonly number[],
  [nA, nB]: readonly [number, number],
  make: Make = passFail,
): CasePair[] =>
  before.map((p, i) => ({
    suite: 's',
    case: `c${i}`,
    a: make(draw, nA, p),
    b: make(draw, nB, after[i] as number),
  }))

const isRegression = (
  pairs: readonly CasePair[],
  metric: MetricName = 'meanScore',
  setting: Setting = SETTING,
): boolean => verdictOn({ metric, margin: null, pairs }, setting) === 'regression'

const anyDrop = (pairs: readonly CasePair[]): boolean =>
  pairs.some((pair) => changeOf(pair, 0.05) === 'regression')

const share = (times: number, repetitions = REPETITIONS): string =>
  `${((100 * times) / repetitions).toFixed(1)}%`

// ── The guarantees ───────────────────────────────────────────────────────────────────────────────────

describe('with an unchanged subject', () => {
  it('the gate fails at most 5 % of the time, at every size and truth', () => {
    const lines: string[] = []
    let stream = 0
    for (const [m, n] of SIZES)
      for (const [name, truth] of Object.entries(TRUTHS)) {
        const draw = random(SEED, 1, stream++)
        const alarms = { gate: 0, scores: 0, population: 0, document: 0 }
        for (let r = 0; r < REPETITIONS; r++) {
          const rates = Array.from({ length: m }, () => truth(draw))
          const pairs = pairsOf(draw, rates, rates, [n, n])
          if (isRegression(pairs)) alarms.gate++
          if (isRegression(pairs, 'meanScore', { ...SETTING, target: 'population' }))
            alarms.population++
          if (anyDrop(pairs)) alarms.document++
          if (isRegression(pairsOf(draw, rates, rates, [n, n], codeScores))) alarms.scores++
        }
        lines.push(
          `${`${m}x${n}`.padEnd(6)} ${name.padEnd(17)} gate ${share(alarms.gate)}, code scores ${share(alarms.scores)}, population ${share(alarms.population)}, document's rule ${share(alarms.document)}`,
        )
        for (const kind of ['gate', 'scores', 'population'] as const)
          expect(alarms[kind] / REPETITIONS, `${m}x${n} ${name} ${kind}`).toBeLessThanOrEqual(
            ALLOWED,
          )
      }
    console.log(lines.join('\n'))
  })

  it('neither pass rate nor pass^3 nor unequal trials change that', () => {
    for (const [i, [metric, trials]] of (
      [
        ['passRate', [5, 5]],
        ['passHatK', [5, 5]],
        ['passHatK', [3, 3]],
        ['meanScore', [20, 4]],
      ] as const
    ).entries()) {
      const draw = random(SEED, 2, i)
      let alarms = 0
      for (let r = 0; r < REPETITIONS; r++) {
        const rates = Array.from({ length: 20 }, () => beta(draw, 2, 1))
        if (isRegression(pairsOf(draw, rates, rates, trials), metric)) alarms++
      }
      console.log(`${metric} ${trials.join(' against ')} trials: ${share(alarms)}`)
      expect(alarms / REPETITIONS).toBeLessThanOrEqual(ALLOWED)
    }
  })

  it('any of four subjects fails at most 5 % of the time together', () => {
    const draw = random(SEED, 3)
    const repetitions = 500
    let alarms = 0
    for (let r = 0; r < repetitions; r++) {
      const rates = Array.from({ length: 20 }, () => beta(draw, 2, 1))
      const family = Array.from({ length: 4 }, () => pairsOf(draw, rates, rates, [5, 5]))
      const verdicts = judge(
        family.map((pairs) => ({ metric: 'meanScore', margin: null, pairs })),
        SETTING,
      )
      if (verdicts.some(({ verdict }) => verdict === 'regression')) alarms++
    }
    console.log(`four subjects with Holm: ${share(alarms, repetitions)}`)
    expect(alarms / repetitions).toBeLessThanOrEqual(
      ALPHA + 2 * Math.sqrt((ALPHA * (1 - ALPHA)) / repetitions),
    )
  })
})

describe('with a changed subject', () => {
  /** Multiplies the pass rate of every case by one factor, so that the mean rate falls by `by`. */
  const lowered = (rates: readonly number[], by: number): number[] => {
    const mean = rates.reduce((sum, p) => sum + p, 0) / rates.length
    return rates.map((p) => p * Math.max(0, 1 - by / mean))
  }

  it('a drop of 20 points on 50 cases × 10 trials is caught at least 95 % of the time', () => {
    const lines: string[] = []
    for (const [i, [name, truth]] of Object.entries(TRUTHS).entries()) {
      const draw = random(SEED, 4, i)
      const caught = { all: 0, some: 0, scores: 0 }
      for (let r = 0; r < REPETITIONS; r++) {
        const rates = Array.from({ length: 50 }, () => truth(draw))
        if (isRegression(pairsOf(draw, rates, lowered(rates, 0.2), [10, 10]))) caught.all++
        if (isRegression(pairsOf(draw, rates, lowered(rates, 0.2), [10, 10], codeScores)))
          caught.scores++
        const broken = rates.map((p, j) => (j % 5 === 0 ? 0 : p))
        if (isRegression(pairsOf(draw, rates, broken, [10, 10]))) caught.some++
      }
      lines.push(
        `${name.padEnd(17)} 20 points everywhere ${share(caught.all)}, its code scores ${share(caught.scores)}, a fifth of the cases broken ${share(caught.some)}`,
      )
      expect(caught.all / REPETITIONS, name).toBeGreaterThanOrEqual(0.95)
    }
    console.log(lines.join('\n'))
  })

  it('a drop of exactly the margin is reassured at most 5 % of the time', () => {
    const lines: string[] = []
    let stream = 0
    for (const [m, n] of SIZES)
      for (const [name, truth] of Object.entries(TRUTHS)) {
        const draw = random(SEED, 5, stream++)
        let reassured = 0
        for (let r = 0; r < REPETITIONS; r++) {
          const rates = Array.from({ length: m }, () => truth(draw))
          const pairs = pairsOf(draw, rates, lowered(rates, 0.05), [n, n])
          const verdict = verdictOn({ metric: 'meanScore', margin: null, pairs }, SETTING)
          if (verdict === 'noRegression') reassured++
        }
        lines.push(`${`${m}x${n}`.padEnd(6)} ${name.padEnd(17)} ${share(reassured)}`)
        expect(reassured / REPETITIONS, `${m}x${n} ${name}`).toBeLessThanOrEqual(ALLOWED)
      }
    console.log(lines.join('\n'))
  })
})

describe('intervals hold the truth at least 93 % of the time', () => {
  it('of a difference in mean score, for exactly these cases', () => {
    let [least, total, cells] = [1, 0, 0]
    for (const [m, n] of SIZES.filter(([, trials]) => trials > 1))
      for (const truth of Object.values(TRUTHS)) {
        const draw = random(SEED, 6, cells++)
        let held = 0
        for (let r = 0; r < REPETITIONS; r++) {
          const before = Array.from({ length: m }, () => truth(draw))
          // Some cases become worse, some better, and some stay the same.
          const after = before.map((p) => (draw() < 0.3 ? p * draw() : draw() < 0.2 ? 1 : p))
          const real = after.reduce((sum, p, i) => sum + p - (before[i] as number), 0) / m
          const pairs = pairsOf(draw, before, after, [n, n])
          const { interval } = measureOf('meanScore').compare(pairs, SETTING).difference ?? {}
          if (interval && interval.low <= real && real <= interval.high) held++
        }
        least = Math.min(least, held / REPETITIONS)
        total += held / REPETITIONS
      }
    console.log(`difference of mean scores: least ${least}, mean ${(total / cells).toFixed(3)}`)
    expect(least).toBeGreaterThanOrEqual(0.93)
  })

  it('of a ratio of costs of a pass, for cases like these', () => {
    const lines: string[] = []
    for (const [i, [m, n, uneven]] of (
      [
        [20, 5, false],
        [50, 5, false],
        [50, 10, false],
        [100, 3, false],
        // Here each case has a random number of trials from 1 to 2n, on each side a different number. Ratios of totals
        // give a case with more trials more weight, and the interval must still be right.
        [50, 5, true],
        [100, 3, true],
      ] as const
    ).entries()) {
      const draw = random(SEED, 7, i)
      // The true ratio of the costs of a pass. E(cost) = exp(0.5 + 0.5²/2 + 0.4²/2) for A, and 1.3 times that for B.
      // E(p) = 2/3 for A and 1/2 for B.
      const real = (1.3 / 0.5) * (2 / 3)
      let held = 0
      for (let r = 0; r < REPETITIONS; r++) {
        const pairs = Array.from({ length: m }, (_, at): CasePair => {
          const p = beta(draw, 2, 1)
          const level = Math.exp(0.5 + 0.5 * normal(draw))
          const side = (rate: number, factor: number): CaseReport => {
            const trials = uneven ? 1 + Math.floor(2 * n * draw()) : n
            let cost = 0
            for (let t = 0; t < trials; t++) cost += factor * level * Math.exp(0.4 * normal(draw))
            const c = binomialDraw(draw, trials, rate)
            return caseOf({ n: trials, c, score: c, scoreSq: c, costUsd: cost })
          }
          return { suite: 's', case: `c${at}`, a: side(p, 1), b: side(0.75 * p, 1.3) }
        })
        const { interval } = measureOf('costOfPass').compare(pairs, SETTING).difference ?? {}
        const log = -Math.log(real)
        if (interval && interval.low <= log && log <= interval.high) held++
      }
      lines.push(`cost of a pass, ${m}x${n}${uneven ? ', unevenly tried' : ''}: ${share(held)}`)
      expect(held / REPETITIONS).toBeGreaterThanOrEqual(0.93)
    }
    console.log(lines.join('\n'))
  })
})
