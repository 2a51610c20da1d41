/**
 * The matrix page. It shows what each subject answered: cases × subjects of any runs, with the difference to one
 * chosen column.
 */
import { useEffect, useState } from 'preact/hooks'
import type {
  MatrixColumn,
  MatrixFilter,
  RunRow,
  ViewMatrix,
  Workbench,
} from '../data/workbench-source.ts'
import { count, counted } from '../figures.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { MatrixTable } from '../parts/matrix-table.tsx'
import { Crumbs, MessagePage, PageHead } from '../parts/page-head.tsx'
import { Pager } from '../parts/pager.tsx'
import { folderNames } from '../run-labels.ts'
import { Name } from '../text/shown.tsx'
import { visible } from '../text/visible.ts'
import { matrixHash, RUNS, type MatrixState } from './routes.ts'

interface MatrixPageProps {
  readonly workbench: Workbench
  readonly state: MatrixState
}

const CRUMBS = <Crumbs path={[{ text: 'Runs', href: RUNS }]} here="Answers side by side" />

const FILTERS: Readonly<Record<MatrixFilter, string>> = {
  all: 'all cases',
  failed: 'with a failed or errored trial',
  different: 'with different answers or outcomes',
}

const AT_FIRST = 3
export const MATRIX_PAGE = 20

/**
 * Returns the columns that the address names. If it names none, returns the first subjects of the run in the address
 * or, without one, of the newest run.
 */
export function columnsFor(
  runs: readonly RunRow[],
  { columns, run }: MatrixState,
): readonly MatrixColumn[] {
  if (columns.length > 0) return columns
  const chosen = runs.find(({ key, figures }) => (run === null ? figures !== null : key === run))
  const subjects = [...new Set(chosen?.figures?.subjects.map(({ subject }) => subject))]
  return subjects.slice(0, AT_FIRST).map((subject) => ({ run: chosen?.key ?? '', subject }))
}

export function MatrixPage({ workbench, state }: MatrixPageProps) {
  const { value: list, error } = useLoaded(() => workbench.runs(), [workbench])
  const runs = list?.runs ?? []
  const columns = columnsFor(runs, state)
  const { suite, case: one, only, index, from } = state
  const of = JSON.stringify([columns, suite, one, only, index, from])
  const loaded = useLoaded(
    async () =>
      columns.length === 0
        ? null
        : workbench.matrix({ columns, suite, case: one, only, index, from }),
    [workbench, of],
    JSON.stringify(columns),
  )
  useEffect(() => {
    document.title = 'Answers side by side · Assay'
  }, [])
  if (list === null)
    return error === null ? (
      <PageHead navigation={CRUMBS} />
    ) : (
      <MessagePage navigation={CRUMBS} text={error} />
    )
  const go = (change: Partial<MatrixState>): void => {
    location.hash = matrixHash({ ...state, columns, from: 0, ...change })
  }
  const matrix = loaded.value
  return (
    <>
      <PageHead navigation={CRUMBS}>
        <h1>Answers side by side</h1>
      </PageHead>
      <main class="wide">
        {loaded.error !== null && (
          <p class="message" role="alert">
            <Name text={loaded.error} most={2000} />
          </p>
        )}
        {columns.length === 0 && <p class="message">There is no run with subjects to show.</p>}
        {matrix !== null && (
          <>
            {one !== null && (
              <p class="filtered">
                Only the case{' '}
                <b>
                  <Name text={one} />
                </b>{' '}
                is shown.{' '}
                <button type="button" class="plain" onClick={() => go({ case: null })}>
                  show all cases
                </button>
              </p>
            )}
            <Controls matrix={matrix} state={state} runs={runs} columns={columns} go={go} />
            <MatrixTable
              matrix={matrix}
              workbench={workbench}
              isOneCase={one !== null}
              base={Math.min(state.base, columns.length - 1)}
              chooseBase={(base) => go({ base, from })}
              remove={
                columns.length < 2
                  ? null
                  : (at) => go({ columns: columns.filter((_, i) => i !== at), base: 0 })
              }
            />
            <Pager
              what="cases"
              from={matrix.from}
              size={MATRIX_PAGE}
              total={matrix.matching}
              turn={(to) => go({ from: to })}
            />
          </>
        )}
      </main>
    </>
  )
}

interface ControlsProps {
  readonly matrix: ViewMatrix
  readonly state: MatrixState
  readonly runs: readonly RunRow[]
  readonly columns: readonly MatrixColumn[]
  readonly go: (change: Partial<MatrixState>) => void
}

function Controls({ matrix, state, runs, columns, go }: ControlsProps) {
  return (
    <form class="filters no-print" onSubmit={(event) => event.preventDefault()}>
      {matrix.suites.length > 1 && (
        <label>
          Suite
          <select
            value={matrix.suite}
            onChange={(event) => go({ suite: event.currentTarget.value })}
          >
            {matrix.suites.map((one) => (
              <option value={one}>{visible(one)}</option>
            ))}
          </select>
        </label>
      )}
      <label>
        Show
        <select
          value={state.only}
          onChange={(event) => go({ only: event.currentTarget.value as MatrixFilter })}
        >
          {Object.entries(FILTERS).map(([name, title]) => (
            <option value={name}>{title}</option>
          ))}
        </select>
      </label>
      {matrix.trials > 1 && (
        <label>
          Trial
          <select
            value={String(Math.min(state.index, matrix.trials - 1))}
            onChange={(event) =>
              go({ index: Number(event.currentTarget.value), from: matrix.from })
            }
          >
            {Array.from({ length: Math.min(matrix.trials, 100) }, (_, i) => (
              <option value={String(i)}>{i}</option>
            ))}
          </select>
        </label>
      )}
      <AddColumn runs={runs} add={(column) => go({ columns: [...columns, column] })} />
      <output class="muted small">
        {count(matrix.matching)} of {counted(matrix.total, 'case')}
      </output>
    </form>
  )
}

interface AddColumnProps {
  readonly runs: readonly RunRow[]
  readonly add: (column: MatrixColumn) => void
}

function AddColumn({ runs, add }: AddColumnProps) {
  const [chosen, choose] = useState('')
  const names = folderNames(runs)
  const columns = runs.flatMap(({ key, figures }) =>
    [...new Set(figures?.subjects.map(({ subject }) => subject))].map((subject) => ({
      run: key,
      subject,
      title: `${visible(subject)}, ${names.get(key) ?? ''}`,
    })),
  )
  return (
    <label>
      Add a column
      <select
        value={chosen}
        onChange={(event) => {
          const column = columns[Number(event.currentTarget.value)]
          choose('')
          if (column !== undefined) add({ run: column.run, subject: column.subject })
        }}
      >
        <option value="">choose a subject</option>
        {columns.map(({ title }, i) => (
          <option value={String(i)}>{title}</option>
        ))}
      </select>
    </label>
  )
}
