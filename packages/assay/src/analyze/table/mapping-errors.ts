/**
 * The errors that are shown if the meaning of the columns cannot be found. Each error lists the existing columns and
 * names a flag that helps.
 */
import { UsageError } from '@assay/contract'
import { nearest } from '../../text/index.ts'
import type { Role } from './column-map.ts'
import type { ColumnProfile } from './column-profile.ts'

const MOST_LISTED = 20
const LONGEST_LISTED = 60

export function listed(titles: readonly string[]): string {
  const shown = titles
    .slice(0, MOST_LISTED)
    .map((title) => (title === '' ? '(no name)' : title.slice(0, LONGEST_LISTED)))
  const more = titles.length - shown.length
  return `The columns are: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

export function ambiguous(role: Role, titles: readonly string[], where: string): UsageError {
  const [first, second] = titles
  return new UsageError(
    first === second
      ? `${where}: the name "${first}" appears twice in the header; rename one of the columns${role === 'case' ? '; --case can name another one' : `, or leave both out with --${role} none`}`
      : `${where}: the columns "${first}" and "${second}" could both be the ${role}; say which with --${role}`,
  )
}

export function unknownColumn(
  role: string,
  given: string,
  titles: readonly string[],
  where: string,
): UsageError {
  const near = nearest(given, titles)
  return new UsageError(
    `${where}: there is no column "${given}" for --${role}${near === null ? `. ${listed(titles)}` : `; did you mean "${near.slice(0, LONGEST_LISTED)}"?`}`,
  )
}

/** The columns of a table, and which of them already have a meaning. */
interface KnownColumns {
  readonly titles: readonly string[]
  readonly profiles: readonly ColumnProfile[]
  readonly used: ReadonlySet<number>
}

/**
 * Returns the error for a table in which no column names the case. It suggests unused columns with names or numbers.
 */
export function noCase({ titles, profiles, used }: KnownColumns, where: string): UsageError {
  const fits = (isFit: (profile: ColumnProfile) => boolean): string[] =>
    titles.filter((title, at) => {
      const profile = profiles[at]
      return title !== '' && !used.has(at) && profile !== undefined && isFit(profile)
    })
  const [first, second] = [
    ...fits(({ known, isNumeric, isVerdict }) => known > 0 && !isNumeric && !isVerdict),
    ...fits(({ isWhole, isVerdict }) => isWhole && !isVerdict),
  ]
  const both =
    second === undefined
      ? ''
      : ` or --case ${second}, or both together with --case ${first},${second}`
  const example = first === undefined ? '' : ` It may be --case ${first}${both}.`
  return new UsageError(
    `${where}: no column is known to name the case; say which with --case.${example} ${listed(titles)}`,
  )
}

/** Returns the error for a table in which no column has verdicts. It suggests columns that could have them. */
export function noVerdict(
  titles: readonly string[],
  profiles: readonly ColumnProfile[],
  hasScore: boolean,
  where: string,
): UsageError {
  const likely = titles.filter((title, at) => title !== '' && profiles[at]?.isVerdict === true)
  const rates = titles.filter((title, at) => {
    const profile = profiles[at]
    return title !== '' && profile?.isNumeric === true && profile.least >= 0 && profile.most <= 1
  })
  const hint =
    likely.length > 0
      ? ` Only ${likely.slice(0, 3).join(', ')} ${likely.length === 1 ? 'has' : 'have'} values that can be verdicts.`
      : !hasScore && rates.length > 0
        ? ` From numbers such as those of "${rates[0]}", --score ${rates[0]} --threshold 0.5 makes verdicts.`
        : /\.(?:toml|ya?ml|[cm]?[jt]s)$/i.test(where)
          ? ' This is not a table of results. If it is a suite, assay run runs it.'
          : ''
  return new UsageError(
    `${where}: no column is known to say what passed; say which with --passed${hasScore ? ', or from which score on with --threshold' : ''}.${hint} ${listed(titles)}`,
  )
}
