/**
 * The exact interval for a proportion. c is the observed number of passes. The interval contains a
 * rate if, at this rate, both "c or more passes" and "c or fewer passes" have a probability of at
 * least (1 − level)/2. For every true rate, it contains that rate with at least the stated
 * confidence, so it is a little wider than other intervals. With an effective number of trials,
 * which need not be an integer, it is the interval of Korn and Graubard for survey data. That
 * interval is used if trials are not independent.
 *
 * Source: Clopper and Pearson 1934; Korn and Graubard 1998.
 */
import { checkBetween, checkCounts, checkLevel, checkNumber } from '../../domain.ts'
import { type Bounds, DEFAULT_LEVEL } from '../../metric.ts'
import { inverseIncompleteBeta } from '../../special/incomplete-beta.ts'

/**
 * Returns the lower end of the interval. It is 0 if there are no passes, because even a pass rate
 * of 0 can explain that.
 */
const lowEnd = (passes: number, failures: number, tail: number): number =>
  passes === 0 ? 0 : inverseIncompleteBeta(tail, passes, failures + 1)

/**
 * Returns the exact interval for an observed rate in n trials. n may be an effective number of
 * trials, so n and rate · n need not be integers.
 *
 * @example kornGraubard(0.9, 25.5).low // 0.7157368465292784
 */
export function kornGraubard(rate: number, n: number, level: number = DEFAULT_LEVEL): Bounds {
  checkNumber('rate', rate, 0, 1)
  checkBetween('n', n, 0, Infinity)
  checkLevel(level)
  const passes = rate * n
  const failures = (1 - rate) * n
  const tail = (1 - level) / 2
  return { low: lowEnd(passes, failures, tail), high: 1 - lowEnd(failures, passes, tail) }
}

/**
 * Returns the exact interval for the pass rate of one case with c passes in n trials.
 *
 * @example clopperPearson(5, 5).low // 0.4781762498950185
 */
export function clopperPearson(n: number, c: number, level: number = DEFAULT_LEVEL): Bounds {
  checkCounts(n, c)
  checkLevel(level)
  const tail = (1 - level) / 2
  return { low: lowEnd(c, n - c, tail), high: 1 - lowEnd(n - c, c, tail) }
}
