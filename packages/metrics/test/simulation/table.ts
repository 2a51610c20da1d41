/** Counts how often intervals contain the true value, and writes the table of it. */
import type { Bounds } from '../../src/metric.ts'

/** One method in one cell: how often it covered, and how wide it was. */
class Hits {
  covered = 0
  width = 0
  runs = 0

  add({ low, high }: Bounds, truth: number): void {
    this.runs++
    // Rounding can put a true value of 1 slightly above 1.
    if (low <= truth + 1e-12 && high >= truth - 1e-12) this.covered++
    this.width += high - low
  }
}

/** One simulated situation: our interval, and others next to it. */
export class Cell {
  readonly name: string
  readonly methods = new Map<string, Hits>()

  constructor(name: string) {
    this.name = name
  }

  add(method: string, bounds: Bounds | null | undefined, truth: number): void {
    if (bounds === null || bounds === undefined) return
    let hits = this.methods.get(method)
    if (hits === undefined) this.methods.set(method, (hits = new Hits()))
    hits.add(bounds, truth)
  }

  coverage(method: string): number | null {
    const hits = this.methods.get(method)
    return hits === undefined ? null : hits.covered / hits.runs
  }

  width(method: string): number | null {
    const hits = this.methods.get(method)
    return hits === undefined ? null : hits.width / hits.runs
  }
}

export interface Row {
  readonly figure: string
  readonly set: 'first' | 'second'
  /** The coverage that every cell must reach. */
  readonly wanted: number
  readonly cells: readonly Cell[]
}

const lowest = ({ cells }: Row, method: string): Cell | undefined =>
  cells
    .filter((cell) => cell.coverage(method) !== null)
    .toSorted((a, b) => (a.coverage(method) ?? 1) - (b.coverage(method) ?? 1))[0]

const widthOf = ({ cells }: Row, method: string): number | null => {
  const widths = cells.flatMap((cell) => cell.width(method) ?? [])
  return widths.length === 0 ? null : widths.reduce((sum, one) => sum + one, 0) / widths.length
}

const decimals = (value: number | null | undefined, digits: number): string =>
  value === null || value === undefined ? '–' : value.toFixed(digits)

/** The cells that miss what is wanted, one text each. */
export const misses = (rows: readonly Row[]): string[] =>
  rows.flatMap(({ figure, set, wanted, cells }) =>
    cells
      .filter((cell) => (cell.coverage('ours') ?? 1) < wanted)
      .map((cell) => `${figure}, ${set} set, ${cell.name}: ${decimals(cell.coverage('ours'), 4)}`),
  )

/** The table in Markdown: for each figure and set the lowest cell, and the mean width next to other intervals. */
export function markdownOf(rows: readonly Row[]): string {
  const head = [
    'figure',
    'set',
    'cells',
    'wanted',
    'lowest',
    'where',
    'width',
    'cluster-t: lowest',
    'width',
    'exact: lowest',
    'width',
  ]
  const lines = rows.map((row) => {
    const low = lowest(row, 'ours')
    const other = (method: string): string[] => [
      decimals(lowest(row, method)?.coverage(method), 3),
      decimals(widthOf(row, method), 3),
    ]
    return [
      row.figure,
      row.set,
      String(row.cells.length),
      decimals(row.wanted, 2),
      decimals(low?.coverage('ours'), 3),
      low?.name ?? '–',
      decimals(widthOf(row, 'ours'), 3),
      ...other('cluster-t'),
      ...other('exact'),
    ]
  })
  return [head, head.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}
