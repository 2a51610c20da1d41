/** Formats numbers for people to read. */

/** A figure of a report: its value and its interval. */
interface Figure {
  readonly value: number | null
  readonly infinite?: true | undefined
  readonly interval?: { readonly low: number; readonly high: number | null } | undefined
}

/** Formats a fraction as a whole percentage. The result is 100% or 0% only if the fraction is exactly 1 or 0. */
export function percent(part: number): string {
  if (part > 0.995 && part < 1) return '>99%'
  if (part < 0.005 && part > 0) return '<1%'
  return `${Math.round(part * 100)}%`
}

/** Formats a fraction with its interval: `86% (73–94)`. */
export function share({ value, interval }: Figure): string {
  if (value === null) return '–'
  if (interval === undefined) return percent(value)
  return `${percent(value)} (${Math.round(interval.low * 100)}–${Math.round((interval.high ?? 1) * 100)})`
}

/** Formats an amount in dollars, with more decimals for smaller amounts. */
export function dollars(usd: number): string {
  if (usd === 0) return '$0'
  if (usd >= 100) return `$${count(Math.round(usd))}`
  if (usd >= 0.1) return `$${usd.toFixed(2)}`
  const digits = Math.min(9, 1 - Math.floor(Math.log10(Math.abs(usd))))
  return `$${usd.toFixed(digits)}`
}

/** Formats the cost per pass. It is infinite if nothing passed, and it may be unknown. */
export function costPerPass({ value, infinite }: Figure): string {
  if (infinite === true) return '∞'
  return value === null ? '–' : dollars(value)
}

export function seconds(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

/** Formats a duration from the user's settings, without rounding: 10 min, 90 s. */
export function setDuration(ms: number): string {
  if (ms >= 60_000 && ms % 60_000 === 0) return `${ms / 60_000} min`
  return ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`
}

/**
 * Formats a number with its digits in groups of three. Whole numbers are grouped without `Intl`, which takes 20 ms to
 * load.
 */
export const count = (n: number): string =>
  Number.isSafeInteger(n) && !Object.is(n, -0)
    ? String(n).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
    : n.toLocaleString('en-US')

/** Returns the number with its noun: `1 case`, `2 cases`. */
export const counted = (n: number, one: string, many: string = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`

/**
 * Formats a change with its sign, and with a minus sign instead of a hyphen: "+0.25", "−3". A change that rounds to 0
 * has no sign, unless `zero` is `signed`. That is for columns in which every figure has a sign.
 */
export function signed(value: number, digits: number, zero: 'bare' | 'signed' = 'bare'): string {
  const text = Math.abs(value).toFixed(digits)
  if (zero === 'bare' && Number(text) === 0) return text
  return `${value < 0 ? '−' : '+'}${text}`
}
