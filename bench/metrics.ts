/**
 * Measures all main metrics with intervals on one million trials in 10,000 cases, for both targets of an interval
 * (cases like these, and exactly these cases). Also measures 10,000 bootstrap resamples of a ratio. For comparison,
 * it measures the estimator of the pass@k paper in numpy. Run it with `npm run bench:metrics`.
 */
import {
  bootstrap,
  costOfPassRatio,
  distinctRows,
  meanScoreEstimate,
  passAtKCurve,
  passAtKEstimate,
  passHatKCurve,
  passHatKEstimate,
  passRateEstimate,
  random,
  ofSums,
  Sum,
} from '@assay/metrics'
import { measure, row } from './measure.ts'

const CASES = 10_000
const TRIALS = 100

/**
 * Generates the trials in the form in which an engine keeps them: one array each for verdicts, scores and costs,
 * ordered by case.
 */
function trials(): { passed: Uint8Array; score: Float64Array; cost: Float64Array } {
  const draw = random(1)
  const passed = new Uint8Array(CASES * TRIALS)
  const score = new Float64Array(CASES * TRIALS)
  const cost = new Float64Array(CASES * TRIALS)
  for (let i = 0; i < CASES; i++) {
    const rate = draw()
    for (let t = i * TRIALS; t < (i + 1) * TRIALS; t++) {
      passed[t] = draw() < rate ? 1 : 0
      score[t] = passed[t] === 1 ? 1 : 0.4 + 0.5 * draw()
      cost[t] = 0.001 + 0.002 * draw()
    }
  }
  return { passed, score, cost }
}

interface CaseFigures {
  n: number
  c: number
  sum: number
  sumSq: number
  cost: number
}

function collapse({ passed, score, cost }: ReturnType<typeof trials>): CaseFigures[] {
  const cases: CaseFigures[] = []
  for (let i = 0; i < CASES; i++) {
    let c = 0
    const sums = [new Sum(), new Sum(), new Sum()] as const
    for (let t = i * TRIALS; t < (i + 1) * TRIALS; t++) {
      c += passed[t] as number
      sums[0].add(score[t] as number)
      sums[1].add((score[t] as number) ** 2)
      sums[2].add(cost[t] as number)
    }
    cases.push({ n: TRIALS, c, sum: sums[0].value, sumSq: sums[1].value, cost: sums[2].value })
  }
  return cases
}

const [mode] = process.argv.slice(2)
if (mode === undefined) {
  const self = import.meta.filename
  console.log(
    row('data only (drawing one million trials)', measure(process.execPath, [self, 'data'])),
  )
  for (const [label, part] of [
    ['every headline metric with intervals', 'headline'],
    ['… and the whole pass@k and pass^k curves', 'curves'],
    ['10,000 resamples of cost of pass', 'bootstrap'],
  ] as const) {
    const taken = measure(process.execPath, [self, part])
    console.log(row(label, taken), taken.stdout.trim())
  }
  const numpy = measure('/usr/bin/python3', [
    new URL('pass_at_k_numpy.py', import.meta.url).pathname,
  ])
  console.log(row('numpy estimate_pass_at_k, pass@1, 5, 10', numpy), numpy.stdout.trim())
} else {
  const data = trials()
  const from = process.cpuUsage()
  if (mode !== 'data') {
    const cases = collapse(data)
    if (mode === 'bootstrap') {
      const rows = distinctRows(cases.map(({ c, cost }) => [cost, c]))
      bootstrap(
        rows,
        ofSums((sum) => [sum(0) / sum(1)]),
        { seed: 1, resamples: 10_000 },
      )
    } else {
      for (const target of ['population', 'fixed'] as const) {
        passRateEstimate(cases, target)
        meanScoreEstimate(cases, target)
        for (const k of [1, 5, 10, 50, 100]) {
          passAtKEstimate(cases, k, target)
          passHatKEstimate(cases, k, target)
        }
        if (mode === 'curves') {
          passAtKCurve(cases, target)
          passHatKCurve(cases, target)
        }
      }
      costOfPassRatio(cases)
    }
  }
  const { user, system } = process.cpuUsage(from)
  console.log(`(of which the computation ${((user + system) / 1e6).toFixed(3)} s CPU)`)
}
