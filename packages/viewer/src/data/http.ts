/** Gets the data of the workbench from the server of `assay view`. */
import type {
  CaseHistory,
  ReviewData,
  ReviewedLabel,
  RunHead,
  RunList,
  Trend,
  TrialPage,
  ViewComparison,
  ViewMatrix,
} from 'assay/view-data'
import type { Identity, Place, ViewCase, ViewCell, ViewTrial } from './source.ts'
import type { RunSource, Workbench } from './workbench-source.ts'

type Query = Readonly<Record<string, string | number | readonly string[]>>

/** The header that the server requires for requests that change something. The page of another site cannot send it. */
const WRITE = { 'x-assay-view': '1' }

export function httpWorkbench(): Workbench {
  return {
    runs: () => ask<RunList>('runs', {}),
    run: httpRun,
    compare: (a, b) =>
      ask<ViewComparison>('compare', {
        a: a.run,
        as: a.subject ?? '',
        b: b.run,
        bs: b.subject ?? '',
      }),
    matrix: ({ columns, suite, case: one, ...rest }) =>
      ask<ViewMatrix>('matrix', {
        run: columns.map(({ run }) => run),
        subject: columns.map(({ subject }) => subject),
        suite: suite ?? '',
        case: one ?? '',
        ...rest,
      }),
    review: (run, { suite, subject }) =>
      ask<ReviewData>('review', { run, suite: suite ?? '', subject: subject ?? '' }),
    labels: (run) => ask<readonly ReviewedLabel[]>('labels', { run }),
    addLabel: async (run, label) => {
      const body = JSON.stringify(label)
      const headers = { ...WRITE, 'content-type': 'application/json' }
      await ask('label', { run }, { method: 'POST', headers, body })
    },
    kept: null,
    trend: (suite) => ask<Trend>('trend', { suite: suite ?? '' }),
    history: (suite, one) => ask<CaseHistory>('case', { suite, case: one }),
    watch: (key, tell) => {
      const events = new EventSource(addressOf('events', key === null ? {} : { run: key }))
      let wasLost = false
      events.addEventListener('message', ({ data }) => {
        if (data === 'gone') tell('gone')
        // While the connection was lost, anything may have changed.
        else if (data === 'changed' || wasLost) tell('changed')
        wasLost = false
      })
      events.addEventListener('error', () => {
        wasLost = true
        tell('lost')
      })
      return () => events.close()
    },
    deleteRun: async (key) => {
      await ask('delete', { run: key }, { method: 'POST', headers: WRITE })
    },
  }
}

function httpRun(run: string): RunSource {
  // The run may continue while it is shown. So all requests name the state (`at`) of the head that was loaded first,
  // and all parts of the page match.
  let asked: Promise<RunHead> | null = null
  const head = (): Promise<RunHead> => (asked ??= ask<RunHead>('run', { run }))
  const cells = async (suite: string): Promise<readonly ViewCell[]> =>
    ask<ViewCell[]>('cells', { run, suite, at: (await head()).at })
  // Several components ask for the same cells, so the results are kept. They never become outdated, because each
  // change creates a new source.
  const askedCells = new Map<string, Promise<readonly ViewCell[]>>()
  const askedCases = new Map<string, Promise<readonly ViewCase[]>>()
  const cellsOf = (suite: string) => once(askedCells, suite, () => cells(suite))
  return {
    head,
    cells: cellsOf,
    cases: (suite) =>
      once(askedCases, suite, async () =>
        ask<ViewCase[]>('cases', { run, suite, at: (await head()).at }),
      ),
    trials: ({ isDescending, ...rest }) =>
      ask<TrialPage>('trials', { run, ...rest, descending: isDescending ? '1' : '' }),
    unfoldable: async (place: Place) => {
      const cell = (await cellsOf(place.suite)).find(
        ({ case: one, subject }) => one === place.case && subject === place.subject,
      )
      return new Set(
        (cell?.outcomes ?? '').split('').flatMap((letter, i) => (letter === 'c' ? [] : [i])),
      )
    },
    trial: ({ suite, case: one, subject, index }: Identity) =>
      ask<ViewTrial | null>('trial', { run, suite, case: one, subject, index }),
  }
}

function once<T>(asked: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  const known = asked.get(key)
  if (known !== undefined) return known
  const promise = work()
  asked.set(key, promise)
  return promise
}

/**
 * Returns the address of a request. Values are escaped. A lone surrogate cannot be part of an address, so it is
 * replaced.
 */
function addressOf(path: string, query: Query): string {
  const words = Object.entries(query).flatMap(([name, values]) =>
    (typeof values === 'object' ? values : [values]).map(
      (value) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`,
    ),
  )
  return `api/${path}${words.length === 0 ? '' : `?${words.join('&')}`}`
}

async function ask<T>(path: string, query: Query, how: RequestInit = {}): Promise<T> {
  const response = await fetch(addressOf(path, query), how).catch(() => {
    throw new Error('The server does not answer. Is `assay view` still running?')
  })
  const text = await response.text()
  if (response.ok) return JSON.parse(text) as T
  if (response.status === 401)
    throw new Error('This page has no access: open the address that `assay view` printed.')
  throw new Error(errorIn(text))
}

function errorIn(text: string): string {
  try {
    return (JSON.parse(text) as { error?: string }).error ?? text
  } catch {
    return text
  }
}
