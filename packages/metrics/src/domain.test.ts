/**
 * Wrong arguments that TypeScript rejects but a JavaScript caller can pass. Every function throws an
 * error that names the argument.
 */
import { describe, expect, it } from 'vitest'
import * as metrics from './index.ts'

const functions = new Map(Object.entries(metrics))

const call = (name: keyof typeof metrics, ...args: unknown[]): unknown =>
  (functions.get(name) as (...given: unknown[]) => unknown)(...args)

describe('arguments of the wrong type are refused', () => {
  it.each([
    ['passAtK', ['5', 3, 2], 'n must be'],
    ['passAtKNaive', ['0.5', 2], 'perTrialPassRate must be'],
    ['betaPassAtK', ['1', 3, 1], 'a must be'],
    ['betaPassAtK', [1, '3', 1], 'b must be'],
    ['logGamma', ['3'], 'x must be'],
    ['tQuantile', ['0.9', 5], 'p must be'],
    ['tQuantile', [0.9, '5'], 'df must be'],
    ['clopperPearson', [10, 3, '0.95'], 'level must be'],
    ['passRateEstimate', [[{ n: 5, c: 3 }], 'fixed', 0.05], 'did you mean 0.95?'],
    ['letterGrade', [1.5], 'score must be'],
    [
      'clusteredSE',
      [
        [0.1, 0.2, 0.3],
        ['a', null, 'b'],
      ],
      'groups must be',
    ],
    [
      'clusteredSE',
      [
        [0.1, 0.2, 0.3],
        ['a', undefined, 'b'],
      ],
      'groups must be',
    ],
    [
      'clusteredSE',
      [
        [0.1, 0.2, 0.3],
        [1, Number.NaN, 2],
      ],
      'groups must be',
    ],
    ['pairedDifference', [[0.1, 0.2], [0.1, 0.3], 0.95, [null, null]], 'groups must be'],
    ['describe', [['1', '2']], 'values must be'],
    ['populationVariance', [['1', '2']], 'values must be'],
    ['mean', [['1', '2']], 'values must be'],
    ['fsum', [['1', '2']], 'values must be'],
    ['computeMultiTrialMetrics', [[true, 'false']], 'trialPassed must be'],
    ['codeScore', [{ compiled: 'no', passed: 1, failed: 0, warnings: 0 }], 'compiled must be'],
    ['passAtKEstimate', [[{ n: 5, c: 3 }], 3, 'Fixed'], 'target must be'],
    ['passRateEstimate', [[{ n: 5, c: 3 }]], 'target must be'],
    ['meanScoreEstimate', [[{ n: 1, sum: 1, sumSq: 1 }]], 'target must be'],
    [
      'krippendorffAlpha',
      [
        [
          [1, 2],
          [1, 2],
        ],
        'nominl',
      ],
      'scale must be',
    ],
  ] as const)('%s(%j)', (name, args, message) => {
    expect(() => call(name, ...args)).toThrow(RangeError)
    expect(() => call(name, ...args)).toThrow(message)
  })
})

it('the farthest tails are 0 and 1, not NaN', () => {
  expect([metrics.normalSf(1e308), metrics.normalCdf(1e308)]).toEqual([0, 1])
})
