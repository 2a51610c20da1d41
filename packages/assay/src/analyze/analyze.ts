/**
 * Builds the report of results that ran elsewhere: files become a table, its rows become a tally, and from
 * there on the figures are the same as for a run of Assay. Nothing is executed. The report is a pure function
 * of the files and the options. No answer counts as live: a subject's source is `replay`, or `simulated` if
 * trials of Assay say so. The origin names the files and their hashes.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import {
  checkReport,
  buildReport,
  readReportFile,
  type Report,
  type ReportSource,
} from '../report/index.ts'
import { UsageError } from '@assay/contract'
import { readNamed, Tally } from '../log/index.ts'
import { arrange } from './table/arrange.ts'
import { checkCounts } from './table/check-counts.ts'
import { isEvalSetReport } from './formats/eval-set-report.ts'
import type { Mapping } from './table/column-map.ts'
import { idOf, notesOf, provenanceOf } from './origin.ts'
import { readResults, type ReadFile } from './read-results.ts'
import { eachTrial, factsOf } from './table/row-facts.ts'
import { findTiers, subjectNames, type TierWish } from './subject-names.ts'

export interface AnalyzeOptions extends Mapping, TierWish {
  readonly passK?: readonly number[]
}

export interface Analysis extends ReportSource {
  readonly files: readonly ReadFile[]
}

/**
 * Summarises results that other programs produced.
 *
 * @example
 * const { report } = await analyze(['runs.csv'], { case: 'subtest', subject: 'tier' })
 * report.tiers
 */
export async function analyze(
  paths: readonly string[],
  options: AnalyzeOptions = {},
): Promise<Analysis> {
  checkOptions(options)
  if (paths.some(isReport)) return ownReport(paths)
  const results = await readResults(paths, options)
  const { table, files } = results
  const names = subjectNames(table.subjects, options.subject !== undefined)
  const tiers = findTiers(table.subjects, names, tierPart(files), options)
  const arranged = arrange(table, names)
  const tally = new Tally(arranged.plan)
  for (let ordinal = 0; ordinal < arranged.rowAt.length; ordinal++) {
    const facts = factsOf(table, arranged.rowAt[ordinal] as number)
    if (facts !== null) tally.put(ordinal, facts)
  }
  const report = buildReport({
    tally,
    run: { id: idOf(files), createdAt: null, endedAt: null },
    provenance: provenanceOf(results, arranged, options),
    passK: options.passK ?? [1],
    tiers,
    notes: notesOf(results, arranged, tiers),
  })
  return {
    // Every suite lists all subjects; those without a row in it are left out.
    report: { ...report, subjects: report.subjects.filter(({ counts }) => counts.planned > 0) },
    files,
    suites: [],
    trials: async (each) => eachTrial(table, arranged, each),
    text: (text, most) => (typeof text === 'string' ? text.slice(0, most) : null),
  }
}

function checkOptions({ scoreMax, threshold }: AnalyzeOptions): void {
  if (scoreMax !== undefined && !(scoreMax > 0 && scoreMax < Infinity))
    throw new UsageError(`--score-max: expected a number above 0, found ${scoreMax}`)
  if (threshold !== undefined && !(threshold >= 0 && threshold <= 1))
    throw new UsageError(
      `--threshold: expected a number from 0 to 1, found ${threshold}; scores are divided by --score-max first`,
    )
}

/** Returns which part of a subject's name is the tier, if all files agree; otherwise null. */
function tierPart(files: readonly ReadFile[]): number | null {
  const [first, ...more] = files.map(({ map }) => map?.tierPart ?? null)
  return first !== undefined && more.every((part) => part === first) ? first : null
}

/** For a `report.json` of Assay: nothing is computed, the report is shown as it is. */
function ownReport(paths: readonly string[]): Analysis {
  const [path, ...more] = paths
  if (path === undefined || more.length > 0)
    throw new UsageError(
      `${paths.find(isReport)} is a report and has no rows; analyze it alone, or use "assay compare"`,
    )
  const report = readReportFile(path)
  checkReport(path, report)
  checkCounts(path, report)
  return {
    report,
    files: [],
    suites: [],
    trials: () => Promise.resolve(),
    text: () => null,
  }
}

const HEAD = 200

/** True if a file is a `report.json`, recognized by its first key. */
function isReport(path: string): boolean {
  // Only regular files are checked: a pipe can be read only once.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
  const fd = openSync(path, 'r')
  try {
    const head = Buffer.alloc(HEAD)
    const length = readSync(fd, head, 0, HEAD, 0)
    return /^\s*\{\s*"assay"\s*:\s*"report"/.test(head.toString('utf8', 0, length))
  } finally {
    closeSync(fd)
  }
}

/** Reads a report of another program, the eval-set JSON report; returns null if the file is not one. */
export async function readForeignReport(path: string): Promise<Report | null> {
  let document: unknown
  try {
    document = JSON.parse(readNamed(path))
  } catch {
    return null
  }
  return isEvalSetReport(document) ? (await analyze([path])).report : null
}
