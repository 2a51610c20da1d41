/**
 * The rows of the table that compares the best subject with the others. All formats with tables show it. Each row has
 * two intervals: for exactly these cases, and the wider one for cases like these. The p-value belongs to the wider
 * interval. With more than two subjects, the last column has the decision that takes all pairs of subjects into
 * account, and the interval on which it is based.
 */
import type { Rival, SuiteHeadline } from '../schema/headline-schema.ts'
import type { ReportMetric } from '../schema/report.ts'
import { FEWEST_UNITS } from './decide.ts'
import { differenceText, pNumber } from './figure-words.ts'

export interface AgainstRow {
  readonly subject: string
  readonly difference: string
  readonly fixed: string
  readonly population: string
  readonly p: string
  readonly together: string
}

/** Returns one row for each other subject. A negative difference means that the subject is worse than the best. */
export const againstRows = ({ against }: Pick<SuiteHeadline, 'against'>): AgainstRow[] =>
  against.map((rival) => ({
    subject: rival.subject,
    difference: rival.population.value === null ? '–' : differenceText(-rival.population.value),
    fixed: turned(rival.fixed),
    population: turned(rival.population),
    p:
      rival.population.p === undefined
        ? '–'
        : `${pNumber(rival.population.p)}${isFew(rival) ? ` ${FEW}` : ''}`,
    together: togetherText(rival),
  }))

export const AGAINST_TITLES = {
  difference: 'points',
  fixed: 'exactly these cases',
  population: 'cases like these',
  p: 'p',
} as const

export const againstTitle = (pairs: number): string => `decided, all ${pairs} pairs counted`

/** Says whether subjects are compared on the same cases or as independent groups. */
export function againstAs({ against }: Pick<SuiteHeadline, 'against'>): string {
  const independent = against.filter(({ compared }) => compared !== undefined).length
  if (independent === 0) return 'paired by case'
  return independent === against.length
    ? 'between independent groups of cases'
    : 'paired by case, or between independent groups where few cases are shared'
}

const WIDER =
  'cases like these may be harder or easier than these, so that interval is the wider one; p is its own'

const SAME =
  'a case with a single trial does not show how it varies, so both intervals are the same; p is theirs'

/**
 * Returns the note below the table. It says why one interval is wider than the other, or why it is not, and what the
 * mark next to a p-value means.
 */
export function againstNotes({ against }: Pick<SuiteHeadline, 'against'>): string {
  const known = against.filter(
    ({ fixed, population }) => fixed.interval !== undefined && population.interval !== undefined,
  )
  const isSame =
    known.length > 0 && known.every((rival) => turned(rival.fixed) === turned(rival.population))
  const isSingle = known.some(({ fixed }) => fixed.interval?.method.startsWith('paired t') === true)
  const notes = isSame ? (isSingle ? SAME : 'both intervals are the same here; p is theirs') : WIDER
  return against.some(isFew)
    ? `${notes}; ${FEW} fewer than ${FEWEST_UNITS} cases or groups of cases decide nothing, whatever p is`
    : notes
}

const FEW = '†'

/** Whether there is a p-value, but too few cases or groups of cases to decide anything with it. */
const isFew = ({ population, groups, shared, compared }: Rival): boolean => {
  const cases = compared === undefined ? shared : shared + Math.min(compared.onlyA, compared.onlyB)
  return population.p !== undefined && (groups ?? cases) < FEWEST_UNITS
}

function turned({ interval }: ReportMetric): string {
  if (interval === undefined) return '–'
  const { low, high } = interval
  return `${differenceText(high === null ? -1 : -high)} to ${differenceText(-low)}`
}

function togetherText({ together, decision }: Rival): string {
  if (together === null) return '–'
  const range = `${differenceText(-together.high)} to ${differenceText(-together.low)}`
  return `${decision === 'equal' || decision === 'worse' ? decision : together.decision} (${range})`
}
