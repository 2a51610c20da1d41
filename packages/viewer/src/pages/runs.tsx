/** The list of runs. It answers the question: what happened lately? */
import { spentText } from 'assay/view-data'
import { useMemo, useState } from 'preact/hooks'
import type { RunFigure, RunList, RunRow, RunState, Workbench } from '../data/workbench-source.ts'
import { count, counted, moment, NONE, percent } from '../figures.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { DeleteDialog } from '../parts/delete-dialog.tsx'
import { Crumbs, MessagePage, PageHead } from '../parts/page-head.tsx'
import { Trends } from '../parts/trend.tsx'
import { shortCommit } from '../trend-words.ts'
import { compareHash, matrixHash, runHash } from './routes.ts'
import { STATES } from './run-states.ts'
import { Name } from '../text/shown.tsx'
import { useLive } from '../hooks/use-live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'

const CRUMBS = <Crumbs path={[]} here="Runs" />

export function RunsPage({ workbench }: { readonly workbench: Workbench }) {
  const { version, trouble } = useLive(workbench, null)
  const { value: list, error } = useLoaded(() => workbench.runs(), [workbench, version])
  if (list === null)
    return error === null ? (
      <PageHead navigation={CRUMBS} />
    ) : (
      <MessagePage navigation={CRUMBS} text={error} />
    )
  return <Runs workbench={workbench} list={list} isLost={trouble === 'lost' || error !== null} />
}

interface RunsProps {
  readonly workbench: Workbench
  readonly list: RunList
  readonly isLost: boolean
}

