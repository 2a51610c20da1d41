/** Figures as the terminal writes them, and the few that only the page has. */
import { seconds } from 'assay/view-data'

export { costPerPass, count, counted, dollars, percent, signed } from 'assay/view-data'

export const NONE = '–'

export const fixed = (value: number | null | undefined): string => value?.toFixed(2) ?? NONE

export const time = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? NONE : seconds(ms)

/** `4.98 MB`. */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`
  if (n < 1_000_000) return `${(n / 1000).toFixed(n < 10_000 ? 1 : 0)} kB`
  return `${(n / 1_000_000).toFixed(2)} MB`
}

/** `2026-01-02 03:04 UTC`; what is no time stays as it is. */
export const moment = (iso: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : iso
