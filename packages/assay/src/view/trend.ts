/**
 * The trend: the pass rates of each subject on a suite over all runs, and what changed from each run to the next.
 * Whether there is a change is decided in the same way as by `assay compare --gate statistical`. This needs the
 * figures of all cases. So it is computed in the background, and the index keeps the result.
 */
import { indexKey } from '../environment/index.ts'
import { suiteChanges } from '../compare/index.ts'
import { readRun, type Report } from '../report/index.ts'
import type {
  RunRow,
  ShownRun,
  SuiteChange,
  Trend,
  TrendPoint,
  TrendSeries,
} from '../report/view-data/index.ts'
import type { RunIndex } from './run-index.ts'

/** A run of the list, with its folder and the state of its files. */
export interface TrendRun {
  readonly row: RunRow
  readonly folder: string
  readonly stamp: string
}

/** Two consecutive runs, and a suite that both have. */
interface Pair {
  readonly before: TrendRun
  readonly after: TrendRun
  readonly suite: string
}

const MOST_POINTS = 60
const MOST_SERIES = 24
const MOST_KEPT = 2000
/** Runs with more trials than this are not compared for the trend. */
const MOST_TRIALS = 300_000

export const shownRun = ({ key, folder, title, createdAt, state, commit }: RunRow): ShownRun => ({
  ...{ key, folder, title, createdAt, state, commit },
})

export class Trends {
  readonly #index: RunIndex
  readonly #queue = new Map<string, Pair>()
  /**
   * The reports that were read last. Each is needed twice, for the comparison with the previous run and with the
   * next run.
   */
  readonly #reports = new Map<string, Report>()
  /** The results of comparisons. They are kept here too, in case the index cannot store them. */
  readonly #compared = new Map<string, Readonly<Record<string, SuiteChange>>>()
  #working: Promise<void> | null = null
  #isClosed = false
  #done = 0

  constructor(index: RunIndex) {
    this.#index = index
  }

  /**
   * Returns how the pass rates of a suite changed from run to run. `runs` are sorted, newest first. `asked` is the
   * suite's name. If it is null, the suite of the newest run is used.
   */
  trendOf(runs: readonly TrendRun[], asked: string | null): Trend {
    const suites = [
      ...new Set(runs.flatMap(({ row }) => row.figures?.subjects.map(({ suite }) => suite) ?? [])),
    ]
    const suite = suites.find((one) => one === asked) ?? suites[0] ?? ''
    const bySubject = new Map<string, TrendRun[]>()
    for (const run of runs)
      for (const figure of run.row.figures?.subjects ?? [])
        if (figure.suite === suite)
          bySubject.set(figure.subject, [...(bySubject.get(figure.subject) ?? []), run])
    const subjects = [...bySubject]
    const series = subjects
      .slice(0, MOST_SERIES)
      .map(([subject, own]) => this.#series(suite, subject, own.toReversed()))
    return {
      suites,
      suite,
      series,
      others: Math.max(0, subjects.length - MOST_SERIES),
      pending: this.#queue.size,
    }
  }

  #series(suite: string, subject: string, runs: readonly TrendRun[]): TrendSeries {
    const shown = runs.slice(-MOST_POINTS)
    return {
      subject,
      earlier: runs.length - shown.length,
      points: shown.flatMap((run, i): TrendPoint[] => {
        const figure = run.row.figures?.subjects.find(
          (one) => one.suite === suite && one.subject === subject,
        )
        if (figure === undefined) return []
        const before = shown[i - 1]
        return [
          {
            run: shownRun(run.row),
            figure,
            change:
              before === undefined ? null : this.#change({ before, after: run, suite }, subject),
          },
        ]
      }),
    }
  }

  #change(pair: Pair, subject: string): SuiteChange | null {
    const { before, after, suite } = pair
    const why = whyNot(pair)
    if (why !== null) return { ...NOT_COMPARED, text: `not compared: ${why}` }
    const key = keyOf(pair)
    const known = this.#compared.get(key) ?? this.#index.changes(key)
    if (known !== null)
      return known[subject] ?? { ...NOT_COMPARED, text: 'not compared: it is in one run only' }
    this.#queue.set(key, { before, after, suite })
    this.#working ??= this.#work().finally(() => {
      this.#working = null
    })
    return null
  }

  async #work(): Promise<void> {
    for (const [key, pair] of this.#queue) {
      if (this.#isClosed) return
      const changes = await this.#compare(pair)
      this.#index.putChanges(key, pair.after.folder, changes)
      this.#compared.set(key, changes)
      for (const old of [...this.#compared.keys()].slice(0, -MOST_KEPT)) this.#compared.delete(old)
      this.#queue.delete(key)
      this.#done++
      // Let the server answer requests between two comparisons.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async #compare({ before, after, suite }: Pair): Promise<Record<string, SuiteChange>> {
    try {
      return suiteChanges(await this.#report(before), await this.#report(after), suite)
    } catch (error) {
      const text = `not compared: ${(error as Error).message}`
      const names = after.row.figures?.subjects.map(({ subject }) => subject) ?? []
      return Object.fromEntries(names.map((name) => [name, { ...NOT_COMPARED, text }]))
    }
  }

  async #report({ folder, stamp }: TrendRun): Promise<Report> {
    const key = `${folder} ${stamp}`
    const known = this.#reports.get(key)
    if (known !== undefined) return known
    const { report } = await readRun(folder, { indexKey, brief: true })
    this.#reports.set(key, report)
    for (const old of [...this.#reports.keys()].slice(0, -2)) this.#reports.delete(old)
    return report
  }

  /** The number of pairs that were compared so far. */
  get done(): number {
    return this.#done
  }

  /** Resolves when no comparison is running. */
  async settled(): Promise<void> {
    await this.#working
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#working
  }
}

const NOT_COMPARED: Omit<SuiteChange, 'text'> = {
  verdict: null,
  cases: 0,
  leftOut: 0,
  isEdited: false,
  parameters: [],
}

function whyNot({ before, after }: Pair): string | null {
  if (after.row.state === 'running' || before.row.state === 'running') return 'a run is not over'
  const most = Math.max(...[before, after].map(({ row }) => row.figures?.counts.planned ?? 0))
  return most > MOST_TRIALS
    ? `a run of more than ${MOST_TRIALS} trials is compared with assay compare`
    : null
}

const keyOf = ({ before, after, suite }: Pair): string =>
  JSON.stringify([before.folder, before.stamp, after.folder, after.stamp, suite])
