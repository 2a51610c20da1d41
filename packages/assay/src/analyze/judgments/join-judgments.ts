/**
 * Joins tables of judgments with the runs. Such a table has one row for each judge and run, or for each judge, run and
 * criterion. The scores that judges gave to a run become a grade of that run. So the agreement of judges is computed as
 * for Assay's own runs: for all scores, for each judge with the others, and for each criterion, with intervals over
 * cases.
 */
import { JUDGE_GRADER, UsageError, type Grade } from '@assay/contract'
import { count, counted } from '../../text/index.ts'
import { isJson, readFile } from '../formats/read-file.ts'
import { Problems } from '../problems.ts'
import { checkFile, type ReadFile, type Results } from '../read-results.ts'
import type { Arranged } from '../table/arrange.ts'
import type { Mapping } from '../table/column-map.ts'
import { NOT_A_NUMBER, numberOf, VERDICTS, verdictOf } from '../table/csv-field.ts'
import { mapJudgments, type JudgmentMap, type RunKey } from './map-judgments.ts'
import { runKeys, RunLookup } from './run-lookup.ts'
import { readCsvTable, readJsonTable, type TextRow } from './text-table.ts'

/** What one judge said about one run. */
interface Marks {
  score: number | null
  passed: boolean | null
  readonly criteria: Map<string, number>
}

export interface Joined {
  readonly files: readonly ReadFile[]
  /** The judges' marks of each trial as a grade, by the trial's position in the plan. */
  readonly grades: ReadonlyMap<number, Grade>
  readonly notes: readonly string[]
}

export async function joinJudgments(
  paths: readonly string[],
  results: Results,
  arranged: Arranged,
  mapping: Mapping,
): Promise<Joined> {
  // The lookup has an entry for each run, so it is built only if there are judgments.
  if (paths.length === 0) return { files: [], grades: new Map(), notes: [] }
  const lookup = new RunLookup(results, arranged)
  const keys = runKeys(results.files)
  const marks = new Map<number, Map<string, Marks>>()
  const files: ReadFile[] = []
  const notes: string[] = []
  for (const path of paths) {
    checkFile(path)
    const table = new JudgmentTable(path, mapping, keys, lookup, marks)
    const { read, sha256 } = await readFile(path, mapping.encoding, (first) =>
      isJson(first, path)
        ? readJsonTable(path, table.problems, table.open)
        : readCsvTable(table.problems, table.open),
    )
    table.problems.check()
    if (read === null || table.map === null) throw new UsageError(`${path} has no rows`)
    notes.push(...table.end(read).map((note) => `${path}: ${note}`))
    const { chosen, unused } = table.map
    const kind = table.map.criterion === null ? 'judgments' : 'judgments by criterion'
    const judgments = { chosen, unused }
    files.push({ path, sha256, rows: read, kind, map: null, setAside: [], judgments, notes: [] })
  }
  const grades = new Map([...marks].map(([ordinal, judges]) => [ordinal, gradeOf(judges)]))
  return { files, grades, notes }
}

/** Reads one table of judgments. */
class JudgmentTable {
  readonly problems: Problems
  map: JudgmentMap | null = null
  readonly #path: string
  readonly #mapping: Mapping
  readonly #keys: readonly RunKey[]
  readonly #lookup: RunLookup
  readonly #marks: Map<number, Map<string, Marks>>
  /** How often each judge marked a run or criterion. It is needed to distinguish repeated judgments of one judge. */
  readonly #times = new Map<string, number>()
  #unjoined = 0
  #firstUnjoined = ''
  #invalid = 0
  #unread = 0
  #firstUnread = ''
  #repeated = 0

  constructor(
    path: string,
    mapping: Mapping,
    keys: readonly RunKey[],
    lookup: RunLookup,
    marks: Map<number, Map<string, Marks>>,
  ) {
    this.#path = path
    this.#mapping = mapping
    this.#keys = keys
    this.#lookup = lookup
    this.#marks = marks
    this.problems = new Problems(path, mapping.skipBadRows)
  }

  readonly open = (
    titles: readonly string[],
    sample: readonly (readonly string[])[],
  ): ((row: TextRow) => void) => {
    const map = mapJudgments(titles, sample, this.#mapping, this.#keys, this.#path)
    this.map = map
    return (row) => this.#add(row, map)
  }

  #add(row: TextRow, map: JudgmentMap): void {
    const name = row.text(map.judge)
    if (name === '') {
      this.problems.add(row.place, 'the judge has no name', '--judge names another column')
      return
    }
    if (map.valid !== null && verdictOf(row.text(map.valid)) === VERDICTS.failed) {
      this.#invalid++
      return
    }
    const ordinal = this.#lookup.find(
      map.key,
      map.keyColumns.map((column) => row.text(column)),
      this.#path,
    )
    if (ordinal === null) {
      if (this.#unjoined++ === 0) this.#firstUnjoined = placeOf(row.place)
      return
    }
    const score = this.#score(row, map)
    const verdict = map.passed === null ? null : verdictOf(row.text(map.passed))
    const passed = verdict === VERDICTS.passed ? true : verdict === VERDICTS.failed ? false : null
    const criterion = map.criterion === null ? '' : row.text(map.criterion)
    const own = this.#marksOf(ordinal, this.#judgeName(ordinal, name, criterion))
    if (map.criterion === null) {
      own.score = score
      own.passed = passed
    } else if (score !== null || passed !== null)
      own.criteria.set(criterion, score ?? Number(passed))
  }

