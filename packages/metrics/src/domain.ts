/**
 * Checks of the arguments of functions. If a public function cannot compute an answer, it throws a
 * RangeError that names the wrong argument. So a NaN never reaches a mean or a report.
 */

const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : String(value)

const refuse = (name: string, expected: string, value: unknown): never => {
  throw new RangeError(`${name} must be ${expected}, got ${shown(value)}`)
}

/**
 * Checks that the value is an integer from `low` to `high`. Integers above 2^53 are rejected,
 * because doubles cannot represent all of them.
 */
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

/** Checks that the value is a finite number from `low` to `high`. */
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

/**
 * Checks that the value is strictly between `low` and `high`, such as a confidence level or a prior
 * parameter.
 */
export function checkBetween(name: string, value: number, low: number, high: number): void {
  if (typeof value === 'number' && value > low && value < high) return
  refuse(name, high === Infinity ? `above ${low}` : `strictly between ${low} and ${high}`, value)
}

/** Error rates (alpha) that callers often pass by mistake instead of a confidence level. */
const USUAL_ALPHAS = [0.1, 0.05, 0.025, 0.02, 0.01, 0.005, 0.001]

/**
 * Checks a confidence level such as 0.95. The usual error rates, such as 0.05, are rejected,
 * because an interval at the level 0.05 would almost never contain the true value. Other low levels
 * are allowed, because `intervalP`, which searches for the p-value of an interval, tries levels
 * down to 0.
 */
export function checkLevel(level: number): void {
  checkBetween('level', level, 0, 1)
  if (USUAL_ALPHAS.includes(level))
    refuse('level', `a confidence level such as 0.95 (did you mean ${1 - level}?)`, level)
}

/**
 * Checks a group name. If missing names were allowed, the cases without a name would silently form
 * a group.
 */
export function checkGroup(group: unknown): void {
  if (typeof group === 'string' && group !== '') return
  if (typeof group === 'number' && Number.isFinite(group)) return
  refuse('groups', 'names or finite numbers, none missing', group)
}

/**
 * Checks the target of an interval, which says whether the interval is for exactly these cases
 * (`fixed`) or for all cases like these (`population`). The target has no default, because a
 * population interval is about twice as wide as a fixed one.
 */
export function checkTarget(target: string): void {
  if (target === 'fixed' || target === 'population') return
  refuse('target', '"fixed" or "population"', target)
}

/** Checks that a verdict is a boolean. Otherwise JavaScript would treat any non-empty text as a pass. */
export function checkBoolean(name: string, value: boolean): void {
  if (typeof value !== 'boolean') refuse(name, 'true or false', value)
}

/** Checks that a list has at least `least` members. */
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

/** Checks that two lists have the same length. Their members at the same position belong together. */
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

/** Checks that there is at least one trial (`n`) and that the passes (`c`) are from 0 to `n`. */
export function checkCounts(n: number, c: number): void {
  checkInteger('n', n, 1)
  checkInteger('c', c, 0, n)
}
