/**
 * The addresses of the pages. The hash of an address names the page and what it shows. So a user can send a link to
 * somebody who has the same folder or the same site.
 */
import type { MatrixColumn, MatrixFilter, TrialOrder } from '../data/workbench-source.ts'
import type { Identity } from '../data/source.ts'

export type Route =
  | { readonly page: 'runs' }
  | { readonly page: 'run'; readonly run: string; readonly trial: Identity | null }
  | { readonly page: 'trial'; readonly run: string; readonly trial: Identity }
  | { readonly page: 'trials'; readonly run: string; readonly state: TrialsState }
  | { readonly page: 'compare'; readonly sides: CompareSides }
  | { readonly page: 'case'; readonly suite: string; readonly case: string }
  | { readonly page: 'matrix'; readonly state: MatrixState }
  | { readonly page: 'review'; readonly run: string; readonly state: ReviewState }
  | { readonly page: 'unknown' }

/**
 * The runs and subjects that are compared. If a run is null, the page chooses one. If a subject is null, all
 * subjects are compared.
 */
export interface CompareSides {
  readonly a: string | null
  readonly as: string | null
  readonly b: string | null
  readonly bs: string | null
}

/** What the table of trials shows. An empty text means all. */
export interface TrialsState {
  readonly suite: string
  readonly subject: string
  readonly outcome: string
  readonly words: string
  readonly order: TrialOrder
  readonly isDescending: boolean
  readonly from: number
}

/** What the matrix page shows. */
export interface MatrixState {
  /** The run whose subjects are shown if there are no columns. Null means the newest run. */
  readonly run: string | null
  readonly columns: readonly MatrixColumn[]
  readonly suite: string | null
  /** The only case that is shown. Null means all cases. */
  readonly case: string | null
  readonly only: MatrixFilter
  readonly index: number
  readonly from: number
  /** The index of the column that the others are compared with. −1 means none. */
  readonly base: number
}

/** What the Review page shows. */
export interface ReviewState {
  readonly suite: string | null
  readonly subject: string | null
  readonly isBlind: boolean
  /** A trial that the person chose. If null, the page shows the trials of the queue one by one. */
  readonly chosen: Identity | null
}

export const RUNS = '#/'

export const runHash = (run: string, trial: Identity | null = null): string =>
  hash(['runs', run], trial === null ? {} : trialQuery(trial))

export const trialHash = (run: string, trial: Identity): string =>
  hash(['runs', run, 'trial'], trialQuery(trial))

export const reviewHash = (run: string, state: Partial<ReviewState> = {}): string => {
  const { suite = null, subject = null, isBlind = false, chosen = null } = state
  return hash(
    ['runs', run, 'review'],
    [
      ...(isBlind ? [['blind', '1'] as const] : []),
      ...(chosen === null
        ? [
            ...(suite === null ? [] : [['suite', suite] as const]),
            ...(subject === null ? [] : [['subject', subject] as const]),
          ]
        : Object.entries(trialQuery(chosen))),
    ],
  )
}

export const trialsHash = (run: string, state: Partial<TrialsState> = {}): string => {
  const { suite = '', subject = '', outcome = '', words = '', order = 'plan', from = 0 } = state
  const query = {
    ...{ suite, subject, outcome, words },
    order: order === 'plan' ? '' : order,
    down: state.isDescending === true ? '1' : '',
    from: from === 0 ? '' : String(from),
  }
  return hash(
    ['runs', run, 'trials'],
    Object.entries(query).filter(([, value]) => value !== ''),
  )
}

function trialsIn(values: URLSearchParams): TrialsState {
  const order = values.get('order')
  const from = values.get('from') ?? ''
  return {
    suite: values.get('suite') ?? '',
    subject: values.get('subject') ?? '',
    outcome: values.get('outcome') ?? '',
    words: values.get('words') ?? '',
    order: order === 'score' || order === 'cost' || order === 'time' ? order : 'plan',
    isDescending: values.get('down') === '1',
    from: /^\d{1,9}$/.test(from) ? Number(from) : 0,
  }
}

export const compareHash = (sides: Partial<CompareSides> = {}): string =>
  hash(
    ['compare'],
    Object.fromEntries(
      Object.entries(sides).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
    ),
  )

