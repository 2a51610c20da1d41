/**
 * The table of cases, with sorting and filters. A click on a row opens one of its trials, if possible a
 * failed one.
 */
import { useMemo, useState } from 'preact/hooks'
import type { Identity, LeftOut, ViewCase, ViewCell, ViewSubject } from '../data/source.ts'
import { count, counted, fixed, NONE, percent } from '../figures.ts'
import { filterCells, KINDS, type CellFilter, type Kind } from '../filter-cells.ts'
import { Name } from '../text/shown.tsx'
import { visible } from '../text/visible.ts'
import { DataTable, type Column } from './data-table.tsx'
import { Strip } from './strip.tsx'

interface CasesProps {
  readonly rows: readonly ViewSubject[]
  readonly cells: readonly ViewCell[]
  readonly cases: ReadonlyMap<string, ViewCase>
  readonly leftOut: LeftOut
  readonly open: (place: Identity) => void
}

export function Cases({ rows, cells, cases, leftOut, open }: CasesProps) {
  const [filter, setFilter] = useState<CellFilter>({ subject: null, kind: 'all', words: '' })
  const shown = useMemo(() => filterCells(cells, cases, filter), [cells, cases, filter])
  const several = filter.subject === null && rows.length > 1
  const columns = useMemo(() => caseColumns(cases, several, open), [cases, several])
  return (
    <section aria-labelledby="cases">
      <h2 id="cases">Cases</h2>
      <form class="filters no-print" onSubmit={(event) => event.preventDefault()}>
        {rows.length > 1 && (
          <label>
            Subject
            <select
              // The value is an index and not a name, because the names of two subjects can look the same on the
              // page.
              value={String(rows.findIndex(({ subject }) => subject === filter.subject))}
              onChange={(event) =>
                setFilter({
                  ...filter,
                  subject: rows[Number(event.currentTarget.value)]?.subject ?? null,
                })
              }
            >
              <option value="-1">all subjects</option>
              {rows.map(({ subject }, i) => (
                <option value={String(i)}>{visible(subject)}</option>
              ))}
            </select>
          </label>
        )}
        <label>
          Show
          <select
            value={filter.kind}
            onChange={(event) => setFilter({ ...filter, kind: event.currentTarget.value as Kind })}
          >
            {Object.entries(KINDS).map(([kind, title]) => (
              <option value={kind}>{title}</option>
            ))}
          </select>
        </label>
        <label class="words">
          Find
          <input
            type="search"
            value={filter.words}
            placeholder="name, tag, grader, reason"
            onInput={(event) => setFilter({ ...filter, words: event.currentTarget.value })}
          />
        </label>
        <output class="muted small">
          {count(shown.length)} of {counted(cells.length, 'row')}
        </output>
      </form>
      {leftOut.cases > 0 && (
        <p class="left-out">
          {counted(leftOut.cases, 'case')} with the best pass rates are not on this page.
        </p>
      )}
      <DataTable
        caption="Cases"
        columns={columns}
        rows={shown}
        rowKey={(cell) => JSON.stringify([cell.case, cell.subject])}
        sortBy="pass rate"
        onRow={(cell) => open(firstOf(cell))}
      />
      <p class="muted small">
        ~ passed some trials and failed others. The interval is of this case, tried again.
      </p>
    </section>
  )
}

/** Returns the trial that a click opens: the first that failed or errored, otherwise the first. */
const firstOf = ({ suite, case: one, subject, outcomes }: ViewCell): Identity => ({
  suite,
  case: one,
  subject,
  index: Math.max(0, outcomes.search(/[fe]/)),
})

function caseColumns(
  cases: ReadonlyMap<string, ViewCase>,
  several: boolean,
  open: (place: Identity) => void,
): Column<ViewCell>[] {
  return [
    {
      title: 'case',
      value: (cell) => cell.case,
      cell: (cell) => {
        const name = cases.get(cell.case)?.name ?? ''
        return (
          <>
            <button
              type="button"
              class="link"
              onClick={(event) => {
                event.stopPropagation()
                open(firstOf(cell))
              }}
            >
              <Name text={cell.case} most={80} />
            </button>
            {name !== '' && name !== cell.case && (
              <small>
                <Name text={name} most={80} />
              </small>
            )}
          </>
        )
      },
    },
    ...(several
      ? [
          {
            title: 'subject',
            value: ({ subject }: ViewCell) => subject,
            cell: ({ subject }: ViewCell) => <Name text={subject} most={60} />,
          },
        ]
      : []),
    {
      title: 'trials',
      help: 'each trial in order',
      value: null,
      cell: ({ outcomes }) => <Strip outcomes={outcomes} />,
    },
    {
      title: 'passed',
      align: 'right',
      value: ({ c }) => c,
      cell: ({ n, c, flaky, outcomes }) =>
        n === 0 ? (outcomes.includes('u') ? 'unscored' : NONE) : `${flaky ? '~ ' : ''}${c}/${n}`,
    },
    {
      title: 'pass rate',
      align: 'right',
      value: ({ n, c }) => (n === 0 ? null : c / n),
      cell: ({ n, c, interval }) => (
        <span class="figure">
          {n === 0 ? NONE : percent(c / n)}
          <small>
            {interval !== null &&
              `${Math.round(interval[0] * 100)}–${Math.round(interval[1] * 100)}`}
          </small>
        </span>
      ),
    },
    {
      title: 'score',
      help: 'mean score',
      align: 'right',
      value: ({ meanScore }) => meanScore,
      cell: ({ meanScore }) => fixed(meanScore),
    },
    {
      title: 'flaky',
      help: 'share of the rarer outcome, from 0 to 50 %',
      align: 'right',
      value: ({ flakinessPercent }) => flakinessPercent,
      cell: ({ flaky, flakinessPercent }) =>
        flaky ? `${Math.round(flakinessPercent ?? 0)}%` : NONE,
    },
    {
      title: 'why',
      help: 'graders that failed, and why trials failed or errored',
      value: ({ reasons }) => reasons[0]?.code ?? null,
      cell: (cell) => <Why cell={cell} />,
    },
  ]
}

const MOST = 4

function Why({ cell: { failedGraders, reasons } }: { readonly cell: ViewCell }) {
  const said = [
    ...reasons.map(({ code, count: times }) => ({ text: code, times, title: 'reason' })),
    ...failedGraders.map(({ name, failed, of }) => ({
      text: name,
      times: failed,
      title: `this grader failed ${failed} of ${of} times`,
    })),
  ]
  return (
    <span class="why">
      {said.slice(0, MOST).map(({ text, times, title }) => (
        <span class="tag" title={title}>
          <Name text={text} most={40} /> ×{count(times)}
        </span>
      ))}
      {said.length > MOST && <small>{said.length - MOST} more</small>}
    </span>
  )
}
