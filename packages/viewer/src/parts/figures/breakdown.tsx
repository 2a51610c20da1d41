/** Shows figures by tag or by a key of the cases' metadata, if the report has them (`--by`). */
import type { ViewReport } from '../../data/source.ts'
import { costPerPass, fixed, share } from '../../figures.ts'
import { Name } from '../../text/shown.tsx'
import { Scroll } from '../tables/scroll.tsx'

type Breakdown = NonNullable<ViewReport['by']>[number]

export function Breakdowns({
  report,
  suite,
}: {
  readonly report: ViewReport
  readonly suite: string
}) {
  return (
    <>
      {(report.by ?? []).map((one) => (
        <BreakdownTable one={one} suite={suite} />
      ))}
    </>
  )
}

function BreakdownTable({ one, suite }: { readonly one: Breakdown; readonly suite: string }) {
  const { key, notes } = one
  const rows = one.rows.filter((row) => row.suite === suite)
  const hasGroups = rows.some(({ passRate }) => passRate.groups !== undefined)
  const titles = [
    'cases',
    ...(hasGroups ? ['groups'] : []),
    ...['passed', 'pass rate', 'mean score', '$/pass'],
  ]
  return (
    <section aria-label={`By ${key}`}>
      <h2>
        By <Name text={key} most={60} />
      </h2>
      <Scroll label={`Figures by ${key}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">
                <Name text={key} most={60} />
              </th>
              <th scope="col">subject</th>
              {titles.map((title) => (
                <th scope="col" class="right">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                <th scope="row">
                  <Name text={row.value} most={60} />
                </th>
                <td>
                  <Name text={row.subject} most={60} />
                </td>
                <td class="right">{row.cases}</td>
                {hasGroups && <td class="right">{row.passRate.groups ?? row.cases}</td>}
                <td class="right">
                  {row.passed}/{row.scored}
                </td>
                <td class="right">{share(row.passRate)}</td>
                <td class="right">{fixed(row.meanScore.value)}</td>
                <td class="right">{costPerPass(row.costPerPass)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {[...notes, 'In brackets: 95 % interval for cases like these, of this row alone.'].map(
        (note) => (
          <p class="muted small">
            <Name text={note} most={600} />
          </p>
        ),
      )}
    </section>
  )
}
