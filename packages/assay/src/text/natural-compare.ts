/** The order people expect of names with numbers in them: T2 before T10. Total, and the same everywhere. */
const collator = new Intl.Collator('en', { numeric: true })

export const natural = (a: string, b: string): number =>
  collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0)
