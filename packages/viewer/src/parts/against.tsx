/** Shows how the best subject of a suite compares with the others, on the cases that they share. */
import { AGAINST_TITLES, againstAs, againstNotes, againstRows, againstTitle } from 'assay/view-data'
import type { ViewReport } from '../data/source.ts'
import { Name } from '../text/shown.tsx'
import { PlainTable } from './plain-table.tsx'

interface AgainstProps {
  readonly report: ViewReport
  readonly suite: string
}

export function Against({ report, suite }: AgainstProps) {
  const { suites } = report.headline
  const headline = suites.find((one) => one.suite === suite)
  if (headline === undefined) return null
  const { best, against, sentence } = headline
  const pairs = against.find(({ together }) => together !== null)?.together?.comparisons ?? 1
  const titles = [
    'subject',
    AGAINST_TITLES.difference,
    AGAINST_TITLES.fixed,
    AGAINST_TITLES.population,
    AGAINST_TITLES.p,
    ...(pairs > 1 ? [againstTitle(pairs)] : []),
  ]
  return (
    <>
      {suites.length > 1 && (
        <p>
          <Name text={sentence} most={2000} />
        </p>
      )}
      {best !== null && against.length > 0 && (
        <>
          <h3>
            Over <Name text={best} />
          </h3>
          <PlainTable
            label="Compared with the best"
            titles={titles}
            rows={againstRows(headline).map((row) => [
              row.subject,
              row.difference,
              row.fixed,
              row.population,
              row.p,
              ...(pairs > 1 ? [row.together] : []),
            ])}
          />
          <p class="muted small">
            Points of pass rate, {againstAs(headline)}, with 95 % intervals;{' '}
            {againstNotes(headline)}.
          </p>
        </>
      )}
    </>
  )
}
