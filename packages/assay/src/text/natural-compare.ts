/**
 * Compares names in the order that people expect if names contain numbers: T2 comes before T10. Different names are
 * never equal, and the order is the same on every machine.
 */
export function natural(a: string, b: string): number {
  collator ??= new Intl.Collator('en', { numeric: true })
  return collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0)
}

/** The collator is created on first use, because that takes milliseconds and every command loads this file. */
let collator: Intl.Collator | undefined
