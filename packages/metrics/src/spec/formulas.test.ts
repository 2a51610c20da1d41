/**
 * Checks every formula of code-scoring, scoring-functions and metrics-formulas against results in
 * exact rational arithmetic.
 */
import { expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { codeScore } from './code/code-score.ts'
import { compositeScore } from './tiers/composite-score.ts'
import { costOfPass, costUsd } from './tiers/cost.ts'
import { describe as statistics, populationVariance, sampleDeviation } from './describe.ts'
import { passAtKNaive } from './pass-at-k.ts'
import { passToTheK } from './pass-hat-k.ts'
import { costDelta, costVariance, passRateVariance, tierUplift } from './tiers/tiers.ts'

const functions = {
  passAtKNaive,
  passToTheK,
  codeScore,
  costUsd,
  costOfPass,
  compositeScore,
  describe: statistics,
  populationVariance,
  sampleDeviation,
  passRateVariance,
  costVariance,
  costDelta,
  tierUplift,
} as const

interface Vector {
  fn: keyof typeof functions
  args: unknown[]
  expected: number | Record<string, number>
}

/** Functions with a larger rounding error, for example because they subtract nearly equal numbers. */
const TOLERANCE: Partial<Record<keyof typeof functions, number>> = {
  passToTheK: 2e-15,
  populationVariance: 4e-15,
}

const vectors = golden<Vector>('spec-formulas')

it.each(Object.keys(functions))('%s agrees with exact rationals', (fn) => {
  const own = vectors.filter((vector) => vector.fn === fn)
  expect(own.length).toBeGreaterThan(0)
  for (const { fn: name, args, expected } of own) {
    const actual = (functions[name] as (...given: unknown[]) => unknown)(...args)
    const tolerance = TOLERANCE[name] ?? 1e-15
    const label = `${name}(${JSON.stringify(args)})`
    if (typeof expected === 'number') expectClose(actual as number, expected, tolerance, label)
    else
      for (const [key, value] of Object.entries(expected))
        expectClose(
          (actual as Record<string, number>)[key] as number,
          value,
          tolerance,
          `${label}.${key}`,
        )
  }
})
