/**
 * The weights of the three parts of a code score: compiling, tests and lint. The defaults are 40, 50 and 10 of 100. A
 * suite can set others.
 */
import { z } from 'zod'
import { CODE_WEIGHTS, type CodeWeights } from '@assay/metrics'

const part = (what: string) =>
  z.number().min(0).max(1).describe(`What ${what} counts, from 0 to 1.`)

export const codeWeightsSchema = z
  .strictObject({
    compile: part('compiling'),
    tests: part('the share of tests that pass'),
    lint: part('clean code'),
  })
  .refine(({ compile, tests, lint }) => Math.abs(compile + tests + lint - 1) < 1e-9, {
    message: 'must sum to 1',
  })
  .describe(
    'What compiling, the tests and the lint count in the score of code; must sum to 1. 0.4, 0.5 and 0.1 unless given.',
  )

export type CodeProfile = z.infer<typeof codeWeightsSchema>

export const weightsOf = (given: CodeProfile | undefined): CodeWeights =>
  given === undefined
    ? CODE_WEIGHTS
    : {
        compilation: given.compile,
        tests: given.tests,
        lint: given.lint,
        perWarning: CODE_WEIGHTS.perWarning,
      }
