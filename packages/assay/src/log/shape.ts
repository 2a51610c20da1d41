/**
 * Checks the shape of values that are read from a run folder, which may be untrusted. A check returns the path of the
 * first wrong value. Unknown keys are ignored, because a later version of Assay may have written them. Millions of
 * trial lines are checked, so a check allocates nothing unless it finds an error.
 */

export interface Misfit {
  /** The keys and indexes that lead to the value, from the top. */
  readonly path: (string | number)[]
  readonly expected: string
}

/** Checks a value. Returns null if it has the right shape. */
export type Check = (value: unknown) => Misfit | null

type Fields = Readonly<Record<string, Check>>

/** The largest cost, time or count that a record may contain. A larger number cannot be right. */
const MOST_AMOUNT = 1e15
/** The maximum depth of nested data. Deeper data would overflow the stack of a recursive function. */
const MOST_DEPTH = 200

const misfit = (expected: string): Misfit => ({ path: [], expected })

/** Formats a path, for example as `revisions[0].suites[1].id`. */
export const pathText = (path: Misfit['path']): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '')

function within(found: Misfit, key: string | number): Misfit {
  found.path.unshift(key)
  return found
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const text: Check = (value) => (typeof value === 'string' ? null : misfit('text'))

export const flag: Check = (value) => (typeof value === 'boolean' ? null : misfit('true or false'))

export const number: Check = (value) =>
  typeof value === 'number' && Math.abs(value) <= MOST_AMOUNT ? null : misfit('a number')

export const amount: Check = (value) =>
  typeof value === 'number' && value >= 0 && value <= MOST_AMOUNT
    ? null
    : misfit('a number from 0 on')

export const share: Check = (value) =>
  typeof value === 'number' && value >= 0 && value <= 1 ? null : misfit('a number from 0 to 1')

export const whole = (least: number, most = Number.MAX_SAFE_INTEGER): Check => {
  const expected = `a whole number from ${least} to ${most}`
  return (value) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
      ? null
      : misfit(expected)
}

export const oneOf = (...known: readonly (string | number)[]): Check => {
  const all: ReadonlySet<unknown> = new Set(known)
  return (value) => (all.has(value) ? null : misfit(`one of ${known.join(', ')}`))
}

export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null ? null : check(value)

/** Accepts what the given check accepts, and also null and undefined. */
export const orNone =
  (check: Check): Check =>
  (value) =>
    value === null || value === undefined ? null : check(value)

export const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return misfit('a list')
    for (let i = 0; i < value.length; i++) {
      const found = check(value[i])
      if (found !== null) return within(found, i)
    }
    return null
  }

/** Accepts an object with any keys, if all values have the given shape. */
export const entriesOf =
  (check: Check): Check =>
  (value) => {
    if (!isTable(value)) return misfit('a table')
    for (const key of Object.keys(value)) {
      const found = check(value[key])
      if (found !== null) return within(found, key)
    }
    return null
  }

export function table(required: Fields, optional: Fields = {}): Check {
  const must = Object.entries(required)
  const may = Object.entries(optional)
  return (value) => {
    if (!isTable(value)) return misfit('a table')
    for (const [key, check] of must) {
      const found = check(value[key])
      if (found !== null) return within(found, key)
    }
    for (const [key, check] of may) {
      const field = value[key]
      const found = field === undefined ? null : check(field)
      if (found !== null) return within(found, key)
    }
    return null
  }
}

const BLOB = /^[0-9a-f]{64}$/

/** Accepts a text, or a reference to a stored text. */
export const storedText: Check = (value) => {
  if (typeof value === 'string') return null
  if (!isTable(value)) return misfit('text, or a reference to one')
  const { blob } = value
  if (typeof blob !== 'string' || !BLOB.test(blob))
    return within(misfit('a hash of 64 hexadecimal digits'), 'blob')
  const found = amount(value['bytes'])
  return found === null ? null : within(found, 'bytes')
}

/**
 * Accepts any JSON value. The value was parsed from JSON, so only two things are checked: it is present, and it is not
 * nested too deeply.
 */
export const json: Check = (value) => {
  if (value === undefined) return misfit('data')
  return isDeeper(value, MOST_DEPTH) ? misfit(`data of at most ${MOST_DEPTH} levels`) : null
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const entry of Object.values(value)) if (isDeeper(entry, levels - 1)) return true
  return false
}
