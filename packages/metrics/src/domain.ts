/**
 * Domain checks. Every public function refuses what it cannot answer with a RangeError that names the
 * argument, so that a NaN never travels on into a mean and out into a report.
 */

const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : String(value)

const refuse = (name: string, expected: string, value: unknown): never => {
  throw new RangeError(`${name} must be ${expected}, got ${shown(value)}`)
}

/** A safe integer in [low, high]; beyond 2^53 neighbouring integers are the same double. */
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

/** A number strictly between low and high: confidence levels, prior parameters, powers. */
export function checkBetween(name: string, value: number, low: number, high: number): void {
  if (typeof value === 'number' && value > low && value < high) return
  refuse(name, high === Infinity ? `above ${low}` : `strictly between ${low} and ${high}`, value)
}

/** Which question an interval answers: there is no default, since the answers differ twofold. */
export function checkTarget(target: string): void {
  if (target === 'fixed' || target === 'population') return
  refuse('target', '"fixed" or "population"', target)
}

/** A verdict: JavaScript would take any text for a pass. */
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

/** Two lists that belong together member by member. */
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
