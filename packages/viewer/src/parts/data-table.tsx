/** A table that can be sorted by its columns and shows one page of rows at a time. */
import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { sorted, type Direction, type SortValue } from '../sorted.ts'
import { Pager } from './pager.tsx'
import { Scroll } from './tables/scroll.tsx'

export interface Column<T> {
  readonly title: string
  /** The tooltip of the column's title. */
  readonly help?: string
  readonly align?: 'right'
  /** Returns the value to sort by. Null if the column cannot be sorted. */
  readonly value: ((row: T) => SortValue) | null
  readonly cell: (row: T) => ComponentChildren
}

interface DataTableProps<T> {
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly rowKey: (row: T) => string
  /** The column to sort by initially. Without it, rows keep the given order. */
  readonly sortBy?: string
  readonly onRow?: (row: T) => void
  /** Whether each row becomes a block on a narrow page. */
  readonly isStacked?: boolean
}

const PAGE = 50

export function DataTable<T>(props: DataTableProps<T>) {
  const { columns, rows } = props
  const [order, setOrder] = useState<{ title: string; direction: Direction } | null>(
    props.sortBy === undefined ? null : { title: props.sortBy, direction: 'ascending' },
  )
  const [page, setPage] = useState(0)
  const by = columns.find(({ title }) => title === order?.title)?.value ?? null
  const inOrder = useMemo(
    () => (by === null || order === null ? rows : sorted(rows, by, order.direction)),
    [rows, order],
  )
  // A filter can reduce the rows after the reader has chosen a page. If that page does not exist then, the last page
  // is shown.
  const from = Math.min(page * PAGE, Math.floor(Math.max(0, rows.length - 1) / PAGE) * PAGE)
  const sortBy = (column: Column<T>): void => {
    setPage(0)
    setOrder(
      order?.title === column.title
        ? { ...order, direction: order.direction === 'ascending' ? 'descending' : 'ascending' }
        : { title: column.title, direction: isFigure(column, rows) ? 'descending' : 'ascending' },
    )
  }
  return (
    <>
      <Scroll label={props.caption} isStacked={props.isStacked ?? false}>
        <table>
          <caption class="unseen">{props.caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th
                  scope="col"
                  class={column.align}
                  title={column.help}
                  aria-sort={order?.title === column.title ? order.direction : 'none'}
                >
                  {column.value === null ? (
                    column.title
                  ) : (
                    <button type="button" onClick={() => sortBy(column)}>
                      {column.title}
                      <span class="arrow" aria-hidden="true">
                        {order?.title !== column.title
                          ? ''
                          : order.direction === 'ascending'
                            ? '▲'
                            : '▼'}
                      </span>
                    </button>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {inOrder.slice(from, from + PAGE).map((row) => (
              <tr
                key={props.rowKey(row)}
                class={props.onRow && 'opens'}
                onClick={props.onRow && (() => props.onRow?.(row))}
              >
                {columns.map((column, i) =>
                  i === 0 ? (
                    <th scope="row">{column.cell(row)}</th>
                  ) : (
                    <td class={column.align} data-title={column.title}>
                      {column.cell(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <Pager
        what="rows"
        from={from}
        size={PAGE}
        total={rows.length}
        turn={(to) => setPage(to / PAGE)}
      />
    </>
  )
}

const isFigure = <T,>({ value }: Column<T>, rows: readonly T[]): boolean =>
  rows.some((row) => typeof value?.(row) === 'number')
