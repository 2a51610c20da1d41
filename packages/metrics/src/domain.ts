/**
 * Checks of arguments. If a public function cannot compute an answer, it throws a RangeError that
 * names the wrong argument. So a NaN never reaches a mean or a report.
 */

const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : String(value)

const refuse = (name: string, expected: string, value: unknown): never => {
  throw new RangeError(`${name} must be ${expected}, got ${shown(value)}`)
}

/** A safe integer in [low, high]. Above 2^53, doubles cannot represent every integer. */
export function checkInteger(
  name: string,
  value: number,
  low: number,
  high: number = Number.MAX_SAFE_INTEGER,
): void {
  if (Number.isSafeInteger(value) && value >= low && value <= high) return
  const range = high === Number.MAX_SAFE_INTEGER ? `at least ${low}` : `from ${low} to ${high}`
  refuse(name, `an integer ${range}`, value)
}

/** A finite number in [low, high]. */
export function checkNumber(
  name: string,
  value: number,
  low: number = -Infinity,
  high: number = Infinity,
): void {
  if (Number.isFinite(value) && value >= low && value <= high) return
  let range = 'a finite number'
  if (low !== -Infinity && high !== Infinity) range += ` from ${low} to ${high}`
  else if (low !== -Infinity) range += ` of at least ${low}`
  else if (high !== Infinity) range += ` of at most ${high}`
  refuse(name, range, value)
}

/** A number strictly between low and high, such as a confidence level or a prior parameter. */
export function checkBetween(name: string, value: number, low: number, high: number): void {
  if (typeof value === 'number' && value > low && value < high) return
  refuse(name, high === Infinity ? `above ${low}` : `strictly between ${low} and ${high}`, value)
}

/** Error rates (alpha) that callers often pass by mistake instead of a confidence level. */
const USUAL_ALPHAS = [0.1, 0.05, 0.025, 0.02, 0.01, 0.005, 0.001]

/**
 * A confidence level such as 0.95. The usual error rates, such as 0.05, are rejected, because an interval at the
 * level 0.05 would almost never contain the true value. Other low levels are allowed, because the search for the
 * p-value of an interval tries levels down to 0.
 */
export function checkLevel(level: number): void {
  checkBetween('level', level, 0, 1)
  if (USUAL_ALPHAS.includes(level))
    refuse('level', `a confidence level such as 0.95 (did you mean ${1 - level}?)`, level)
}

/** A group name. If missing names were allowed, the cases without one would silently form a group. */
export function checkGroup(group: unknown): void {
  if (typeof group === 'string' && group !== '') return
  if (typeof group === 'number' && Number.isFinite(group)) return
  refuse('groups', 'names or finite numbers, none missing', group)
}

/**
 * The target of an interval. It has no default, because a population interval is about twice as wide
 * as a fixed one.
 */
export function checkTarget(target: string): void {
  if (target === 'fixed' || target === 'population') return
  refuse('target', '"fixed" or "population"', target)
}

/** A verdict must be a boolean: JavaScript would treat any non-empty text as a pass. */
export function checkBoolean(name: string, value: boolean): void {
  if (typeof value !== 'boolean') refuse(name, 'true or false', value)
}

/** A list with at least `least` members. */
export function checkLength(
  name: string,
  list: { readonly length: number },
  least: number = 1,
): void {
  if (list.length >= least) return
  throw new RangeError(
    least === 1
      ? `${name} must not be empty`
      : `${name} must have at least ${least} members, got ${list.length}`,
  )
}

/** Two lists of the same length, whose members at the same position belong together. */
export function checkSameLength(
  name: string,
  list: { readonly length: number },
  otherName: string,
  other: { readonly length: number },
): void {
  if (list.length === other.length) return
  throw new RangeError(
    `${name} and ${otherName} must have the same length, got ${list.length} and ${other.length}`,
  )
}

/** n trials and c passes. */
export function checkCounts(n: number, c: number): void {
  checkInteger('n', n, 1)
  checkInteger('c', c, 0, n)
}
