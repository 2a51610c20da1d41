/** Gets the data of the workbench from the files of a static site. */
import {
  makeMatrix,
  rowsTable,
  trialPage,
  type CaseEntry,
  type CaseHistory,
  type MatrixSource,
  type RowFile,
  type SiteIndex,
  type SiteRun,
  type Trend,
  type TrialTable,
  type ViewComparison,
} from 'assay/view-data'
import { outcomeName } from '../outcomes.ts'
import { SiteFiles } from './site-files.ts'
import { SiteLabels } from './site-labels.ts'
import type { Identity, Place, ViewTrial } from './source.ts'
import type { MatrixAsked, RunSource, Workbench } from './workbench-source.ts'

export const isSite = (): boolean => document.querySelector('meta[name="assay-site"]') !== null

export function siteWorkbench(): Workbench {
  const files = new SiteFiles()
  const labels = new SiteLabels()
  const listeners = new Set<() => void>()
  /** The ids of the runs whose Review page was opened, by the runs' keys. */
  const ids = new Map<string, string>()
  const index = (): Promise<SiteIndex> => files.load<SiteIndex>('index')
  const runOf = async (key: string): Promise<SiteRun> => {
    const found = (await index()).files.find(({ run }) => run === key)
    if (found === undefined) throw new Error('There is no such run on this site.')
    return files.load<SiteRun>(found.file)
  }
  return {
    runs: async () => (await index()).list,
    run: (key) => siteRun(files, () => runOf(key)),
    compare: async (a, b) => {
      const found = (await index()).comparisons.find(
        (one) => one.a === a.run && one.as === a.subject && one.b === b.run && one.bs === b.subject,
      )
      if (found === undefined)
        throw new Error(
          'This site has no comparison of these two. It has those of an earlier run with a later one, and of the subjects of one run, as far as there was room. `assay compare` compares any two.',
        )
      return files.load<ViewComparison>(found.file)
    },
    trend: async (suite) => {
      const { trends } = await index()
      const found = trends.find((one) => one.suite === suite) ?? trends[0]
      if (found === undefined) throw new Error('This site has no trend.')
      return files.load<Trend>(found.file)
    },
    matrix: async (asked) => siteMatrix(asked, files, runOf, await index()),
    history: async (suite, one) => historyOf(suite, one, runOf, await index()),
    review: async (key, { suite, subject }) => {
      const { review } = await runOf(key)
      ids.set(key, review.run)
      const isWanted = (item: Place): boolean =>
        (suite ?? item.suite) === item.suite && (subject ?? item.subject) === item.subject
      return { ...review, queue: review.queue.filter(isWanted), labels: labels.joined(review) }
    },
    labels: async (key) => labels.joined((await runOf(key)).review),
    addLabel: async (key, given) => {
      const run = await runOf(key)
      const { suite, case: one, subject, position } = given
      const trial = await trialIn(files, run, { suite, case: one, subject, index: position })
      if (trial === null) throw new Error('The texts of this trial are not on this site.')
      const item = run.review.queue.find(
        (other) =>
          other.suite === suite &&
          other.case === one &&
          other.subject === subject &&
          other.position === position,
      )
      if (item === undefined && run.head.report.provenance.shard !== undefined)
        throw new Error('On the site of a part of a run, only trials of the list can be labelled.')
      labels.add(run.review.run, item?.index ?? position, given, trial)
      for (const tell of listeners) tell()
    },
    kept: {
      count: (key) => labels.of(ids.get(key) ?? '').length,
      isKept: () => labels.isKept,
      download: (key) => labels.download(ids.get(key) ?? ''),
    },
    watch: (_, tell) => {
      const listen = (): void => tell('changed')
      listeners.add(listen)
      return () => listeners.delete(listen)
    },
    deleteRun: null,
  }
}

function siteRun(files: SiteFiles, load: () => Promise<SiteRun>): RunSource {
  const tables = new Map<string, Promise<TrialTable>>()
  return {
    head: async () => (await load()).head,
    cells: async (suite) => (await load()).cells.filter((cell) => cell.suite === suite),
    cases: async (suite) => (await load()).cases.filter((one) => one.suite === suite),
    unfoldable: async (place) =>
      new Set(placesOf(await load(), place).map(([position]) => position)),
    trial: async (identity) => trialIn(files, await load(), identity),
    trials: async ({ subject, outcome, ...asked }) => {
      const { rows } = await load()
      const table = tables.get(asked.suite) ?? tableOf(files, rows, asked.suite)
      tables.set(asked.suite, table)
      const page = trialPage(await table, {
        ...asked,
        subject: subject === '' ? null : subject,
        outcome: outcome === '' ? null : outcome,
      })
      const leftOut = rows.leftOut.find(({ suite }) => suite === asked.suite)?.trials ?? 0
      return { ...page, total: page.total + leftOut, leftOut }
    },
  }
}

