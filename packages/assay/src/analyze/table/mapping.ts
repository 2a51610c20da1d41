/**
 * Finds out which column means what. The user can name the columns. If their names are obvious, that is not
 * necessary, and the guesses are printed. A column that the user names must exist; otherwise the error
 * suggests the nearest name.
 */
import { UsageError } from '@assay/contract'
import { nearest } from '../../text/index.ts'
import { refuseCaseTable, refuseCounts } from './count-tables.ts'
import { ALSO, CONTEXT, GUESSES, NEEDS_CONTEXT, plainName } from './guesses.ts'
import type { NumberName } from './result-table.ts'
import type { Mapping, Role, NumberColumn, ColumnMap } from './column-map.ts'

/** Returns the meaning of the columns of one file. Error messages begin with `where`. */
export function mapColumns(titles: readonly string[], mapping: Mapping, where: string): ColumnMap {
  const names = titles.map(plainName)
  const used = new Set<number>()
  const said: string[] = []
  refuseCaseTable(names, where)

  const guess = (candidates: readonly string[]): number | null => {
    for (const candidate of candidates) {
      const wanted = plainName(candidate)
      const at = names.indexOf(wanted)
      // If two columns have the same name, neither is guessed.
      if (at !== -1 && names.indexOf(wanted, at + 1) === -1 && !used.has(at)) return at
    }
    return null
  }
  /**
   * Like `guess`, but throws if the best matching name occurs twice: the next best name would be a different
   * column.
   */
  const guessRole = (role: Role, candidates: readonly string[]): number | null => {
    const wanted = candidates.map(plainName).find((name) => names.includes(name))
    const twice = titles.filter((_, at) => names[at] === wanted)
    if (twice.length > 1) throw ambiguous(role, twice, where)
    return guess(candidates)
  }
  const find = (role: Role, given: string): number => {
    const at = titles.indexOf(given)
    if (at === -1) throw unknownColumn(role, given, titles, where)
    if (titles.indexOf(given, at + 1) !== -1)
      throw new UsageError(`${where}: two columns are called "${given}"; rename one of them`)
    return at
  }
  const take = (at: number | null, what: string, note: string = ''): number | null => {
    if (at === null) return null
    used.add(at)
    said.push(`${what} = ${titles[at]}${note}`)
    return at
  }
  const place = (role: Role): number | null => {
    const given = mapping[role]
    if (given === 'none') return null
    if (given !== undefined) return find(role, given)
    // In Assay's own CSV, only the outcome distinguishes errored from unscored trials.
    const own = role === 'passed' && names.includes('casehash') ? ['outcome'] : []
    return guessRole(role, [...own, ...GUESSES[role]])
  }

  const suite = take(place('suite'), 'suite')
  const subject = subjectColumns()
  const one = take(place('case'), 'case')
  if (one === null)
    throw new UsageError(
      `${where}: no column is known to name the case; say which with --case. ${listed(titles)}`,
    )
  const index = take(place('index'), 'index')
  if (mapping.threshold !== undefined && mapping.passed !== undefined)
    throw new UsageError('--passed and --threshold both decide the verdict; give one of them')
  const passed = mapping.threshold === undefined ? take(place('passed'), 'passed') : null
  if (passed !== null && mapping.passed === undefined) refuseCounts(titles, passed, where)
  const numbers: NumberColumn[] = []
  const number = (
    name: NumberName,
    what: string,
    at: number | null,
    scale = 1,
    note = '',
  ): void => {
    const most = RATES.has(name) ? 1 : Infinity
    if (take(at, what, note) !== null)
      numbers.push({
        name,
        column: at as number,
        title: titles[at as number] as string,
        scale,
        most,
      })
  }
  number('score', 'score', place('score'), 1 / (mapping.scoreMax ?? 1))
  number('implRate', 'impl', place('impl'))
  number('answerUsd', 'cost', place('cost'))
  const duration = place('duration')
  const unit = duration === null ? null : unitOf(titles[duration] as string, mapping)
  number(
    'answerMs',
    'duration',
    duration,
    unit === 'ms' ? 1 : 1000,
    unit === 'ms' ? ' (ms)' : ' (s)',
  )
  for (const [name, candidates] of ALSO) number(name, WORDS[name] ?? name, guess(candidates))
  const isHumanEval = names[one] === 'taskid'
  const result = isHumanEval ? take(guess(['result']), 'reason') : null
  checkVerdict()
  const source = names.includes('casehash') ? take(guess(['source']), 'source') : null
  return {
    suite,
    case: one,
    subject: subject.columns,
    isSubjectNamed: mapping.subject !== undefined,
    tierPart: subject.tierPart,
    index,
    isIndexGuessed: mapping.index === undefined,
    passed,
    threshold: mapping.threshold ?? null,
    numbers,
    source,
    result,
    titles,
    said,
    unused: titles.filter((_, at) => !used.has(at)),
  }

  function subjectColumns(): { columns: number[]; tierPart: number | null } {
    const given = mapping.subject
    let columns: number[] = []
    if (given !== undefined && given !== 'none')
      columns = titles.includes(given)
        ? [find('subject', given)]
        : given.split(',').map((name) => find('subject', name.trim()))
    else if (given === undefined) {
      const at = guessRole('subject', GUESSES.subject)
      if (at !== null) columns = [at]
      if (at !== null && NEEDS_CONTEXT.has(names[at] as string)) {
        used.add(at)
        const context = guess(CONTEXT)
        if (context !== null) columns = [context, at]
      }
    }
    for (const column of columns) used.add(column)
    if (columns.length > 0)
      said.push(`subject = ${columns.map((column) => titles[column]).join(' and ')}`)
    const tier = columns.findIndex((column) => names[column] === 'tier')
    return { columns, tierPart: tier === -1 ? null : tier }
  }

  function checkVerdict(): void {
    const hasScore = numbers.some(({ name }) => name === 'score')
    if (mapping.threshold !== undefined && !hasScore)
      throw new UsageError(
        `${where}: --threshold needs a score, and no column is known to be one; say which with --score. ${listed(titles)}`,
      )
    if (passed !== null || mapping.threshold !== undefined) return
    if (isHumanEval && (names.includes('completion') || names.includes('solution')))
      throw new UsageError(
        `${where}: these are samples and nobody has graded them: no row says whether it passed. "assay run SUITE --model replay:FILE" grades them`,
      )
    throw new UsageError(
      `${where}: no column is known to say what passed; say which with --passed${hasScore ? ', or from which score on with --threshold' : ''}. ${listed(titles)}`,
    )
  }
}

