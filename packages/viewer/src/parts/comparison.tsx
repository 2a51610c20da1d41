/**
 * A comparison of two runs. It answers the question: did the results get worse? The workbench and the report of
 * `assay compare` both show it.
 */
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

/** Returns the addresses of pages about a case. */
export interface CasePages {
  readonly history: (suite: string, one: string) => string
  readonly sideBySide: (change: ViewCaseChange) => string
}

export function ComparisonReport({ comparison }: { readonly comparison: ViewComparison }) {
  useEffect(() => {
    document.title = 'Comparison · Assay report'
  }, [])
  return (
    <>
      <PageHead navigation={<p class="kicker">Assay comparison</p>}>
        <ComparisonHead comparison={comparison} />
      </PageHead>
      <main>
        <ComparisonView comparison={comparison} pages={null} />
      </main>
    </>
  )
}

/** The headline, the runs that are compared, and how many cases changed. */
export function ComparisonHead({ comparison }: { readonly comparison: ViewComparison }) {
  const { baseline, current } = comparison
  return (
    <>
      <h1 id="headline">
        <Name text={comparisonHeadline(comparison)} most={2000} />
      </h1>
      <p id="compared">
        {baseline.name === current.name ? (
          <>
            Both of <Name text={current.name} most={400} />
          </>
        ) : (
          <>
            From <Name text={baseline.name} most={400} /> to <Name text={current.name} most={400} />
          </>
        )}
        {': '}
        {changeWords(comparison)}
      </p>
    </>
  )
}

/**
 * Returns the verdict in words. For one pair of subjects, it is a whole sentence. For several pairs, each is named
 * with its verdict, the worst first. The sentence of a single pair would hide the others.
 */
export function comparisonHeadline(comparison: ViewComparison): string {
  const { failures } = comparison
  const sorted = worstFirst(comparison)
  const [first] = sorted
  if (first === undefined) return failures[0] ?? 'These runs have nothing in common.'
  if (sorted.length === 1) return `${pairName(first)}: ${first.head}. ${first.said}`
  const named = sorted
    .slice(0, MOST_NAMED)
    .map((pair) => `${pairName(pair)}: ${pair.head}${measured(pair)}`)
  const more = sorted.length - named.length
  return [...named, ...(more > 0 ? [`${counted(more, 'more subject')} below`] : [])].join(' · ')
}

const MOST_NAMED = 6

const changeWords = ({ regressions, improvements, threshold }: ViewComparison): string =>
  `${counted(regressions.length, 'case')} got worse and ${counted(improvements.length, 'case')} better by more than ${threshold}.`

const pairName = ({ baseline, current }: ViewPair): string =>
  baseline === current ? current : `${baseline} → ${current}`

const URGENCY = ['regression', null, 'inconclusive', 'improvement', 'noRegression']

/** Returns the first measure of a pair. The verdict is about this measure. */
function measured({ rows }: ViewPair): string {
  const [[title, before, after] = []] = rows
  return after === undefined ? '' : ` (${title} ${before} → ${after})`
}

/**
 * Sorts the pairs by verdict, the worst first. Among pairs with the same verdict, the one with more cases that got
 * worse comes first.
 */
function worstFirst({ pairs, regressions }: ViewComparison): readonly ViewPair[] {
  const worse = ({ current }: ViewPair): number =>
    regressions.filter(({ subject }) => subject === current).length
  return pairs.toSorted(
    (a, b) => URGENCY.indexOf(a.verdict) - URGENCY.indexOf(b.verdict) || worse(b) - worse(a),
  )
}

interface ComparisonViewProps {
  readonly comparison: ViewComparison
  /** The addresses of pages about a case. Null if there are no such pages. */
  readonly pages: CasePages | null
}

export function ComparisonView({ comparison, pages }: ComparisonViewProps) {
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
      {worstFirst(comparison).map((pair, i) => (
        <Pair pair={pair} id={`pair-${i}`} />
      ))}
      <Changes
        id="regressions"
        title={counted(regressions.length, 'regression')}
        rows={regressions}
        {...{ several, threshold, pages }}
      />
      <Changes
        id="improvements"
        title={counted(improvements.length, 'improvement')}
        rows={improvements}
        {...{ several, threshold, pages }}
      />
      {comparison.gates.length > 1 && (
        <section aria-labelledby="gates">
          <h2 id="gates">Gates</h2>
          <ul class="gates">
            {comparison.gates.map(({ text, scope, status }) => (
              <li>
                <strong>{status}</strong> <Name text={scope.join(' · ')} />:{' '}
                <Name text={text} most={2000} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="others">
        <h2 id="others">Other cases</h2>
        <p>
          {counted(unchanged, 'case')} unchanged within {threshold}.
        </p>
        <Names title="New" cases={comparison.added} pages={pages} />
        <Names title="Removed" cases={comparison.removed} pages={pages} />
        <Names title="Not comparable" cases={comparison.incomparable} pages={pages} />
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
  const { verdict, head, said, parameters, titles, rows, notes } = pair
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        <Name text={pairName(pair)} />
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
  readonly pages: CasePages | null
}

function Changes({ id, title, rows, several, threshold, pages }: ChangesProps) {
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
      cell: (row) => <CaseLink one={row} pages={pages} />,
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
    ...(pages === null
      ? []
      : [
          {
            title: 'answers',
            align: 'right' as const,
            value: null,
            cell: (row: ViewCaseChange) => <a href={pages.sideBySide(row)}>side by side</a>,
          },
        ]),
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
  readonly pages: CasePages | null
}

function Names({ title, cases, pages }: NamesProps) {
  if (cases.length === 0) return null
  return (
    <details>
      <summary>
        {title}: {counted(cases.length, 'case')}
      </summary>
      <ul>
        {cases.map((one) => (
          <li>
            <CaseLink one={one} pages={pages} /> <Name text={one.subject} most={60} />
            {one.reason !== undefined && <span class="muted"> {one.reason}</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}

interface CaseLinkProps {
  readonly one: ViewCaseName
  readonly pages: CasePages | null
}

const CaseLink = ({ one, pages }: CaseLinkProps) =>
  pages === null ? (
    <Name text={one.case} most={80} />
  ) : (
    <a href={pages.history(one.suite, one.case)}>
      <Name text={one.case} most={80} />
    </a>
  )
