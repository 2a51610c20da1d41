/**
 * Coverage of the difference between tiers that share no case. Each tier draws its own cases from a population with a
 * known mean, and each case has a few trials.
 */
import { random } from '@assay/metrics'
import { expect, it } from 'vitest'
import { independentIntervals } from './independent-difference.ts'

/** The success rate of a case, from a uniform number, and the mean of these rates. */
interface Truth {
  readonly name: string
  readonly rate: (u: number) => number
  readonly mean: number
}

const TRUTHS: readonly Truth[] = [
  { name: 'arcsine', rate: (u) => Math.sin((Math.PI * u) / 2) ** 2, mean: 0.5 },
  { name: 'uniform', rate: (u) => u, mean: 0.5 },
  { name: 'all 0.8', rate: () => 0.8, mean: 0.8 },
  { name: '1 in 10 always fails', rate: (u) => (u < 0.1 ? 0 : 0.98), mean: 0.882 },
  { name: '0 or 1', rate: (u) => (u < 0.3 ? 0 : 1), mean: 0.7 },
]
const SIZES = [
  [10, 1],
  [20, 5],
  [50, 3],
] as const
/** The standard error of a coverage of 0.95 is then 0.0034, so that no cell misses 0.93 by chance. */
const REPETITIONS = 4000

it.each(['passRate', 'meanScore'] as const)('%s covers at least 0.93 in every cell', (metric) => {
  const draw = random(20_261_117)
  const cells: Record<string, number> = {}
  for (const a of TRUTHS)
    for (const b of TRUTHS)
      for (const [cases, trials] of SIZES) {
        const sample = ({ rate }: Truth, size: number) =>
          Array.from({ length: size }, () => {
            const p = rate(draw())
            let c = 0
            for (let i = 0; i < trials; i++) if (draw() < p) c++
            return { n: trials, sum: c, sumSq: c }
          })
        let covered = 0
        for (let i = 0; i < REPETITIONS; i++) {
          const [x, y] = [sample(a, cases), sample(b, cases + 5)]
          const kind = metric === 'passRate' ? 'passes' : 'scores'
          const of = (list: typeof x) => ({ kind, cases: list }) as const
          const interval = independentIntervals(of(x), of(y), 0.95).population
          const truth = b.mean - a.mean
          if (interval !== null && interval.low <= truth && truth <= interval.high) covered++
        }
        cells[`${a.name} / ${b.name} ${cases}×${trials}`] = covered / REPETITIONS
      }
  expect(Object.entries(cells).filter(([, share]) => share < 0.93)).toEqual([])
})
