/**
 * A table of texts that is not sorted and scrolls sideways if it is wide. The first column has names, the other columns
 * have figures.
 */
import { NONE } from '../figures.ts'
import { Name } from '../text/shown.tsx'
import { Scroll } from './tables/scroll.tsx'

interface PlainTableProps {
  readonly label: string
  readonly titles: readonly string[]
  /** The first cell of each row is a name. */
  readonly rows: readonly (readonly string[])[]
}

/** Whether a table contains anything in addition to names. */
export const hasFigures = (rows: PlainTableProps['rows']): boolean =>
  rows.some(([, ...cells]) => cells.some((text) => text !== '' && text !== NONE))

export function PlainTable({ label, titles, rows }: PlainTableProps) {
  if (!hasFigures(rows)) return null
  return (
    <Scroll label={label}>
      <table>
        <caption class="unseen">{label}</caption>
        <thead>
          <tr>
            {titles.map((title, i) => (
              <th scope="col" class={i === 0 ? undefined : 'right'}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name = '', ...cells]) => (
            <tr>
              <th scope="row">
                <Name text={name} most={1000} />
              </th>
              {cells.map((text) => (
                <td class="right">{text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
