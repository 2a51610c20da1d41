/** The order that people expect of names with numbers: T2 before T10. It is total, and the same on every machine. */
const collator = new Intl.Collator('en', { numeric: true })

export const natural = (a: string, b: string): number =>
  collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0)
