/** What the server answers: one function per path. Every parameter is a name that is looked up, never a path. */
import type { IncomingMessage } from 'node:http'
import { rmSync } from 'node:fs'
import { wholeTrial } from '../report/index.ts'
import { isLocked, isRunFolder } from '../log/index.ts'
import type { OpenRun, RunStore } from './run-store.ts'

export interface Services {
  readonly store: RunStore
}

/** A request that cannot be answered. The message is for the user. */
export class Refusal extends Error {
  readonly status: 400 | 404 | 405 | 409 | 413

  constructor(status: Refusal['status'], message: string) {
    super(message)
    this.status = status
  }
}

type Route = (query: Query, services: Services) => unknown

const GET: Readonly<Record<string, Route>> = {
  '/api/runs': (_, { store }) => store.list(),
  '/api/run': (query, { store }) => {
    const [key, folder] = runOf(query, store)
    return store.head(key, folder)
  },
  '/api/cells': async (query, { store }) => {
    const suite = query.text('suite')
    return (await opened(query, store)).parts.cells.filter((one) => one.suite === suite)
  },
  '/api/cases': async (query, { store }) => {
    const suite = query.text('suite')
    return (await opened(query, store)).parts.cases.filter((one) => one.suite === suite)
  },
  '/api/trial': async (query, { store }) => {
    const { source } = await opened(query, store)
    const position = query.whole('index')
    const trial = source.trialAt(
      query.text('suite'),
      query.text('case'),
      query.text('subject'),
      position,
    )
    return trial === null ? null : wholeTrial(source, trial, position)
  },
}

const POST: Readonly<Record<string, Route>> = {
  '/api/delete': (query, { store }) => {
    const [, folder] = runOf(query, store)
    if (isLocked(folder))
      throw new Refusal(409, 'this run is being written; stop it before you delete it')
    // The folder may have been replaced since it was found.
    if (!isRunFolder(folder)) throw new Refusal(404, 'this folder is no longer a run')
    rmSync(folder, { recursive: true })
    return { deleted: true }
  },
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
  return route(new Query(url.searchParams), services)
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

  whole(name: string): number {
    const value = this.text(name)
    if (!/^\d{1,9}$/.test(value)) throw new Refusal(400, `the parameter ${name} is no number`)
    return Number(value)
  }
}

function runOf(query: Query, store: RunStore): [key: string, folder: string] {
  const key = query.text('run')
  const folder = store.folderOf(key)
  if (folder === null || !isRunFolder(folder))
    throw new Refusal(404, 'there is no such run: its folder was deleted, moved or never here')
  return [key, folder]
}

const opened = (query: Query, store: RunStore): Promise<OpenRun> =>
  store.open(runOf(query, store)[1])