/** Returns the runs that contain the search words in their names, subjects, tags or states. */
export function filterRuns(
  runs: readonly RunRow[],
  words: string,
  state: RunState | 'all',
): RunRow[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return runs.filter((run) => {
    if (state !== 'all' && run.state !== state) return false
    const text = [
      run.title,
      run.folder,
      run.commit ?? '',
      STATES[run.state],
      ...run.tags,
      ...(run.figures?.subjects ?? []).flatMap(({ suite, subject }) => [suite, subject]),
    ]
      .join('\n')
      .toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
}

function Runs({ workbench, list, isLost }: RunsProps) {
  const { runs, pending, notes } = list
  const [words, setWords] = useState('')
  const [state, setState] = useState<RunState | 'all'>('all')
  const [toDelete, askDelete] = useState<RunRow | null>(null)
  const shown = useMemo(() => filterRuns(runs, words, state), [runs, words, state])
  const states = [...new Set(runs.map((run) => run.state))]
  const columns = useMemo(
    () => runColumns(workbench.deleteRun === null ? null : askDelete),
    [workbench],
  )
  return (
    <>
      <PageHead navigation={CRUMBS}>
        <h1>{runs.length === 0 ? 'There are no runs here yet.' : summary(runs)}</h1>
        {runs.length > 1 && (
          <p>
            <a href={compareHash()}>Compare two runs</a> ·{' '}
            <a href={matrixHash({})}>Answers side by side</a>
          </p>
        )}
        {isLost && <Lost />}
        {pending > 0 && (
          <p class="muted" role="status">
            {counted(pending, 'log')} still to be read
          </p>
        )}
        <ul class="notes">
          {notes.map((note) => (
            <li>
              <Name text={note} most={2000} />
            </li>
          ))}
        </ul>
      </PageHead>
      <main>
        <TrendPart workbench={workbench} list={list} />
        <section aria-labelledby="runs">
          <h2 id="runs">Runs</h2>
          <form class="filters no-print" onSubmit={(event) => event.preventDefault()}>
            {states.length > 1 && (
              <label>
                State
                <select
                  value={state}
                  onChange={(event) => setState(event.currentTarget.value as RunState | 'all')}
                >
                  <option value="all">all states</option>
                  {states.map((one) => (
                    <option value={one}>{STATES[one]}</option>
                  ))}
                </select>
              </label>
            )}
            <label class="words">
              Find
              <input
                type="search"
                value={words}
                placeholder="suite, subject, tag, commit"
                onInput={(event) => setWords(event.currentTarget.value)}
              />
            </label>
            <output class="muted small">
              {count(shown.length)} of {counted(runs.length, 'run')}
            </output>
          </form>
          {runs.length === 0 ? (
            <p>
              Start one with <code>assay run SUITE --model MODEL</code>. It appears here while it
              runs.
            </p>
          ) : (
            <DataTable
              caption="Runs"
              isStacked
              columns={columns}
              rows={shown}
              rowKey={({ key }) => key}
              onRow={({ key }) => {
                location.hash = runHash(key)
              }}
            />
          )}
        </section>
      </main>
      {toDelete !== null && (
        <DeleteDialog run={toDelete} remove={workbench.deleteRun} close={() => askDelete(null)} />
      )}
    </>
  )
}

/** Shows the trend. It loads the trend again whenever the list has changed. */
function TrendPart({ workbench, list }: Pick<RunsProps, 'workbench' | 'list'>) {
  const [suite, choose] = useState<string | null>(null)
  const { value } = useLoaded(
    async () => (await workbench.trend?.(suite)) ?? null,
    [workbench, suite, list],
  )
  return value === null ? null : <Trends trend={value} choose={choose} />
}

export const Lost = () => (
  <p class="stamp" role="alert">
    <strong>NO CONNECTION</strong>
    <span>The server does not answer. This page shows what it last knew.</span>
  </p>
)

function summary(runs: readonly RunRow[]): string {
  const running = runs.filter(({ state }) => state === 'running').length
  const suites = new Set(
    runs.flatMap((run) => run.figures?.subjects.map(({ suite }) => suite) ?? []),
  )
  return [
    counted(runs.length, 'run'),
    ...(suites.size > 0 ? [`of ${counted(suites.size, 'suite')}`] : []),
    ...(running > 0 ? [`· ${running} running now`] : []),
  ].join(' ')
}

const MOST_SUBJECTS = 4

function runColumns(askDelete: ((run: RunRow) => void) | null): Column<RunRow>[] {
  return [
    {
      title: 'run',
      value: ({ title }) => title,
      cell: ({ key, title, folder, tags }) => (
        <>
          <a href={runHash(key)}>
            <Name text={title === '' ? folder : title} most={80} />
          </a>
          <small>
            <Name text={folder} most={120} />
          </small>
          {tags.map((tag) => (
            <span class="tag">
              <Name text={tag} />
            </span>
          ))}
        </>
      ),
    },
    {
      title: 'started',
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt, commit }) => (
        <span class="figure whole">
          {createdAt === null ? NONE : moment(createdAt)}
          <small>
            {commit !== null && (
              <>
                commit <code title={commit}>{shortCommit(commit)}</code>
              </>
            )}
          </small>
        </span>
      ),
    },
    {
      title: 'state',
      value: ({ state }) => state,
      cell: ({ state, fault }) => (
        <>
          <span class={`state state-${state}`}>{STATES[state]}</span>
          {fault !== null && (
            <small class="fault">
              <Name text={fault} most={200} />
            </small>
          )}
        </>
      ),
    },
    {
      title: 'pass rate',
      help: 'of each subject, with its interval',
      value: ({ figures }) => best(figures?.subjects ?? []),
      cell: ({ figures }) => <Rates subjects={figures?.subjects ?? null} />,
    },
    {
      title: 'trials',
      help: 'planned trials, and how many of them are recorded',
      align: 'right',
      value: ({ figures }) => figures?.counts.planned ?? null,
      cell: ({ figures }) =>
        figures === null ? (
          NONE
        ) : (
          <span class="figure">
            {count(figures.counts.planned)}
            <small>
              {figures.counts.cancelled > 0 &&
                `${count(figures.counts.planned - figures.counts.cancelled)} done`}
            </small>
          </span>
        ),
    },
    {
      title: 'spent',
      align: 'right',
      value: ({ figures }) =>
        figures === null || (figures.spentUsd === 0 && figures.unpriced > 0)
          ? null
          : figures.spentUsd,
      cell: ({ figures }) => (figures === null ? NONE : spentText(figures)),
    },
    ...(askDelete === null
      ? []
      : [
          {
            title: 'delete',
            value: null,
            cell: (run: RunRow) => (
              <button
                type="button"
                class="quiet"
                aria-label={`delete the run ${run.folder}`}
                disabled={run.state === 'running'}
                onClick={(event) => {
                  event.stopPropagation()
                  askDelete(run)
                }}
              >
                delete
              </button>
            ),
          },
        ]),
  ]
}

const best = (subjects: readonly RunFigure[]): number | null =>
  subjects.reduce<number | null>(
    (most, { rate }) => (rate === null ? most : Math.max(most ?? 0, rate)),
    null,
  )

function Rates({ subjects }: { readonly subjects: readonly RunFigure[] | null }) {
  if (subjects === null) return <span class="muted">not read yet</span>
  return (
    <ul class="rates">
      {subjects.slice(0, MOST_SUBJECTS).map(({ subject, source, rate, low, high }) => (
        <li>
          <Name text={subject} most={48} /> <b>{rate === null ? NONE : percent(rate)}</b>{' '}
          {low !== null && high !== null && (
            <small class="muted">
              {Math.round(low * 100)}–{Math.round(high * 100)}
            </small>
          )}
          {source !== 'live' && <small class="muted"> {source}</small>}
        </li>
      ))}
      {subjects.length > MOST_SUBJECTS && (
        <li class="muted small">{subjects.length - MOST_SUBJECTS} more</li>
      )}
    </ul>
  )
}
