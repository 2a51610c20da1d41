/**
 * Compares two runs by tag, by group or by a key of the cases' metadata. There is one row for each value, such as each
 * tag. The row says how much the gate's metric changed over the cases with this value. More rows mean more chances of a
 * false alarm, so the verdicts of all rows of a key are adjusted together. These rows do not influence any gate.
 */
import {
  breakdownNotes,
  checkKeys,
  valuesBy,
  type CaseReport,
  type Report,
} from '../../report/index.ts'
import { natural } from '../../text/index.ts'
import type { Compared } from '../case-lists.ts'
import type { ComparisonBy } from '../comparison-types.ts'
import { judge, type MetricChange } from '../gate-verdict.ts'
import { groupsOf, type CasePair } from '../match-cases.ts'
import type { Setting } from '../measures.ts'
import type { MetricName } from '../names.ts'

/**
 * Returns the values that a pair of cases has for a key. They come from the current run, or from the baseline if the
 * current run has none.
 */
function valuesOf({ a, b }: CasePair, key: string): string[] {
  const own = valuesBy(b, key)
  return own.length === 0 ? valuesBy(a, key) : own
}

export function compareBy(
  reports: readonly Report[],
  compared: readonly Compared[],
  keys: readonly string[],
  metric: { readonly name: MetricName; readonly margin: number | null },
  setting: Setting,
): readonly ComparisonBy[] {
  const all: CaseReport[] = reports.flatMap(({ subjects }) =>
    subjects.flatMap(({ cases }) => cases),
  )
  checkKeys(keys, all)
  return [...new Set(keys)].map((key) => {
    const rows = compared.flatMap(({ pair, matched: { pairs } }) =>
      [...new Set(pairs.flatMap((one) => valuesOf(one, key)))].sort(natural).map((value) => ({
        pair,
        value,
        pairs: pairs.filter((one) => valuesOf(one, key).includes(value)),
      })),
    )
    const changes = judge(
      rows.map(({ pairs }) => ({ metric: metric.name, margin: metric.margin, pairs })),
      setting,
    )
    const cases = new Map(
      compared.flatMap(({ matched: { pairs } }) =>
        pairs.map((one) => [JSON.stringify([one.suite, one.case]), valuesOf(one, key)]),
      ),
    )
    const count = (test: (values: number) => boolean): number =>
      [...cases.values()].filter((values) => test(values.length)).length
    const without = count((values) => values === 0)
    const several = count((values) => values > 1)
    return {
      key,
      rows: rows.map(({ pair, value, pairs }, i) => {
        const groups = groupsOf(pairs)
        return {
          ...pair,
          value,
          cases: pairs.length,
          ...(groups === undefined ? {} : { groups: new Set(groups).size }),
          change: changes[i] as MetricChange,
        }
      }),
      without,
      several,
      notes: breakdownNotes(key, { all: cases.size, without, several }),
    }
  })
}
