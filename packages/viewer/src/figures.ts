/** Formats figures in the same way as the terminal output, plus a few formats that only the page needs. */
import { seconds } from 'assay/view-data'

export {
  comparedAs,
  costPerPass,
  count,
  counted,
  dollars,
  percent,
  share,
  signed,
} from 'assay/view-data'

export const NONE = '–'

export const fixed = (value: number | null | undefined): string => value?.toFixed(2) ?? NONE

export const time = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? NONE : seconds(ms)

/** Formats a size, such as `4.98 MB`. */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`
  if (n < 1_000_000) return `${(n / 1000).toFixed(n < 10_000 ? 1 : 0)} kB`
  return `${(n / 1_000_000).toFixed(2)} MB`
}

/** Formats a time, such as `2026-01-02 03:04 UTC`. Text that is not a time is returned unchanged. */
export const moment = (iso: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : iso
