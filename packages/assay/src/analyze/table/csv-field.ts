/**
 * Reads a cell as a number or a verdict. An empty cell or a usual word for "not known" means that the value is unknown.
 * An unknown value is never read as zero or as a failure.
 */

/**
 * The value that `numberAt` and `numberOf` return for text that is not a number. It is infinite, so it cannot be
 * confused with a real value.
 */
export const NOT_A_NUMBER = Infinity

const UNKNOWN = new Set(['', 'nan', 'na', 'n/a', 'null', 'none', 'nil', '-', 'unknown'])
const isUnknown = (text: string): boolean => text.length <= 7 && UNKNOWN.has(text.toLowerCase())

const ZERO = 0x30
const DOT = 0x2e
const COMMA = 0x2c
/**
 * The maximum number of digits for the fast conversion. With up to this many digits, both the digits (as an integer)
 * and the power of ten are exact. So only their division rounds.
 */
const EXACT_DIGITS = 15
const POWERS = Array.from({ length: EXACT_DIGITS + 1 }, (_, i) => 10 ** i)

/**
 * Returns the number in a cell. NaN if it is unknown, and `NOT_A_NUMBER` if the text is not a number. `decimalComma` is
 * true for files with semicolons, because they come from regions where the decimal mark is a comma.
 */
export function numberAt(
  bytes: Buffer,
  start: number,
  end: number,
  decimalComma: boolean = false,
): number {
  let whole = 0
  let digits = 0
  let decimals = -1
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number
    const digit = byte - ZERO
    if (digit >= 0 && digit <= 9) {
      whole = whole * 10 + digit
      digits++
      if (decimals >= 0) decimals++
    } else if (decimals === -1 && (byte === DOT || (decimalComma && byte === COMMA))) decimals = 0
    else return numberOf(bytes.toString('latin1', start, end), decimalComma)
    if (digits > EXACT_DIGITS) return numberOf(bytes.toString('latin1', start, end), decimalComma)
  }
  if (digits === 0)
    return end === start ? Number.NaN : numberOf(bytes.toString('latin1', start, end))
  return decimals <= 0 ? whole : whole / (POWERS[decimals] as number)
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

export function numberOf(text: string, decimalComma: boolean = false): number {
  const trimmed = text.trim()
  if (isUnknown(trimmed)) return Number.NaN
  const dotted = decimalComma ? trimmed.replace(',', '.') : trimmed
  return DECIMAL.test(dotted) ? Number(dotted) : NOT_A_NUMBER
}

/**
 * The possible verdicts of a row. Their numbers are those that Assay's tally of trials uses. `none` means planned but
 * not run.
 */
export const VERDICTS = { none: 0, passed: 1, failed: 2, unscored: 3, errored: 4 } as const
export type Verdict = (typeof VERDICTS)[keyof typeof VERDICTS]

const WORDS: Readonly<Record<'passed' | 'failed' | 'unscored' | 'errored' | 'none', string>> = {
  passed:
    'true t 1 1.0 yes y pass passed success succeeded successful correct resolved solved accepted ok ✓ ✔ ✔️ ✅ ☑ ☑️ wahr vrai verdadero ja oui sí si',
  failed:
    'false f 0 0.0 no n fail failed failure incorrect wrong unresolved unsolved rejected refused timeout timed_out ✗ ✘ ✕ ✖ ✖️ ❌ falsch faux falso nein non',
  unscored: 'unscored ungraded unjudged not_judged',
  errored: 'error errored infrastructure_error',
  none: 'skipped skip cancelled canceled not_run',
}
const VERDICT_OF: ReadonlyMap<string, Verdict> = new Map(
  Object.entries(WORDS).flatMap(([name, words]) =>
    words.split(' ').map((word) => [word, VERDICTS[name as keyof typeof WORDS]] as const),
  ),
)
const LONGEST_WORD = 32

/**
 * Returns the verdict that a word means. Null if the word is not known. A row that was never graded is unscored, not
 * failed.
 */
export function verdictOf(text: string): Verdict | null {
  const known = VERDICT_OF.get(text)
  if (known !== undefined) return known
  const trimmed = text.trim()
  if (trimmed.length > LONGEST_WORD) return null
  if (isUnknown(trimmed)) return VERDICTS.unscored
  return VERDICT_OF.get(trimmed.toLowerCase().replaceAll(/[\s-]/g, '_')) ?? null
}
