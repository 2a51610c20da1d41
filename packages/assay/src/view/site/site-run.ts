/**
 * Makes the data of one run for a static site, within the run's share of the site's size. The texts of failed trials
 * are kept first, as in a report. In addition, the first trials of the Review page's random order are kept, because
 * reviewing failed trials alone would not show how good the judge is.
 */
import { answerHash } from '../../log/index.ts'
import {
  cellKey,
  makeViewData,
  scriptBytes,
  wholeTrial,
  type RunReport,
} from '../../report/index.ts'
import {
  keptRows,
  type ReviewItem,
  type RunHead,
  type SiteCell,
  type SiteRun,
  type ViewTrial,
} from '../../report/view-data/index.ts'
import { counted } from '../../text/index.ts'
import { reviewData } from '../review/review-run.ts'
import { trialTable } from '../trial-rows.ts'

export interface SiteFile {
  readonly name: string
  readonly data: unknown
}

export interface SiteRunRequest {
  readonly source: RunReport
  readonly row: RunHead['row']
  /** The beginning of the names of the run's files. */
  readonly name: string
  /** The limit on the bytes of the run's data. */
  readonly bytes: number
}

/** The fraction of the size that each kind of data may take. */
const SHARES = { trials: 0.35, sample: 0.15, acts: 0.15, cells: 0.15, cases: 0.1, rows: 0.1 }
const MOST_TRIALS = 10_000
const MOST_SAMPLE = 300
/** The size at which a new file of trials begins. A page that shows one trial has to load one whole file. */
const FILE_BYTES = 200_000
/** The limits on the texts of a trial, in characters: of one text, and of all texts together. */
const TEXTS = { text: 20_000, texts: 60_000 }

export async function siteRun(
  request: SiteRunRequest,
): Promise<{ run: SiteRun; files: SiteFile[] }> {
  const { source, row, name, bytes } = request
  const { trials, cells, cases, ...head } = await makeViewData(source, {
    trials: MOST_TRIALS,
    trialBytes: bytes * SHARES.trials,
    actBytes: bytes * SHARES.acts,
    cellBytes: bytes * SHARES.cells,
    caseBytes: bytes * SHARES.cases,
  })
  const review = await reviewData({ source }, { suite: null, subject: null }, MOST_SAMPLE)
  const sample = sampleOf(source, review.queue, bytes * SHARES.sample)
  const all = new Map(trials.map((trial) => [trialKey(trial), withHash(source, trial)]))
  for (const trial of sample) all.set(trialKey(trial), trial)
  const leftOut = { ...head.leftOut, trials: recordedIn(source) - all.size }
  const { files, places } = filesOf(name, [...all.values()])
  const rows = keptRows(trialTable(source), bytes * SHARES.rows)
  const rowFiles = rows.files.map((data, i) => ({ name: `${name}-rows-${i}`, data }))
  const run: SiteRun = {
    head: { ...head, row, at: '', leftOut, notes: notesOf(head.notes, leftOut.trials) },
    cells: cells.map((cell): SiteCell => ({ ...cell, hash: hashOf(source, cell) })),
    cases,
    review: { ...review, queue: review.queue.slice(0, sample.length) },
    rows: {
      files: rowFiles.map(({ name: file, data }) => ({
        file,
        suites: [...new Set(data.cells.map(({ suite }) => suite))],
      })),
      leftOut: [...rows.leftOut].map(([suite, left]) => ({ suite, trials: left })),
    },
    trials: places,
  }
  return { run, files: [{ name, data: run }, ...files, ...rowFiles] }
}

const trialKey = (trial: ViewTrial): string => JSON.stringify([cellKey(trial), trial.index])

const recordedIn = ({ report: { counts } }: RunReport): number => counts.planned - counts.cancelled

/**
 * Returns the notes with the right number of trials that are left out. The sample for Review adds trials that were
 * not counted when the notes were written.
 */
const notesOf = (notes: readonly string[], leftOut: number): string[] => [
  ...notes.filter((note) => !/^the texts of .* not in this file/.test(note)),
  ...(leftOut > 0
    ? [
        `the texts of ${counted(leftOut, 'trial')} are not on this site; failed and errored ones, and a random sample for Review, were kept first`,
      ]
    : []),
]

/** Returns the trials at the beginning of the random order, as many as fit. */
function sampleOf(source: RunReport, queue: readonly ReviewItem[], room: number): ViewTrial[] {
  const sample: ViewTrial[] = []
  let left = room
  for (const { suite, case: one, subject, position } of queue) {
    const trial = source.trialAt(suite, one, subject, position)
    if (trial === null) break
    const shown = wholeTrial(source, trial, position, TEXTS)
    left -= scriptBytes(shown)
    // The sample ends at the first trial that does not fit. If shorter answers were still added, the sample would
    // not be random.
    if (left < 0) break
    sample.push(shown)
  }
  return sample
}

function withHash(source: RunReport, shown: ViewTrial): ViewTrial {
  const trial = source.trialAt(shown.suite, shown.case, shown.subject, shown.index)
  return trial === null ? shown : { ...shown, answerHash: answerHash(trial) }
}

function hashOf(
  { report }: RunReport,
  { suite, subject, case: one }: Omit<SiteCell, 'hash'>,
): string {
  const row = report.subjects.find((other) => other.suite === suite && other.subject === subject)
  return row?.cases.find((other) => other.case === one)?.caseHash ?? ''
}

/** Distributes the trials over files of a moderate size, and returns which file contains which trial. */
function filesOf(
  name: string,
  trials: readonly ViewTrial[],
): { files: SiteFile[]; places: SiteRun['trials'] } {
  const files: { name: string; data: ViewTrial[] }[] = []
  const places = new Map<string, SiteRun['trials'][number] & { at: [number, string][] }>()
  let left = 0
  for (const trial of trials) {
    if (left <= 0) {
      files.push({ name: `${name}-${files.length}`, data: [] })
      left = FILE_BYTES
    }
    left -= scriptBytes(trial)
    const file = files.at(-1)
    if (file === undefined) continue
    file.data.push(trial)
    const { suite, case: one, subject, index } = trial
    const key = cellKey(trial)
    const place = places.get(key) ?? { suite, case: one, subject, at: [] }
    places.set(key, place)
    place.at.push([index, file.name])
  }
  return { files, places: [...places.values()] }
}
