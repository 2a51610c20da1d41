/** Finds out what the columns of a table of judgments mean, and by which columns the table is joined with the runs. */
import { UsageError } from '@assay/contract'
import { ColumnFinder, type Fits } from '../table/column-finder.ts'
import type { ColumnMap, Mapping } from '../table/column-map.ts'
import type { ColumnSample } from '../table/column-profile.ts'
import { GUESSES, plainName } from '../table/guesses.ts'
import { listed } from '../table/mapping-errors.ts'

/** The columns that identify a run. Their values form a key, in this order. */
export interface RunKey {
  /** `run` if one column identifies the run. `identity` if suite, case, subject and index identify it together. */
  readonly by: 'run' | 'identity'
  readonly titles: readonly string[]
}

export interface JudgmentMap extends Pick<ColumnMap, 'chosen' | 'unused'> {
  readonly key: RunKey['by']
  /** The columns whose values form the key, in the order of `RunKey.titles`. */
  readonly keyColumns: readonly number[]
  readonly judge: number
  readonly criterion: number | null
  readonly score: number | null
  readonly passed: number | null
  /** The column that says whether the judgment is valid. Judgments that are not valid are left out. */
  readonly valid: number | null
}

const SCORES = ['judge_score', 'criterion_score', 'score', 'rating', 'mark', 'points', 'value']
const PASSED = ['judge_passed', 'criterion_achieved', 'achieved', 'passed', 'verdict', 'met']
const VALID = ['judge_is_valid', 'is_valid', 'valid']

/** Whether a header belongs to a table of judgments: it has a column that names the judge. */
export const namesJudge = (titles: readonly string[]): boolean =>
  titles.some((title) => GUESSES.judge.map(plainName).includes(plainName(title)))

export function mapJudgments(
  titles: readonly string[],
  sample: ColumnSample,
  mapping: Mapping,
  keys: readonly RunKey[],
  where: string,
): JudgmentMap {
  const finder = new ColumnFinder(titles, sample, where)
  const key = keys.find(
    (one) => one.titles.length > 0 && one.titles.every((title) => titles.includes(title)),
  )
  if (key === undefined) {
    const wanted = keys.filter((one) => one.titles.length > 0).map((one) => one.titles.join(', '))
    throw new UsageError(
      `${where}: judgments are joined with the runs by columns of the same names, ${wanted.length === 0 ? 'and the runs have none' : `which are not all there: ${wanted.join('; or ')}`}; name a column that both have with --run. ${listed(titles)}`,
    )
  }
  const keyColumns = key.titles.map((title) => titles.indexOf(title))
  finder.take(keyColumns, 'run', {
    because: `the runs have ${keyColumns.length === 1 ? 'this column' : 'these columns'} too`,
  })
  const named = (role: 'judge' | 'criterion'): number | null => {
    const given = mapping[role]
    if (given === 'none') return null
    const at = given === undefined ? finder.guessRole(role) : finder.named(role, given)
    if (at !== null) finder.take([at], role, given === undefined ? 'name' : 'flag')
    return at
  }
  const judge = named('judge')
  if (judge === null)
    throw new UsageError(
      `${where}: no column is known to name the judge; say which with --judge. ${listed(titles)}`,
    )
  const criterion = named('criterion')
  const guessed = (role: string, candidates: readonly string[], fits?: Fits): number | null => {
    const at = finder.guess(candidates, fits)
    if (at !== null) finder.take([at], role, 'name')
    return at
  }
  const score = guessed('score', SCORES)
  const passed = guessed('passed', PASSED, ({ isVerdict }) => isVerdict)
  if (score === null && passed === null)
    throw new UsageError(
      `${where}: no column has the judges' scores; it must be called ${SCORES.slice(0, 4).join(', ')} or the like. Is it a table of runs? Then --judge none reads it as one. ${listed(titles)}`,
    )
  const valid = guessed('valid', VALID)
  return {
    key: key.by,
    keyColumns,
    judge,
    criterion,
    score,
    passed,
    valid,
    chosen: finder.chosen,
    unused: titles.filter((_, at) => !finder.used.has(at)),
  }
}
