/** Reads the data that `assay report --format html` embeds in the page. */
import type { ViewComparison } from 'assay/view-data'
import type { DataSource, Place, ViewData, ViewTrial } from './source.ts'

export function embeddedSource(data: ViewData): DataSource {
  const trials = new Map<string, Map<number, ViewTrial>>()
  for (const trial of data.trials) {
    const key = keyOf(trial)
    const cell = trials.get(key) ?? new Map<number, ViewTrial>()
    trials.set(key, cell.set(trial.index, trial))
  }
  const { stamps, notes, report, leftOut } = data
  return {
    head: async () => ({ stamps, notes, report, leftOut }),
    cases: async (suite) => data.cases.filter((one) => one.suite === suite),
    cells: async (suite) => data.cells.filter((one) => one.suite === suite),
    unfoldable: async (place) => new Set(trials.get(keyOf(place))?.keys()),
    trial: async (identity) => trials.get(keyOf(identity))?.get(identity.index) ?? null,
  }
}

const keyOf = ({ suite, case: one, subject }: Place): string =>
  JSON.stringify([suite, one, subject])

/** The embedded data of a page: a run or a comparison. */
export type EmbeddedData = ViewData | { readonly comparison: ViewComparison }

/** Parses the content of the page's data element. Returns null if no data was inserted. */
export function parseData(json: string): EmbeddedData | null {
  const value = JSON.parse(json) as EmbeddedData | string | null
  return typeof value === 'object' ? value : null
}