const RATES: ReadonlySet<NumberName> = new Set(['score', 'implRate'])
const WORDS: Partial<Record<NumberName, string>> = {
  judgeUsd: 'judge cost',
  input: 'input tokens',
  output: 'output tokens',
  cacheRead: 'cache read tokens',
  cacheWrite: 'cache write tokens',
  reasoning: 'reasoning tokens',
  waitMs: 'waiting',
  gradeMs: 'grading',
}

/** Returns the unit of a duration: seconds, unless the user or the column's name says milliseconds. */
function unitOf(title: string, { durationUnit }: Mapping): 's' | 'ms' {
  return durationUnit ?? (/(?:^|[_\-\s.])ms$|[a-z]Ms$|milli/.test(title) ? 'ms' : 's')
}

const MOST_LISTED = 20
const LONGEST_LISTED = 60

function listed(titles: readonly string[]): string {
  const shown = titles.slice(0, MOST_LISTED).map((title) => title.slice(0, LONGEST_LISTED))
  const more = titles.length - shown.length
  return `The columns are: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function ambiguous(role: Role, titles: readonly string[], where: string): UsageError {
  const [first, second] = titles
  return new UsageError(
    first === second
      ? `${where}: the name "${first}" stands twice in the header; rename one of the columns${role === 'case' ? '' : `, or leave both out with --${role} none`}`
      : `${where}: the columns "${first}" and "${second}" could both be the ${role}; say which with --${role}`,
  )
}

function unknownColumn(
  role: Role,
  given: string,
  titles: readonly string[],
  where: string,
): UsageError {
  const near = nearest(given, titles)
  return new UsageError(
    `${where}: there is no column "${given}" for --${role}${near === null ? `. ${listed(titles)}` : `; did you mean "${near.slice(0, LONGEST_LISTED)}"?`}`,
  )
}