  #score({ text, place, decimalComma }: TextRow, { score }: JudgmentMap): number | null {
    if (score === null) return null
    const value = numberOf(text(score), decimalComma)
    if (value === NOT_A_NUMBER && this.#unread++ === 0)
      this.#firstUnread = `"${text(score).slice(0, 40)}" in ${placeOf(place)}`
    return Number.isFinite(value) ? value : null
  }

  /**
   * Returns the judge's name for a mark. If a judge marks the same run again, the second mark gets another name, as if
   * it came from another judge. Otherwise one of the two marks would be lost.
   */
  #judgeName(ordinal: number, judge: string, criterion: string): string {
    const key = JSON.stringify([ordinal, judge, criterion])
    const times = (this.#times.get(key) ?? 0) + 1
    this.#times.set(key, times)
    if (times > 1) this.#repeated++
    return times === 1 ? judge : `${judge} (${times})`
  }

  #marksOf(ordinal: number, judge: string): Marks {
    let judges = this.#marks.get(ordinal)
    if (judges === undefined) this.#marks.set(ordinal, (judges = new Map<string, Marks>()))
    let own = judges.get(judge)
    if (own === undefined)
      judges.set(judge, (own = { score: null, passed: null, criteria: new Map<string, number>() }))
    return own
  }

  /** Returns notes about the table. Throws if most of its rows belong to no run. */
  end(rows: number): string[] {
    if (this.#unjoined * 2 > rows)
      throw new UsageError(
        `${this.#path}: ${count(this.#unjoined)} of ${counted(rows, 'judgment')} belong to no run, such as ${this.#firstUnjoined}; they are joined by ${this.map?.chosen[0]?.columns.join(', ')}. Name another column that both tables have with --run`,
      )
    return [
      ...this.problems.notes(),
      ...(this.#unjoined === 0
        ? []
        : [
            `${counted(this.#unjoined, 'judgment')} left out, as ${this.#unjoined === 1 ? 'it belongs' : 'they belong'} to no run, such as ${this.#firstUnjoined}`,
          ]),
      ...(this.#invalid === 0
        ? []
        : [
            `${counted(this.#invalid, 'judgment')} left out, as ${this.#invalid === 1 ? 'it is' : 'they are'} marked as not valid`,
          ]),
      ...(this.#unread === 0
        ? []
        : [
            `${counted(this.#unread, 'score')} set aside, as ${this.#unread === 1 ? 'it is not a number' : 'they are not numbers'}, such as ${this.#firstUnread}`,
          ]),
      ...(this.#repeated === 0
        ? []
        : [
            `${counted(this.#repeated, 'judgment')} of a judge that had marked the same run before: counted as another judge, "(2)" and so on`,
          ]),
    ]
  }
}

/**
 * If the runs have no implementation rate, computes it from the judges' scores, as the mean over the judges of a run.
 * Returns a note about this. Scores that are not on a scale from 0 to 1 are not used.
 */
export function judgedRates(
  grades: ReadonlyMap<number, Grade>,
  { table }: Results,
  { rowAt }: Arranged,
): string[] {
  if (grades.size === 0 || table.has('implRate')) return []
  const rates = [...grades].flatMap(([ordinal, { details = [] }]) => {
    const scores = details.flatMap(({ score }) => score ?? [])
    return scores.length === 0 ? [] : [{ ordinal, scores }]
  })
  if (rates.some(({ scores }) => scores.some((score) => score < 0 || score > 1)))
    return [
      'not all scores of the judges are from 0 to 1: they are not taken as implementation rates',
    ]
  for (const { ordinal, scores } of rates)
    table.set('implRate', rowAt[ordinal] as number, mean(scores))
  return ['the runs have no implementation rates: the mean score of the judges of a run is taken']
}

const placeOf = (place: number | string): string =>
  typeof place === 'number' ? `line ${place}` : place

/**
 * Converts the marks of all judges of a run to a grade. If a judge gave no score, its score is the mean of its
 * criteria.
 */
function gradeOf(judges: ReadonlyMap<string, Marks>): Grade {
  const details = [...judges].map(([name, { score, passed, criteria }]): Grade => {
    const values = [...criteria.values()]
    const own = score ?? (values.length === 0 ? null : mean(values))
    return {
      name,
      type: JUDGE_GRADER,
      score: own ?? (passed === null ? null : Number(passed)),
      passed,
      weight: 1,
      details: [...criteria].map(([criterion, mark]) => ({
        name: criterion,
        type: JUDGE_GRADER,
        score: mark,
        passed: null,
        weight: 1,
      })),
    }
  })
  return { name: 'judges', type: JUDGE_GRADER, score: null, passed: null, weight: 1, details }
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
