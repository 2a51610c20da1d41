/**
 * A JSON value as one text that does not depend on the order of keys: two values have the same text exactly
 * where they say the same. For hashes and for telling whether anything differs; not for people.
 */
export const canonical = (value: unknown): string => JSON.stringify(sorted(value)) ?? ''

/** Objects as lists of their entries by key, so that no key can be lost or take a special meaning. */
function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.entries(value)
    .filter(([, entry]) => entry !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => [key, sorted(entry)])
}
