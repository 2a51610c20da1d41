/**
 * Writes the pages of the workbench as a static site: files that work from a disk and from any folder of a web
 * server. The size is limited, so that a site can be an artifact of a CI job. Data that does not fit is left out,
 * and the pages say so.
 */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { UsageError } from '@assay/contract'
import { compareReports, viewComparison } from '../../compare/index.ts'
import { readOwn } from '../../log/index.ts'
import type { Report } from '../../report/index.ts'
import type { RunRow, SiteIndex } from '../../report/view-data/index.ts'
import { counted } from '../../text/index.ts'
import { readAsset } from '../assets.ts'
import type { RunStore } from '../run-store.ts'
import { siteRun } from './site-run.ts'
import { sitePage, siteScript, SITE_MARK } from './site-script.ts'

export interface SiteWritten {
  readonly runs: number
  readonly files: number
  readonly bytes: number
  /** Messages about what the site leaves out. */
  readonly notes: readonly string[]
}

/** The size limit of the data of all runs together. The pages themselves take another half a megabyte. */
const MOST_BYTES = 12_000_000
const MOST_RUNS = 30
const MOST_COMPARISONS = 60
const COMPARISON_BYTES = 1_500_000
/** How many bytes of an existing page are read to find out whether it is an earlier site. */
const MOST_PAGE_BYTES = 1_000_000

/**
 * Writes the site. `folder` must be new, empty or an earlier site. Otherwise throws a `UsageError`, so that no file
 * of the user is lost.
 */
export async function writeSite(store: RunStore, folder: string): Promise<SiteWritten> {
  checkTarget(folder)
  store.list()
  await store.settled()
  const { runs: all, notes } = store.list()
  const readable = all.filter(({ state }) => state !== 'unreadable')
  const rows = readable.slice(0, MOST_RUNS)
  const target = resolve(folder)
  const out = new SiteFolder(target)
  try {
    for (const name of ['workbench.js', 'workbench.css']) out.put(name, readAsset(name))
    out.put('index.html', sitePage(readAsset('index.html').toString('utf8')))
    const files: SiteIndex['files'][number][] = []
    const reports = new Map<string, Report>()
    for (const [i, row] of rows.entries()) {
      const path = store.folderOf(row.key)
      if (path === null) continue
      const { source } = await store.open(path)
      const file = `run-${i}`
      const bytes = MOST_BYTES / rows.length
      for (const one of (await siteRun({ source, row, name: file, bytes })).files) out.data(one)
      files.push({ run: row.key, file })
      reports.set(row.key, source.report)
    }
    const { comparisons, leftOut } = writeComparisons(rows, reports, out)
    const siteNotes = [
      ...notes,
      ...leftOutNotes({
        unreadable: all.length - readable.length,
        more: readable.length - rows.length,
        comparisons: leftOut,
      }),
    ]
    const trends = await writeTrends(store, out)
    const index: SiteIndex = {
      list: { runs: rows, pending: 0, notes: siteNotes },
      files,
      comparisons,
      trends,
    }
    out.data({ name: 'index', data: index })
    out.moveTo(target)
    return { runs: rows.length, files: out.files, bytes: out.bytes, notes: siteNotes }
  } catch (error) {
    out.remove()
    throw error
  }
}

const MOST_TRENDS = 20

async function writeTrends(store: RunStore, out: SiteFolder): Promise<SiteIndex['trends']> {
  const { suites } = store.trend(null)
  const trends: SiteIndex['trends'][number][] = []
  for (const [i, suite] of suites.slice(0, MOST_TRENDS).entries()) {
    // The first call starts the comparisons of the runs. The call after `settled` has their results.
    store.trend(suite)
    await store.settled()
    const file = `trend-${i}`
    out.data({ name: file, data: { ...store.trend(suite), pending: 0 } })
    trends.push({ suite, file })
  }
  return trends
}

function checkTarget(folder: string): void {
  const target = resolve(folder)
  const state = lstatSync(target, { throwIfNoEntry: false })
  if (state === undefined) return
  if (state.isSymbolicLink())
    throw new UsageError(`${folder} is a link: name the folder itself, or a new folder`)
  if (!state.isDirectory()) throw new UsageError(`${folder} is not a folder`)
  const names = readdirSync(target)
  if (names.length === 0) return
  const other = names.find((name) => !SITE_FILES.has(name))
  if (other !== undefined || !isSite(join(target, 'index.html')))
    throw new UsageError(
      `${folder} has files that are not a site of Assay${other === undefined ? '' : `, such as ${other}`}: name a new folder`,
    )
}

