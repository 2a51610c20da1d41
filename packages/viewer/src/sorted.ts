/** Sorts the rows of a table by one column. Rows without a value come last in both directions. */

export type SortValue = number | string | null

export type Direction = 'ascending' | 'descending'

const NAMES = new Intl.Collator('en', { numeric: true })

export function sorted<T>(
  rows: readonly T[],
  value: (row: T) => SortValue,
  direction: Direction,
): T[] {
  const sign = direction === 'ascending' ? 1 : -1
  return rows
    .map((row) => ({ row, value: value(row) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null)
        return Number(a.value === null) - Number(b.value === null)
      return sign * compare(a.value, b.value)
    })
    .map(({ row }) => row)
}

const compare = (a: number | string, b: number | string): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b || 0 : NAMES.compare(String(a), String(b))