export function matrixHash(state: Partial<MatrixState>): string {
  const {
    columns = [],
    run = null,
    suite = null,
    case: one = null,
    only = 'all',
    index = 0,
    from = 0,
    base = 0,
  } = state
  return hash(
    ['matrix'],
    [
      ...(run === null || columns.length > 0 ? [] : [['of', run] as const]),
      ...columns.flatMap((column) => [
        ['run', column.run] as const,
        ['subject', column.subject] as const,
      ]),
      ...(suite === null ? [] : [['suite', suite] as const]),
      ...(one === null ? [] : [['case', one] as const]),
      ...(only === 'all' ? [] : [['only', only] as const]),
      ...(index === 0 ? [] : [['index', String(index)] as const]),
      ...(from === 0 ? [] : [['from', String(from)] as const]),
      ...(base === 0 ? [] : [['base', String(base)] as const]),
    ],
  )
}

function matrixIn(values: URLSearchParams): MatrixState {
  const runs = values.getAll('run')
  const subjects = values.getAll('subject')
  const only = values.get('only')
  const whole = (name: string): number => {
    const value = values.get(name) ?? ''
    return /^\d{1,9}$/.test(value) ? Number(value) : 0
  }
  return {
    run: values.get('of'),
    columns: runs.flatMap((run, i) => {
      const subject = subjects[i]
      return subject === undefined ? [] : [{ run, subject }]
    }),
    suite: values.get('suite'),
    case: values.get('case'),
    only: only === 'failed' || only === 'different' ? only : 'all',
    index: whole('index'),
    from: whole('from'),
    base: values.get('base') === '-1' ? -1 : whole('base'),
  }
}

export const caseHash = (suite: string, one: string): string => hash(['case'], { suite, case: one })

export function routeOf(address: string): Route {
  const [path = '', query = ''] = address.replace(/^#\/?/, '').split(/\?(.*)/s)
  const values = new URLSearchParams(query)
  const parts = partsOf(path)
  if (parts === null) return UNKNOWN
  const [kind, run = '', page, ...more] = parts
  if (kind === undefined) return { page: 'runs' }
  if (kind === 'compare' && run === '')
    return {
      page: 'compare',
      sides: {
        a: values.get('a'),
        as: values.get('as'),
        b: values.get('b'),
        bs: values.get('bs'),
      },
    }
  if (kind === 'matrix' && run === '') return { page: 'matrix', state: matrixIn(values) }
  const [suite, one] = [values.get('suite'), values.get('case')]
  if (kind === 'case' && run === '' && suite !== null && one !== null)
    return { page: 'case', suite, case: one }
  if (kind !== 'runs' || run === '' || more.length > 0) return UNKNOWN
  if (page === 'trials') return { page: 'trials', run, state: trialsIn(values) }
  const trial = trialIn(values)
  if (page === undefined) return { page: 'run', run, trial }
  if (page === 'review') {
    const [ofSuite, subject] = trial === null ? [suite, values.get('subject')] : [null, null]
    const isBlind = values.get('blind') === '1'
    return { page, run, state: { suite: ofSuite, subject, isBlind, chosen: trial } }
  }
  if (page === 'trial' && trial !== null) return { page: 'trial', run, trial }
  return UNKNOWN
}

const UNKNOWN: Route = { page: 'unknown' }

type Query = Readonly<Record<string, string>> | readonly (readonly [string, string])[]

const escaped = (text: string): string => encodeURIComponent(text.toWellFormed())

function hash(path: readonly string[], query: Query): string {
  const pairs: readonly (readonly [string, string])[] = isList(query)
    ? query
    : Object.entries(query)
  const words = pairs.map(([name, value]) => `${name}=${escaped(value)}`)
  return `#/${path.map(escaped).join('/')}${words.length === 0 ? '' : `?${words.join('&')}`}`
}

const isList = (query: Query): query is readonly (readonly [string, string])[] =>
  Array.isArray(query)

const trialQuery = ({
  suite,
  case: one,
  subject,
  index,
}: Identity): Readonly<Record<string, string>> => ({
  suite,
  case: one,
  subject,
  index: String(index),
})

function trialIn(values: URLSearchParams): Identity | null {
  const [suite, one, subject, index] = ['suite', 'case', 'subject', 'index'].map((name) =>
    values.get(name),
  )
  if (suite == null || one == null || subject == null || !/^\d{1,9}$/.test(index ?? '')) return null
  return { suite, case: one, subject, index: Number(index) }
}

function partsOf(path: string): string[] | null {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent)
  } catch {
    return null
  }
}
