/**
 * Finds out what each column means. The user can name the columns with flags. Other columns are guessed: by a common
 * name if their values fit, and a few by their values alone. The reason for each choice is printed. If a column that
 * the user names does not exist, the error suggests the nearest name.
 */
import { UsageError } from '@assay/contract'
import { ColumnFinder, type Fits } from './column-finder.ts'
import type { ColumnMap, Mapping, NumberColumn, Role } from './column-map.ts'
import { verdictWords, type ColumnSample } from './column-profile.ts'
import { refuseCaseTable, refuseCounts } from './count-tables.ts'
import {
  ALSO,
  CASE_TEXTS,
  CONTEXT,
  GUESSES,
  HARNESS,
  NEEDS_CONTEXT,
  ROW_NAMES,
  WEAK_VERDICTS,
} from './guesses.ts'
import { listed, noCase, noVerdict } from './mapping-errors.ts'
import type { NumberName } from './result-table.ts'

/** A column with longer texts is not guessed to be the name of the case. */
const LONGEST_CASE = 300
/** A column is recognized as row numbers only if it has at least this many different values. */
const FEWEST_NUMBERED = 3

/** Returns the meaning of each column of one file. Error messages begin with `where`. */
export function mapColumns(
  titles: readonly string[],
  sample: ColumnSample,
  mapping: Mapping,
  where: string,
): ColumnMap {
  const finder = new ColumnFinder(titles, sample, where)
  const { names, used } = finder
  refuseCaseTable(names, where)

  const place = (role: Role, fits?: Fits, first?: readonly string[]): number | null => {
    const given = mapping[role]
    if (given === 'none') return null
    return given === undefined ? finder.guessRole(role, fits, first) : finder.named(role, given)
  }
  const how = (role: Role): 'flag' | 'name' => (mapping[role] === undefined ? 'name' : 'flag')
  const take = (at: number | null, role: Role, unit: string = ''): number | null => {
    if (at !== null) finder.take([at], role, how(role), unit)
    return at
  }

  const harness = names.includes(HARNESS.mark) ? [HARNESS.suite] : []
  const suite = take(place('suite', undefined, harness), 'suite')
  let subject = subjectColumns()
  const wideNamed =
    mapping.wide === undefined || mapping.wide === 'none'
      ? []
      : finder.severalNamed('wide', mapping.wide)
  finder.take(wideNamed, 'wide', 'flag')
  const run = take(place('run'), 'run')
  const cases = caseColumns()
  const index = take(place('index', isTrialNumber), 'index')
  const group = take(place('group'), 'group')
  checkJudges()
  if (mapping.threshold !== undefined && mapping.passed !== undefined)
    throw new UsageError('--passed and --threshold both decide the verdict; give one of them')
  const passed = verdictColumn()
  const numbers = numberColumns()
  if (subject.columns.length === 0 && mapping.subject === undefined && index === null)
    subject = { columns: subjectByValues(), tierPart: null }
  const isHumanEval = cases.length === 1 && names[cases[0] as number] === 'taskid'
  const reason = isHumanEval ? finder.guess(['result']) : null
  if (reason !== null) finder.take([reason], 'reason', 'name')
  const wide = wideNamed.length > 0 ? wideNamed : wideGuess()
  checkVerdict()
  const source = names.includes('casehash') ? finder.guess(['source']) : null
  if (source !== null) finder.take([source], 'source', 'name')
  return {
    suite,
    case: cases,
    subject: subject.columns,
    isSubjectNamed: mapping.subject !== undefined,
    tierPart: subject.tierPart,
    group,
    by: byColumns(),
    index,
    isIndexGuessed: mapping.index === undefined,
    passed,
    threshold: mapping.threshold ?? null,
    numbers,
    wide,
    run,
    text: finder.guess(CASE_TEXTS, ({ isNumeric, known }) => known > 0 && !isNumeric),
    source,
    result: reason,
    titles,
    chosen: finder.chosen,
    unused: titles.filter((_, at) => !used.has(at)),
  }

  function subjectColumns(): { columns: number[]; tierPart: number | null } {
    const given = mapping.subject
    let columns: number[] = []
    if (given !== undefined && given !== 'none') columns = finder.severalNamed('subject', given)
    else if (given === undefined) {
      const at = finder.guessRole('subject')
      if (at !== null) columns = [at]
      if (at !== null && NEEDS_CONTEXT.has(names[at] as string)) {
        used.add(at)
        const context = finder.guess(CONTEXT)
        if (context !== null) columns = [context, at]
      }
    }
    finder.take(
      columns,
      'subject',
      given !== undefined
        ? 'flag'
        : columns.length > 1
          ? { because: 'their names: the same tier of two models is two subjects' }
          : 'name',
    )
    const tier = columns.findIndex((column) => names[column] === 'tier')
    return { columns, tierPart: tier === -1 ? null : tier }
  }

  /**
   * Guesses the subject's column from values. It returns a column in which each case has each value at most once,
   * although there are fewer values than rows. The rows of a case then belong to different subjects.
   */
  function subjectByValues(): number[] {
    if (areDistinct(sample, cases)) return []
    const found = titles.flatMap((title, at) => {
      const { isNumeric, isVerdict, distinct, known } = finder.profile(at)
      const isFit =
        !used.has(at) &&
        title !== '' &&
        !isNumeric &&
        !isVerdict &&
        distinct.size > 1 &&
        distinct.size * 2 <= known &&
        areDistinct(sample, [...cases, at])
      return isFit ? [at] : []
    })
    if (found.length !== 1) return []
    finder.take(found, 'subject', { because: 'each case occurs once with each of its values' })
    return found
  }

  function caseColumns(): readonly number[] {
    if (mapping.case !== undefined && mapping.case !== 'none') {
      const columns = finder.severalNamed('case', mapping.case)
      finder.take(columns, 'case', 'flag')
      return columns
    }
    const byName = finder.guessRole('case', ({ isVerdictWord }) => !isVerdictWord)
    if (byName !== null) {
      finder.take([byName], 'case', 'name')
      return [byName]
    }
    const row = titles.findIndex((_, at) => names[at] === 'id' && !used.has(at))
    if (row !== -1 && !(subject.columns.length > 0 && finder.profile(row).isRowNumber)) {
      finder.take([row], 'case', 'name')
      return [row]
    }
    const [only, ...more] = titles.flatMap((title, at) => (canNameCases(title, at) ? [at] : []))
    // If a subject has the same case twice, the two rows can be two trials. They can also be two cases that another
    // column distinguishes. This cannot be decided, so it is an error.
    if (only === undefined || more.length > 0 || !areDistinct(sample, [...subject.columns, only]))
      throw noCase(finder, where)
    finder.take([only], 'case', { because: 'the only column with names' })
    return [only]
  }

  function canNameCases(title: string, at: number): boolean {
    const { isNumeric, isVerdict, distinct, longest } = finder.profile(at)
    const isKnownName = Object.values(GUESSES).some((list) => list.includes(title.toLowerCase()))
    return (
      !used.has(at) &&
      title !== '' &&
      !isKnownName &&
      !ROW_NAMES.has(names[at] as string) &&
      !isNumeric &&
      !isVerdict &&
      distinct.size > 1 &&
      longest <= LONGEST_CASE
    )
  }

  /**
   * Whether a column contains the index of trials. The index is a whole number. A column called `index` that numbers
   * all rows of the table does not count.
   */
  function isTrialNumber(
    { known, isWhole, isRowNumber, distinct }: Parameters<Fits>[0],
    at: number,
  ): boolean {
    if (known === 0) return true
    const isTableIndex =
      names[at] === 'index' &&
      isRowNumber &&
      distinct.size >= FEWEST_NUMBERED &&
      cases.some((one) => finder.profile(one).distinct.size > 1)
    return isWhole && !isTableIndex
  }

  /** Throws if several judges have a row each for the same run. A row is then a judgment, not a trial. */
  function checkJudges(): void {
    if (mapping.judge === 'none') return
    const judge =
      mapping.judge === undefined
        ? finder.guess(GUESSES.judge)
        : finder.named('judge', mapping.judge)
    const identity = [suite, ...cases, ...subject.columns, index].filter((at) => at !== null)
    if (judge === null || finder.profile(judge).distinct.size < 2) return
    if (areDistinct(sample, identity) || !areDistinctJudges(identity, judge)) return
    throw new UsageError(
      `${where}: several judges ("${titles[judge]}") have a row each for the same run, so a row is a judgment and not a trial. Give one file with the runs, and this one with --judgments; or --judge none reads each row as a trial`,
    )
  }

  function areDistinctJudges(identity: readonly number[], judge: number): boolean {
    const criterion = finder.guess(GUESSES.criterion)
    return areDistinct(sample, [...identity, judge, ...(criterion === null ? [] : [criterion])])
  }

  /**
   * Returns the columns by which figures are broken down. `group` can be asked for without a column of that name,
   * because groups are stored anyway.
   */
  function byColumns(): number[] {
    const wanted = (mapping.by ?? []).filter((name) => name !== 'group' || titles.includes(name))
    const columns = wanted.map((name) => finder.named('by', name))
    for (const column of columns) finder.take([column], 'by', 'flag')
    return columns
  }

  function verdictColumn(): number | null {
    if (mapping.threshold !== undefined || wideNamed.length > 0) return null
    // In a CSV that Assay wrote, only the column `outcome` distinguishes errored from unscored trials. So `outcome` is
    // preferred there.
    const own = names.includes('casehash') ? ['outcome'] : []
    const at = place(
      'passed',
      ({ isVerdict, known }, one) =>
        !WEAK_VERDICTS.has(names[one] as string) || isVerdict || known === 0,
      own,
    )
    if (at !== null) {
      take(at, 'passed', verdictWords(finder.profile(at)))
      if (mapping.passed === undefined) refuseCounts(titles, at, where)
      return at
    }
    if (mapping.passed === 'none') return null
    const [only, ...more] = titles.flatMap((_, one) =>
      !used.has(one) && finder.profile(one).isVerdictWord ? [one] : [],
    )
    if (only === undefined || more.length > 0) return null
    finder.take(
      [only],
      'passed',
      { because: 'the only column with words for passes and failures' },
      verdictWords(finder.profile(only)),
    )
    return only
  }

  function numberColumns(): NumberColumn[] {
    const list: NumberColumn[] = []
    const add = (name: NumberName, at: number | null, scale = 1): void => {
      if (at === null) return
      const most = RATES.has(name) ? 1 : Infinity
      list.push({ name, column: at, title: titles[at] as string, scale, most })
    }
    const scaled = (max: number | undefined): string =>
      max === undefined ? '' : `${max} counts as 1`
    add(
      'score',
      take(place('score'), 'score', scaled(mapping.scoreMax)),
      1 / (mapping.scoreMax ?? 1),
    )
    add(
      'implRate',
      take(place('impl'), 'impl', scaled(mapping.implMax)),
      1 / (mapping.implMax ?? 1),
    )
    add('answerUsd', take(place('cost'), 'cost', 'in dollars'))
    const duration = place('duration')
    const unit = duration === null ? null : unitOf(titles[duration] as string, mapping)
    take(
      duration,
      'duration',
      unit === null ? '' : `${unit.unit === 'ms' ? 'in milliseconds' : 'in seconds'}, ${unit.why}`,
    )
    add('answerMs', duration, unit?.unit === 'ms' ? 1 : 1000)
    for (const [name, candidates] of ALSO) {
      const at = finder.guess(candidates)
      if (at !== null) finder.take([at], WORDS[name] ?? name, 'name')
      add(name, at)
    }
    return list
  }

  /** Guesses the columns of a table that has one row per case, and for each subject a column with verdicts. */
  function wideGuess(): number[] {
    const hasScore = numbers.some(({ name }) => name === 'score')
    if (passed !== null || hasScore || subject.columns.length > 0 || mapping.wide === 'none')
      return []
    const rest = titles.flatMap((title, at) => (used.has(at) || title === '' ? [] : [at]))
    const named = rest.filter((at) => !/^unnamed: \d+$/i.test(titles[at] as string))
    if (named.length < 2 || !named.every((at) => finder.profile(at).isVerdict)) return []
    finder.take(named, 'wide', {
      because:
        'no column names a subject, and each of these has passes and failures only: each is a subject',
    })
    return named
  }

  function checkVerdict(): void {
    const hasScore = numbers.some(({ name }) => name === 'score')
    if (mapping.threshold !== undefined && !hasScore && wide.length === 0)
      throw new UsageError(
        `${where}: --threshold needs a score, and no column is known to be one; say which with --score. ${listed(titles)}`,
      )
    if (passed !== null || mapping.threshold !== undefined || wide.length > 0) return
    if (isHumanEval && (names.includes('completion') || names.includes('solution')))
      throw new UsageError(
        `${where}: these are samples and nobody has graded them: no row says whether it passed. "assay run SUITE --model replay:FILE" grades them`,
      )
    throw noVerdict(titles, finder.profiles, hasScore, where)
  }
}

/** Whether no two sampled rows have the same values in all of these columns. */
function areDistinct(sample: ColumnSample, columns: readonly number[]): boolean {
  const lists = columns.map((column) => sample[column] ?? [])
  const [first = []] = lists
  if (lists.some((list) => list.length !== first.length)) return false
  const keys = first.map((_, row) => JSON.stringify(lists.map((list) => list[row]?.trim())))
  return new Set(keys).size === keys.length
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

/** Returns the unit of a duration. It is seconds, unless the user or the column's name says milliseconds. */
function unitOf(
  title: string,
  { durationUnit }: Mapping,
): { readonly unit: 's' | 'ms'; readonly why: string } {
  if (durationUnit !== undefined) return { unit: durationUnit, why: 'as --duration-unit says' }
  if (/(?:^|[_\-\s.(])ms\)?$|[a-z]Ms$|milli/.test(title))
    return { unit: 'ms', why: 'as its name says' }
  return /(?:^|[_\-\s.(])s(?:ec(?:ond)?s?)?\)?$|seconds/i.test(title)
    ? { unit: 's', why: 'as its name says' }
    : { unit: 's', why: 'where a value has no unit (else --duration-unit ms)' }
}
