/**
 * Describes the values of one column, from the first rows of a file. A column's meaning is guessed from its name, and
 * the values confirm the guess. If no name is known, the meaning is guessed from the values. The description is also
 * printed as a part of the reason for the guess.
 */
import { count, counted, natural } from '../../text/index.ts'
import { numberOf, VERDICTS, verdictOf, NOT_A_NUMBER, type Verdict } from './csv-field.ts'

/** The texts of each column in the first rows of a file. An empty text is an unknown value. */
export type ColumnSample = readonly (readonly string[])[]

export interface ColumnProfile {
  /** The number of these rows that have a value. */
  readonly known: number
  readonly empty: number
  /** The distinct values with their counts, in the order in which they appear in the file. */
  readonly distinct: ReadonlyMap<string, number>
  readonly isNumeric: boolean
  readonly isWhole: boolean
  /** Whether every value is a word or mark for a verdict, or 0 or 1. */
  readonly isVerdict: boolean
  /** Whether every value is a verdict and at least one of them is not a number. */
  readonly isVerdictWord: boolean
  readonly least: number
  readonly most: number
  /** Whether the values are consecutive whole numbers in the order of the rows. */
  readonly isRowNumber: boolean
  readonly longest: number
}

export function profileOf(values: readonly string[]): ColumnProfile {
  const distinct = new Map<string, number>()
  let known = 0
  let isNumeric = true
  let isWhole = true
  let isVerdict = true
  let hasWord = false
  let isRowNumber = true
  let [least, most, longest, before] = [Infinity, -Infinity, 0, Number.NaN]
  for (const text of values) {
    const trimmed = text.trim()
    const number = numberOf(trimmed)
    const verdict = verdictOf(trimmed)
    if (Number.isNaN(number)) continue
    known++
    longest = Math.max(longest, trimmed.length)
    distinct.set(trimmed, (distinct.get(trimmed) ?? 0) + 1)
    if (verdict === null || verdict === VERDICTS.unscored) isVerdict &&= verdict !== null
    if (number === NOT_A_NUMBER) {
      isNumeric = isWhole = isRowNumber = false
      hasWord = true
      continue
    }
    least = Math.min(least, number)
    most = Math.max(most, number)
    isWhole &&= Number.isInteger(number)
    isRowNumber &&= Number.isNaN(before) || number === before + 1
    before = number
  }
  const any = known > 0
  return {
    known,
    empty: values.length - known,
    distinct,
    isNumeric: any && isNumeric,
    isWhole: any && isWhole,
    isVerdict: any && isVerdict,
    isVerdictWord: any && isVerdict && hasWord,
    least,
    most,
    isRowNumber: known > 1 && isRowNumber,
    longest,
  }
}

const MOST_WORDS = 4

const VERDICT_NAMES: readonly (readonly [verdict: Verdict, word: string])[] = [
  [VERDICTS.passed, 'passed'],
  [VERDICTS.failed, 'failed'],
  [VERDICTS.errored, 'error'],
  [VERDICTS.unscored, 'no verdict'],
  [VERDICTS.none, 'not run'],
]

/** Says which verdict each word of a column means: `yes = passed; no = failed`. */
export function verdictWords({ distinct }: ColumnProfile): string {
  const words = [...distinct.keys()].toSorted(natural)
  return VERDICT_NAMES.flatMap(([verdict, word]) => {
    const own = words.filter((one) => verdictOf(one) === verdict)
    if (own.length === 0 || own.some((one) => one.length > LONGEST_SHOWN)) return []
    const more = own.length > MOST_WORDS ? ', …' : ''
    return [`${own.slice(0, MOST_WORDS).join(', ')}${more} = ${word}`]
  }).join('; ')
}

const MOST_SHOWN = 3
const LONGEST_SHOWN = 16

/** Describes the values: `0.4 to 0.9`, `True (5×), False (2×)`, `7 different values`. */
export function describeValues(profile: ColumnProfile): string {
  const { known, empty, distinct, isNumeric, least, most } = profile
  if (known === 0) return 'no value in the first rows'
  const without = empty === 0 ? '' : `, ${count(empty)} empty`
  if (profile.isVerdict || (!isNumeric && distinct.size <= MOST_SHOWN)) {
    const shown = [...distinct]
      .sort(([a, x], [b, y]) => y - x || natural(a, b))
      .slice(0, MOST_SHOWN + 1)
    if (shown.every(([text]) => text.length <= LONGEST_SHOWN))
      return `${shown.map(([text, times]) => `${text} (${count(times)}×)`).join(', ')}${distinct.size > shown.length ? ', …' : ''}${without}`
  }
  if (isNumeric) return `${least === most ? least : `${least} to ${most}`}${without}`
  return `${counted(distinct.size, 'different value')}${without}`
}