/** Returns the table of a suite's trials. Loads only the files that contain trials of this suite. */
async function tableOf(
  files: SiteFiles,
  rows: SiteRun['rows'],
  suite: string,
): Promise<TrialTable> {
  const loaded: RowFile[] = []
  for (const one of rows.files)
    if (one.suites.includes(suite)) loaded.push(await files.load<RowFile>(one.file))
  return rowsTable(loaded)
}

const isCell = (a: Place, b: Place): boolean =>
  a.case === b.case && a.subject === b.subject && a.suite === b.suite

const placesOf = (run: SiteRun, place: Place): SiteRun['trials'][number]['at'] =>
  run.trials.find((one) => isCell(one, place))?.at ?? []

async function trialIn(
  files: SiteFiles,
  run: SiteRun,
  identity: Identity,
): Promise<ViewTrial | null> {
  const [, file] = placesOf(run, identity).find(([position]) => position === identity.index) ?? []
  if (file === undefined) return null
  const trials = await files.load<readonly ViewTrial[]>(file)
  return trials.find((one) => isCell(one, identity) && one.index === identity.index) ?? null
}

async function siteMatrix(
  { columns, ...asked }: MatrixAsked,
  files: SiteFiles,
  runOf: (key: string) => Promise<SiteRun>,
  { list }: SiteIndex,
) {
  const sources: MatrixSource[] = []
  for (const { run: key, subject } of columns) {
    const run = await runOf(key)
    const row = list.runs.find((one) => one.key === key)
    sources.push(
      columnOf(files, run, {
        run: key,
        subject,
        title: row?.title ?? '',
        folder: row?.folder ?? '',
      }),
    )
  }
  return makeMatrix({ ...asked, columns: sources })
}

function columnOf(
  files: SiteFiles,
  run: SiteRun,
  column: Pick<MatrixSource, 'run' | 'subject' | 'title' | 'folder'>,
): MatrixSource {
  const { subject } = column
  const cells = run.cells.filter((cell) => cell.subject === subject)
  const outcomesOf = (suite: string, one: string): string =>
    cells.find((cell) => cell.suite === suite && cell.case === one)?.outcomes ?? ''
  const trialAt = (suite: string, one: string, index: number): Promise<ViewTrial | null> =>
    trialIn(files, run, { suite, case: one, subject, index })
  return {
    ...column,
    suites: [...new Set(cells.map(({ suite }) => suite))],
    casesOf: (suite) => cells.filter((cell) => cell.suite === suite).map((cell) => cell.case),
    caseAt: (suite, one) => {
      const asked = run.cases.find((other) => other.suite === suite && other.case === one)
      return asked === undefined ? null : { name: asked.name, isCode: asked.language !== null }
    },
    outcomesOf,
    trialAt: async (suite, one, at) => {
      const outcome = outcomeName(outcomesOf(suite, one)[at] ?? 'c')
      if (outcome === 'cancelled') return null
      const trial = await trialAt(suite, one, at)
      if (trial === null)
        return { outcome, score: null, answer: null, acted: false, isLeftOut: true }
      const acted = trial.trajectory !== undefined || trial.diff !== undefined
      return { outcome, score: trial.score, answer: trial.answer, acted }
    },
    // If the site does not contain an answer, the answer counts as different from all others. So its row is not
    // hidden as equal.
    answerKey: async (suite, one, at) =>
      JSON.stringify((await trialAt(suite, one, at))?.answer ?? [column.run, subject]),
  }
}

async function historyOf(
  suite: string,
  one: string,
  runOf: (key: string) => Promise<SiteRun>,
  { list, files }: SiteIndex,
): Promise<CaseHistory> {
  const entries: CaseEntry[] = []
  for (const { run: key } of files.toReversed()) {
    const row = list.runs.find((other) => other.key === key)
    if (row === undefined) continue
    for (const cell of (await runOf(key)).cells)
      if (cell.suite === suite && cell.case === one)
        entries.push({ run: row, subject: cell.subject, outcomes: cell.outcomes, hash: cell.hash })
  }
  return { suite, case: one, entries, pending: 0 }
}
