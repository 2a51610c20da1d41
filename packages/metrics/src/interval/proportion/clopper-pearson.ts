/**
 * The exact interval for a proportion: the rates that would give c or more, and c or fewer, passes with
 * a chance of at least (1 − level)/2 each. It covers at least as often as it says, whatever the rate; the
 * price is some width. Taken on an effective number of trials, a real number, it is the interval of Korn
 * and Graubard for survey data, which keeps that caution where trials are not independent.
 *
 * Source: Clopper and Pearson 1934; Korn and Graubard 1998.
 */
import { checkBetween, checkCounts, checkNumber } from '../../domain.ts'
import { type Bounds, DEFAULT_LEVEL } from '../../metric.ts'
import { inverseIncompleteBeta } from '../../special/incomplete-beta.ts'

/** 0 without passes, since no rate is too low for none. */
const lowEnd = (passes: number, failures: number, tail: number): number =>
  passes === 0 ? 0 : inverseIncompleteBeta(tail, passes, failures + 1)

/**
 * The exact interval for a rate seen in n trials, where n may be effective and both may be fractions.
 *
 * @example kornGraubard(0.9, 25.5).low // 0.7157368465292784
 */
export function kornGraubard(rate: number, n: number, level: number = DEFAULT_LEVEL): Bounds {
  checkNumber('rate', rate, 0, 1)
  checkBetween('n', n, 0, Infinity)
  checkBetween('level', level, 0, 1)
  const passes = rate * n
  const failures = (1 - rate) * n
  const tail = (1 - level) / 2
  return { low: lowEnd(passes, failures, tail), high: 1 - lowEnd(failures, passes, tail) }
}

/**
 * The exact interval for the pass rate of one case, c of n trials passed.
 *
 * @example clopperPearson(5, 5).low // 0.4781762498950185
 */
export function clopperPearson(n: number, c: number, level: number = DEFAULT_LEVEL): Bounds {
  checkCounts(n, c)
  checkBetween('level', level, 0, 1)
  const tail = (1 - level) / 2
  return { low: lowEnd(c, n - c, tail), high: 1 - lowEnd(n - c, c, tail) }
}
