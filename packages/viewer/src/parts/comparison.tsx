/** A comparison of two runs: did it get worse? It is a page of the workbench, and a report of its own. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type {
  ViewCaseChange,
  ViewCaseName,
  ViewComparison,
  ViewPair,
  ViewSide,
} from '../data/workbench-source.ts'
import { counted, moment } from '../figures.ts'
import { Name } from '../text/shown.tsx'
import { DataTable, type Column } from './data-table.tsx'
import { PageHead } from './page-head.tsx'
import { PlainTable } from './plain-table.tsx'

/** The address of the page of a case; null if there is none. */
type CasePage = ((suite: string, one: string) => string) | null

export function ComparisonReport({ comparison }: { readonly comparison: ViewComparison }) {
  useEffect(() => {
    document.title = 'Comparison · Assay report'
  }, [])
  return (
    <>
      <PageHead navigation={<p class="kicker">Assay comparison</p>}>
        <h1 id="headline">
          <Name text={comparisonHeadline(comparison)} most={2000} />
        </h1>
      </PageHead>
      <main>
        <ComparisonView comparison={comparison} casePage={null} />
      </main>
    </>
  )
}

/** The verdict on the first pair in words, or what failed. */
export function comparisonHeadline({ pairs, failures }: ViewComparison): string {
  const [first] = pairs
  if (first === undefined) return failures[0] ?? 'These runs have nothing in common.'
  return `${first.head}: ${first.said}`
}

interface ComparisonViewProps {
  readonly comparison: ViewComparison
  readonly casePage: CasePage
}

export function ComparisonView({ comparison, casePage }: ComparisonViewProps) {
  const { regressions, improvements, unchanged, threshold, pairs } = comparison
  const several = pairs.length > 1
  return (
    <>
      <section aria-labelledby="sides">
        <h2 id="sides">What is compared</h2>
        <dl>
          <Side title="baseline" side={comparison.baseline} />
          <Side title="current" side={comparison.current} />
        </dl>
        {comparison.failures.map((failure) => (
          <p>
            <strong>Failed:</strong> <Name text={failure} most={1000} />
          </p>
        ))}
        <ul class="notes">
          {comparison.warnings.map((warning) => (
            <li>
              <Name text={warning} most={2000} />
            </li>
          ))}
        </ul>
      </section>
      {pairs.map((pair, i) => (
        <Pair pair={pair} id={`pair-${i}`} />
      ))}
      {comparison.gates.length > 1 && (
        <section aria-labelledby="gates">
          <h2 id="gates">Gates</h2>
          <PlainTable
            label="Gates"
            titles={['gate', 'of', 'status']}
            rows={comparison.gates.map(({ text, scope, status }) => [
              text,
              scope.join(' · '),
              status,
            ])}
          />
        </section>
      )}
      <Changes
        id="regressions"
        title={counted(regressions.length, 'regression')}
        rows={regressions}
        {...{ several, threshold, casePage }}
      />
      <Changes
        id="improvements"
        title={counted(improvements.length, 'improvement')}
        rows={improvements}
        {...{ several, threshold, casePage }}
      />
      <section aria-labelledby="others">
        <h2 id="others">Other cases</h2>
        <p>
          {counted(unchanged, 'case')} unchanged within {threshold}.
        </p>
        <Names title="New" cases={comparison.added} casePage={casePage} />
        <Names title="Removed" cases={comparison.removed} casePage={casePage} />
        <Names title="Not comparable" cases={comparison.incomparable} casePage={casePage} />
        {comparison.leftOut > 0 && (
          <p class="left-out">
            {counted(comparison.leftOut, 'more case')} are not on this page; assay compare --format
            json has all of them.
          </p>
        )}
      </section>
    </>
  )
}

const Side = ({ title, side }: { readonly title: string; readonly side: ViewSide }) => (
  <div>
    <dt>{title}</dt>
    <dd>
      <Name text={side.name} most={400} />{' '}
      {side.createdAt !== null && <small class="muted">{moment(side.createdAt)}</small>}
      {side.marks.map((mark) => (
        <span class="tag">{mark}</span>
      ))}
    </dd>
  </div>
)

function Pair({ pair, id }: { readonly pair: ViewPair; readonly id: string }) {
  const { baseline, current, verdict, head, said, parameters, titles, rows, notes } = pair
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        <Name text={baseline === current ? current : `${baseline} → ${current}`} />
      </h2>
      <p class={`verdict-line verdict-${verdict ?? 'none'}`}>
        <strong>{head}</strong> <Name text={said} most={2000} />
      </p>
      {parameters.length > 0 && (
        <PlainTable
          label="Settings that differ"
          titles={['setting that differs', 'baseline', 'current']}
          rows={parameters.map((one) => [
            one.name,
            one.baseline ?? 'not set',
            one.current ?? 'not set',
          ])}
        />
      )}
      {rows.length > 0 && <PlainTable label="Measures" titles={titles} rows={rows} />}
      <ul class="notes">
        {notes.map((note) => (
          <li>
            <Name text={note} most={2000} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface ChangesProps {
  readonly id: string
  readonly title: string
  readonly rows: readonly ViewCaseChange[]
  readonly several: boolean
  readonly threshold: number
  readonly casePage: CasePage
}

function Changes({ id, title, rows, several, threshold, casePage }: ChangesProps) {
  if (rows.length === 0) return null
  const figure = (name: string, at: 0 | 1 | 2 | 3, value: Column<ViewCaseChange>['value']) => ({
    title: name,
    align: 'right' as const,
    value,
    cell: ({ texts }: ViewCaseChange): ComponentChildren => texts[at],
  })
  const columns: Column<ViewCaseChange>[] = [
    {
      title: 'case',
      value: (row) => row.case,
      cell: (row) => <CaseLink one={row} casePage={casePage} />,
    },
    ...(several
      ? [
          {
            title: 'subject',
            value: (row: ViewCaseChange) => row.subject,
            cell: (row: ViewCaseChange) => <Name text={row.subject} most={60} />,
          },
        ]
      : []),
    figure('baseline', 0, ({ texts }) => Number(texts[0])),
    figure('current', 1, ({ texts }) => Number(texts[1])),
    figure('change', 2, ({ delta }) => delta),
    figure('p', 3, null),
  ]
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {title}, by more than {threshold}
      </h2>
      <DataTable
        caption={title}
        columns={columns}
        rows={rows}
        rowKey={({ suite, case: one, subject }) => JSON.stringify([suite, one, subject])}
      />
      <p class="muted small">
        Mean scores. p: of each case’s passes, adjusted for how many cases were looked at.
      </p>
    </section>
  )
}

interface NamesProps {
  readonly title: string
  readonly cases: readonly ViewCaseName[]
  readonly casePage: CasePage
}

function Names({ title, cases, casePage }: NamesProps) {
  if (cases.length === 0) return null
  return (
    <details>
      <summary>
        {title}: {counted(cases.length, 'case')}
      </summary>
      <ul>
        {cases.map((one) => (
          <li>
            <CaseLink one={one} casePage={casePage} /> <Name text={one.subject} most={60} />
            {one.reason !== undefined && <span class="muted"> {one.reason}</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}

interface CaseLinkProps {
  readonly one: ViewCaseName
  readonly casePage: CasePage
}

const CaseLink = ({ one, casePage }: CaseLinkProps) =>
  casePage === null ? (
    <Name text={one.case} most={80} />
  ) : (
    <a href={casePage(one.suite, one.case)}>
      <Name text={one.case} most={80} />
    </a>
  )