const SITE_FILES = new Set(['index.html', 'workbench.js', 'workbench.css', 'data'])

function isSite(page: string): boolean {
  try {
    return readOwn(page, MOST_PAGE_BYTES).toString('utf8').includes(SITE_MARK)
  } catch {
    return false
  }
}

/** The two sides of a comparison: two runs, or two subjects of one run. */
interface Pair {
  readonly a: string
  readonly as: string | null
  readonly b: string
  readonly bs: string | null
}

/**
 * Returns the pairs to compare, the most useful first: neighbouring runs, then other pairs of runs, then the
 * subjects of each run.
 */
function pairsOf(rows: readonly RunRow[]): Pair[] {
  const pairs: Pair[] = []
  for (let distance = 1; distance < rows.length; distance++)
    for (let i = 0; i + distance < rows.length; i++) {
      const [older, newer] = [rows[i + distance], rows[i]]
      if (older !== undefined && newer !== undefined)
        pairs.push({ a: older.key, as: null, b: newer.key, bs: null })
    }
  for (const { key, figures } of rows) {
    const subjects = [...new Set(figures?.subjects.map(({ subject }) => subject))]
    for (const [i, as] of subjects.entries())
      for (const bs of subjects.slice(i + 1)) pairs.push({ a: key, as, b: key, bs })
  }
  return pairs
}

function writeComparisons(
  rows: readonly RunRow[],
  reports: ReadonlyMap<string, Report>,
  out: SiteFolder,
): { comparisons: SiteIndex['comparisons']; leftOut: number } {
  const nameOf = (key: string): string => rows.find((row) => row.key === key)?.folder ?? key
  const pairs = pairsOf(rows)
  const comparisons: SiteIndex['comparisons'][number][] = []
  let left = COMPARISON_BYTES
  for (const pair of pairs.slice(0, MOST_COMPARISONS)) {
    const [a, b] = [reports.get(pair.a), reports.get(pair.b)]
    if (a === undefined || b === undefined || left <= 0) continue
    const comparison = compared(a, b, pair, nameOf)
    if (comparison === null) continue
    const file = `compare-${comparisons.length}`
    left -= out.data({ name: file, data: comparison })
    comparisons.push({ ...pair, file })
  }
  return { comparisons, leftOut: pairs.length - comparisons.length }
}

function compared(a: Report, b: Report, pair: Pair, nameOf: (key: string) => string): unknown {
  try {
    return viewComparison(
      compareReports(a, b, {
        baseline: { name: nameOf(pair.a), subject: pair.as },
        current: { name: nameOf(pair.b), subject: pair.bs },
        gate: 'statistical',
        failOnRemoved: false,
      }),
    )
  } catch {
    // The two runs have nothing in common. The page says that the site has no comparison of them.
    return null
  }
}

interface LeftOutCounts {
  readonly unreadable: number
  readonly more: number
  readonly comparisons: number
}

const leftOutNotes = ({ unreadable, more, comparisons }: LeftOutCounts): string[] => [
  ...(unreadable > 0
    ? [
        `${counted(unreadable, 'run')} that cannot be read ${unreadable === 1 ? 'is' : 'are'} not on this site`,
      ]
    : []),
  ...(more > 0 ? [`${counted(more, 'older run')} are not on this site`] : []),
  ...(comparisons > 0
    ? [
        `${counted(comparisons, 'pair')} of runs or subjects cannot be compared on this site; assay compare can`,
      ]
    : []),
]

/**
 * Writes the files to a temporary folder, which then replaces the site. So a failure leaves an earlier site as it
 * was.
 */
class SiteFolder {
  readonly #path: string
  files = 0
  bytes = 0

  constructor(target: string) {
    mkdirSync(dirname(target), { recursive: true })
    // The name of the folder is random, so that nobody can put a link in its place beforehand.
    this.#path = mkdtempSync(`${target}.`)
    chmodSync(this.#path, 0o755)
    mkdirSync(join(this.#path, 'data'))
  }

  put(name: string, content: string | Uint8Array): number {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    writeFileSync(join(this.#path, name), bytes)
    this.files++
    this.bytes += bytes.length
    return bytes.length
  }

  data({ name, data }: { readonly name: string; readonly data: unknown }): number {
    return this.put(join('data', `${name}.js`), siteScript(name, data))
  }

  moveTo(folder: string): void {
    rmSync(folder, { recursive: true, force: true })
    renameSync(this.#path, folder)
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true })
  }
}
