/**
 * The answers of the server, with one function per path. Every parameter is a name that is looked up, and never the
 * path of a file.
 */
import type { IncomingMessage } from 'node:http'
import { jsonIn } from './request/read-body.ts'
import { Refusal } from './request/refusal.ts'
import { addReviewed } from './review/add-labels.ts'
import { labelsOf, reviewData } from './review/review-run.ts'
import { compareReports, viewComparison } from '../compare/index.ts'
import { wholeTrial } from '../report/index.ts'
import { isRunFolder } from '../log/index.ts'
import { deleteRun } from './delete-run.ts'
import { makeMatrix, MOST_COLUMNS, trialPage } from '../report/view-data/index.ts'
import { matrixColumn } from './matrix.ts'
import type { OpenRun } from './open-runs.ts'
import type { RunStore } from './run-store.ts'
import { trialTable } from './trial-rows.ts'

export interface Services {
  readonly store: RunStore
  /** Returns why the page may not change or delete this run, or null if it may. */
  readonly refusesChange?: (folder: string) => string | null
}

/** `body` reads the JSON in the body of the request. */
type Route = (query: Query, services: Services, body: () => Promise<unknown>) => unknown

const GET: Readonly<Record<string, Route>> = {
  '/api/runs': (_, { store }) => store.list(),
  '/api/run': (query, { store }) => {
    const [key, folder] = runOf(query, store)
    return store.head(key, folder)
  },
  '/api/cells': async (query, { store }) => {
    const suite = query.text('suite')
    return (await opened(query, store, query.optional('at'))).parts.cells.filter(
      (one) => one.suite === suite,
    )
  },
  '/api/cases': async (query, { store }) => {
    const suite = query.text('suite')
    return (await opened(query, store, query.optional('at'))).parts.cases.filter(
      (one) => one.suite === suite,
    )
  },
  '/api/trial': async (query, { store }) => {
    const { source, parts } = await opened(query, store)
    const position = query.whole('index')
    const trial = source.trialAt(
      query.text('suite'),
      query.text('case'),
      query.text('subject'),
      position,
    )
    // Use the report of the page, which is already computed. The report of `source` might still have to be computed.
    const shown = { text: source.text, report: parts.report }
    return trial === null ? null : wholeTrial(shown, trial, position)
  },
  '/api/review': async (query, { store }) =>
    reviewData(await opened(query, store), {
      suite: query.optional('suite'),
      subject: query.optional('subject'),
    }),
  '/api/labels': async (query, { store }) => labelsOf((await opened(query, store)).source),
  '/api/trials': async (query, { store }) => {
    const order = query.optional('order')
    return trialPage(trialTable((await opened(query, store)).source), {
      suite: query.text('suite'),
      subject: query.optional('subject'),
      outcome: query.optional('outcome'),
      words: query.optional('words') ?? '',
      order: order === 'score' || order === 'cost' || order === 'time' ? order : 'plan',
      isDescending: query.optional('descending') !== null,
      from: query.whole('from'),
    })
  },
  '/api/trend': (query, { store }) => store.trend(query.optional('suite')),
  '/api/case': (query, { store }) => store.history(query.text('suite'), query.text('case')),
  '/api/matrix': (query, { store }) => matrixFor(query, store),
  '/api/compare': (query, { store }) => compareRuns(query, store),
}

/** Returns the answers that the matrix page shows side by side. Each column is a run and a subject. */
async function matrixFor(query: Query, store: RunStore): Promise<unknown> {
  const runs = query.all('run')
  const subjects = query.all('subject')
  if (runs.length !== subjects.length || runs.length === 0 || runs.length > MOST_COLUMNS)
    throw new Refusal(400, `from 1 to ${MOST_COLUMNS} columns, each with a run and a subject`)
  const columns = []
  for (const [i, run] of runs.entries()) {
    const folder = folderOf(run, store)
    const { row } = await store.report(run, folder)
    const { source } = await store.open(folder)
    const { title, folder: shown } = row
    columns.push(matrixColumn({ run, subject: subjects[i] ?? '', title, folder: shown, source }))
  }
  const only = query.optional('only')
  return makeMatrix({
    columns,
    suite: query.optional('suite'),
    case: query.optional('case'),
    only: only === 'failed' || only === 'different' ? only : 'all',
    index: query.whole('index'),
    from: query.whole('from'),
  })
}

/** Compares two runs, or two subjects of any runs. */
async function compareRuns(query: Query, store: RunStore): Promise<unknown> {
  const side = async (run: string, subject: string) => {
    const [key, folder] = runOf(query, store, run)
    const { row, report } = await store.report(key, folder)
    return { report, side: { name: row.folder, subject: query.optional(subject) } }
  }
  const a = await side('a', 'as')
  const b = await side('b', 'bs')
  return viewComparison(
    compareReports(a.report, b.report, {
      baseline: a.side,
      current: b.side,
      gate: 'statistical',
      // The page lists removed cases itself, and there is no exit code that they could affect.
      failOnRemoved: false,
    }),
  )
}

const POST: Readonly<Record<string, Route>> = {
  '/api/label': async (query, { store, refusesChange }, body) => {
    checkChange(runOf(query, store)[1], refusesChange)
    return addReviewed(await opened(query, store), await body())
  },
  '/api/delete': (query, { store, refusesChange }) => {
    const [, folder] = runOf(query, store)
    checkChange(folder, refusesChange)
    deleteRun(folder)
    return { deleted: true }
  },
}

function checkChange(folder: string, refuses: Services['refusesChange']): void {
  const refusal = refuses?.(folder) ?? null
  if (refusal !== null) throw new Refusal(409, refusal)
}

export async function answerTo(
  request: IncomingMessage,
  url: URL,
  services: Services,
): Promise<unknown> {
  const routes = request.method === 'GET' ? GET : request.method === 'POST' ? POST : null
  if (routes === null) throw new Refusal(405, 'only GET and POST are answered')
  const route = Object.hasOwn(routes, url.pathname) ? routes[url.pathname] : undefined
  if (route === undefined) throw new Refusal(404, 'there is nothing at this address')
  return route(new Query(url.searchParams), services, () => jsonIn(request))
}

class Query {
  readonly #values: URLSearchParams

  constructor(values: URLSearchParams) {
    this.#values = values
  }

  text(name: string): string {
    const value = this.#values.get(name)
    if (value === null) throw new Refusal(400, `the parameter ${name} is missing`)
    return value
  }

  all(name: string): string[] {
    return this.#values.getAll(name)
  }

  /** Returns the value of a parameter. Null if it is missing or empty. */
  optional(name: string): string | null {
    const value = this.#values.get(name) ?? ''
    return value === '' ? null : value
  }

  whole(name: string): number {
    const value = this.text(name)
    if (!/^\d{1,9}$/.test(value)) throw new Refusal(400, `the parameter ${name} is not a number`)
    return Number(value)
  }
}

function runOf(query: Query, store: RunStore, name = 'run'): [key: string, folder: string] {
  const key = query.text(name)
  return [key, folderOf(key, store)]
}

function folderOf(key: string, store: RunStore): string {
  const folder = store.folderOf(key)
  if (folder === null || !isRunFolder(folder))
    throw new Refusal(404, 'there is no such run: its folder was deleted, moved or never here')
  return folder
}

const opened = (query: Query, store: RunStore, at?: string | null): Promise<OpenRun> =>
  store.open(runOf(query, store)[1], at)
