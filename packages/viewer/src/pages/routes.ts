/**
 * The addresses of the pages: the hash of the address names the page and what it shows, so that a link can be sent to
 * somebody who has the same folder or the same site.
 */
import type { Identity } from '../data/source.ts'

export type Route =
  | { readonly page: 'runs' }
  | { readonly page: 'run'; readonly run: string; readonly trial: Identity | null }
  | { readonly page: 'trial'; readonly run: string; readonly trial: Identity }
  | { readonly page: 'compare'; readonly sides: CompareSides }
  | { readonly page: 'case'; readonly suite: string; readonly case: string }
  | { readonly page: 'unknown' }

/** The runs and subjects that are compared. Null: the page chooses a run, or compares all subjects. */
export interface CompareSides {
  readonly a: string | null
  readonly as: string | null
  readonly b: string | null
  readonly bs: string | null
}

export const RUNS = '#/'

export const runHash = (run: string, trial: Identity | null = null): string =>
  hash(['runs', run], trial === null ? {} : trialQuery(trial))

export const trialHash = (run: string, trial: Identity): string =>
  hash(['runs', run, 'trial'], trialQuery(trial))

export const compareHash = (sides: Partial<CompareSides> = {}): string =>
  hash(
    ['compare'],
    Object.fromEntries(
      Object.entries(sides).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
    ),
  )

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
  const [suite, one] = [values.get('suite'), values.get('case')]
  if (kind === 'case' && run === '' && suite !== null && one !== null)
    return { page: 'case', suite, case: one }
  if (kind !== 'runs' || run === '' || more.length > 0) return UNKNOWN
  const trial = trialIn(values)
  if (page === undefined) return { page: 'run', run, trial }
  if (page === 'trial' && trial !== null) return { page: 'trial', run, trial }
  return UNKNOWN
}

const UNKNOWN: Route = { page: 'unknown' }

type Query = Readonly<Record<string, string>>

const escaped = (text: string): string => encodeURIComponent(text.toWellFormed())

function hash(path: readonly string[], query: Query): string {
  const words = Object.entries(query).map(([name, value]) => `${name}=${escaped(value)}`)
  return `#/${path.map(escaped).join('/')}${words.length === 0 ? '' : `?${words.join('&')}`}`
}

const trialQuery = ({ suite, case: one, subject, index }: Identity): Query => ({
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
