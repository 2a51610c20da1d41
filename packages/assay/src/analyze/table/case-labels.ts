/**
 * The values of the columns by which figures are broken down (`--by`). A value belongs to the case, like the tags or
 * the metadata of a case in a suite. So all rows of a case must have the same value. Values are stored by row, because
 * a row's case can be renamed until all rows are read.
 */
import { UsageError, type Metadatum } from '@assay/contract'
import { Dictionary } from './dictionary.ts'

/** The maximum length of a value. A longer text cannot be the name of a row of figures. */
const LONGEST_VALUE = 1000

/** The names that the rows of a table refer to. */
interface RowNames {
  readonly suites: { readonly names: readonly string[] }
  readonly cases: { readonly names: readonly string[] }
  readonly suiteAt: (row: number) => number
  readonly caseAt: (row: number) => number
}

/**
 * The name of the column whose values are tags. The values of all other columns are metadata, under the column's name.
 */
const TAG = 'tag'

export class CaseLabels {
  readonly #values = new Dictionary()
  readonly #byColumn = new Map<string, Map<number, number>>()

  set(column: string, row: number, value: string): void {
    const text = value.trim()
    if (text === '' || text.length > LONGEST_VALUE) return
    const known = this.#byColumn.get(column) ?? new Map<number, number>()
    this.#byColumn.set(column, known.set(row, this.#values.idOf(text)))
  }

  /**
   * Returns a function that returns the tags and the metadata of a case. Throws if the rows of a case have different
   * values.
   */
  ofCases(
    table: RowNames,
  ): (suite: string, one: string) => { tags?: string[]; metadata?: Record<string, Metadatum> } {
    const labels = new Map<string, Map<string, string>>()
    for (const [column, values] of this.#byColumn)
      for (const [row, id] of values) {
        const [suite, one] = [
          table.suites.names[table.suiteAt(row)] as string,
          table.cases.names[table.caseAt(row)] as string,
        ]
        const key = keyOf(suite, one)
        const own = labels.get(key) ?? new Map<string, string>()
        labels.set(key, own)
        const value = this.#values.names[id] as string
        const before = own.get(column)
        if (before !== undefined && before !== value)
          throw new UsageError(
            `--by ${column}: the case "${one}" has two values, "${before}" and "${value}"; figures are by case. --case with this column too makes them two cases`,
          )
        own.set(column, value)
      }
    return (suite, one) => {
      const own = labels.get(keyOf(suite, one))
      if (own === undefined) return {}
      const tag = own.get(TAG)
      const others = [...own].filter(([column]) => column !== TAG)
      return {
        ...(tag === undefined ? {} : { tags: [tag] }),
        ...(others.length === 0 ? {} : { metadata: Object.fromEntries(others) }),
      }
    }
  }
}

const keyOf = (suite: string, one: string): string => JSON.stringify([suite, one])
