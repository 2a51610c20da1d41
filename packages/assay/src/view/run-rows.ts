/** Makes the rows of the list of runs from the data that was read from run folders. */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { lastRevision, readRecord, readRunHead, type RunRecord } from '../log/index.ts'
import type { RunOutline, RunReport } from '../report/index.ts'
import type { RunFigure } from '../report/view-data/index.ts'
import type { IndexedRow } from './run-index.ts'
import type { RunStamp } from './run-stamp.ts'
import { readTags } from './tags.ts'

export interface KnownRun {
  readonly key: string
  readonly folder: string
}

type Outlined = Pick<RunOutline, 'record' | 'counts' | 'spentUsd' | 'unpriced' | 'subjects'>

export function indexedRow(folder: string, outline: Outlined, isRunning: boolean): IndexedRow {
  const { record, counts, spentUsd, unpriced, subjects } = outline
  const plan = lastRevision(record)
  const suites = new Map(plan.suites.map(({ id, hash }) => [id, hash]))
  const hashes = new Map(plan.subjects.map(({ id, hash }) => [id, hash]))
  const figures = subjects.map(
    ({ suite, subject, source, passed, scored, passRate }): RunFigure => ({
      suite,
      subject,
      source,
      suiteHash: suites.get(suite) ?? '',
      subjectHash: hashes.get(subject) ?? '',
      c: passed,
      n: scored,
      rate: passRate.value,
      low: passRate.interval?.low ?? null,
      high: passRate.interval?.high ?? null,
    }),
  )
  return {
    ...recordRow(folder, record, isRunning),
    // The best subject comes first, as in the report.
    figures: {
      counts,
      spentUsd,
      unpriced,
      subjects: figures.toSorted((a, b) => (b.rate ?? -1) - (a.rate ?? -1)),
    },
  }
}

/** Returns the summary of a run that was read as a whole. */
export const outlineOf = ({ record, report }: RunReport): Outlined => ({
  record,
  counts: report.counts,
  spentUsd: report.spentUsd,
  unpriced: report.subjects.reduce((sum, { cost }) => sum + cost.unknown, 0),
  subjects: report.subjects.map(({ suite, subject, source, counts, passRate }) => ({
    suite,
    subject,
    source,
    passed: counts.passed,
    scored: counts.passed + counts.failed,
    passRate,
  })),
})

const recordRow = (folder: string, record: RunRecord, isRunning: boolean): IndexedRow => ({
  createdAt: record.createdAt,
  endedAt: isRunning ? null : (record.ended?.at ?? null),
  state: isRunning ? 'running' : (record.ended?.how ?? 'stopped'),
  fault: null,
  title: titleOf(record),
  tags: readTags(folder),
  commit: record.commit ?? null,
  figures: null,
})

/** Returns the row of a run whose log was not read yet. Only the run's record is read for it. */
export function unreadRow(folder: string, { isRunning }: RunStamp): IndexedRow {
  try {
    return recordRow(folder, readRecord(folder, { acceptEdited: true }), isRunning)
  } catch {
    // The record cannot be read. The reason is reported when the log is read.
    return {
      createdAt: readRunHead(folder)?.createdAt ?? null,
      endedAt: null,
      state: isRunning ? 'running' : 'stopped',
      fault: null,
      title: '',
      tags: readTags(folder),
      commit: null,
      figures: null,
    }
  }
}

/** Returns the name of the experiment or, if there is none, the names of the suites. */
function titleOf({ revisions }: RunRecord): string {
  // A run that has just begun has no plan yet.
  const { experiment, suites } = revisions.at(-1) ?? { suites: [] }
  if (experiment?.name != null) return experiment.name
  return suites.map(({ id, name }) => (name === '' ? id : name)).join(', ')
}

/** Returns a path in a form that commands accept. It is relative if it is below the folder that the user works in. */
export function shownPath(folder: string, from: string): string {
  const path = relative(from, folder)
  return path === '' || path === '..' || path.startsWith(`..${sep}`) ? folder : path
}

const PLAIN_ID = /^[\w.-]{1,80}$/

/**
 * Gives each run a name for links. The name is the run's id, so that a link works even if the folder is moved. A
 * copy of a run has the same id, and an untrusted record may have any id. In these cases a hash of the path is
 * added, and the oldest folder keeps the plain id.
 */
export function named(folders: readonly string[]): KnownRun[] {
  const taken = new Set<string>()
  return [...new Set(folders)]
    .map((folder) => ({ folder, madeAt: madeAt(folder) }))
    .toSorted((a, b) => a.madeAt - b.madeAt || (a.folder < b.folder ? -1 : 1))
    .map(({ folder }) => {
      const id = readRunHead(folder)?.id ?? ''
      const hash = createHash('sha256').update(folder).digest('hex').slice(0, 12)
      const plain = PLAIN_ID.test(id) ? id : 'run'
      const key = plain === id && !taken.has(id) ? id : `${plain}~${hash}`
      taken.add(key)
      return { key, folder }
    })
}

function madeAt(folder: string): number {
  try {
    return statSync(folder).birthtimeMs
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
