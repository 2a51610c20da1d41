/**
 * Builds a report from results that another program produced. The files are read into a table of rows. The rows are
 * counted into the same tally (arrays with the facts about each trial) that a run of Assay fills. From there on, the
 * figures are computed as for a run of Assay. Nothing is executed. The report is a pure function of the files and the
 * options.
 *
 * Assay did not ask the subjects itself, so no answer counts as live. A subject's source is `replay`, or `simulated` if
 * the rows are Assay's own trials and say so. The report names the files and their hashes as its origin.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import {
  checkReport,
  buildReport,
  DEFAULT_SCORING,
  readReportFile,
  type Report,
  type ReportSource,
  withBreakdowns,
} from '../report/index.ts'
import { UsageError } from '@assay/contract'
import { readNamed, Tally } from '../log/index.ts'
import { arrange } from './table/arrange.ts'
import { checkCounts } from './table/check-counts.ts'
import { isEvalSetReport } from './formats/eval-set-report.ts'
import type { Mapping } from './table/column-map.ts'
import { idOf, notesOf, provenanceOf, readingOf } from './origin.ts'
import { readResults, type ReadFile } from './read-results.ts'
import { eachTrial, factsOf } from './table/row-facts.ts'
import { agreementNotes, agreementOf } from './judgments/agreement.ts'
import { sortFiles } from './judgments/find-judgments.ts'
import { joinJudgments, judgedRates } from './judgments/join-judgments.ts'
import { unpairCases } from './table/unpair-cases.ts'
import { findTiers, subjectNames, type TierWish } from './subject-names.ts'

export interface AnalyzeOptions extends Mapping, TierWish {
  readonly passK?: readonly number[]
  /**
   * If true, cases with the same name are different cases for different subjects. By default, the texts of the cases
   * decide this, if a column has them.
   */
  readonly unpaired?: boolean
  /**
   * Files with the judges' marks, which are joined with the runs. If a file is not listed here, its columns show
   * whether it is one.
   */
  readonly judgments?: readonly string[]
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
  if (paths.some(isReport)) return ownReport(paths, options.by ?? [])
  const sorted = sortFiles(paths, options.judgments ?? [], options.judge)
  if (sorted.runs.length === 0)
    throw new UsageError('there are only judgments; name the file with the runs too')
  const results = await readResults(sorted.runs, options)
  const { table } = results
  const names = subjectNames(table.subjects, options.subject !== undefined)
  const unpaired = unpairCases(table, names, options.unpaired)
  const tiers = findTiers(table.subjects, names, tierPart(results.files), options)
  const arranged = arrange(table, names)
  const joined = await joinJudgments(sorted.judgments, results, arranged, options)
  const files = [...results.files, ...joined.files]
  const judging = agreementOf(joined.grades, arranged)
  const rates = judgedRates(joined.grades, results, arranged)
  const tally = new Tally(arranged.plan)
  for (let ordinal = 0; ordinal < arranged.rowAt.length; ordinal++) {
    const facts = factsOf(table, arranged.rowAt[ordinal] as number)
    if (facts !== null) tally.put(ordinal, facts)
  }
  const report = buildReport({
    tally,
    run: { id: idOf(files), createdAt: null, endedAt: null },
    provenance: provenanceOf(files, arranged, options),
    passK: options.passK ?? [1],
    ...((options.by ?? []).length === 0 ? {} : { labelsOf: table.labels.ofCases(table) }),
    tiers,
    ...(table.implAside.size === 0
      ? {}
      : {
          scoring: {
            ...DEFAULT_SCORING,
            isSetAside: (ordinal) => table.implAside.has(arranged.rowAt[ordinal] as number),
          },
        }),
    ...(judging.length === 0 ? {} : { judging: { judging } }),
    notes: [
      ...unpaired,
      ...notesOf(results, arranged, tiers),
      ...joined.notes,
      ...rates,
      ...agreementNotes(judging),
    ],
  })
  return {
    // Each suite of the report would list all subjects. So a subject without a row in a suite is removed from that
    // suite.
    report: withBreakdowns(
      {
        ...report,
        subjects: report.subjects.filter(({ counts }) => counts.planned > 0),
        reading: files.map(readingOf),
      },
      options.by ?? [],
    ),
    files,
    suites: [],
    trials: async (each) => eachTrial(table, arranged, each),
    text: (text, most) => (typeof text === 'string' ? text.slice(0, most) : null),
  }
}

function checkOptions({ scoreMax, implMax, threshold }: AnalyzeOptions): void {
  if (implMax !== undefined && !(implMax > 0 && implMax < Infinity))
    throw new UsageError(`--impl-max: expected a number above 0, found ${implMax}`)
  if (scoreMax !== undefined && !(scoreMax > 0 && scoreMax < Infinity))
    throw new UsageError(`--score-max: expected a number above 0, found ${scoreMax}`)
  if (threshold !== undefined && !(threshold >= 0 && threshold <= 1))
    throw new UsageError(
      `--threshold: expected a number from 0 to 1, found ${threshold}; scores are divided by --score-max first`,
    )
}

/** Returns which part of a subject's name is the tier. Null if the files do not all agree on it. */
function tierPart(files: readonly ReadFile[]): number | null {
  const [first, ...more] = files.map(({ map }) => map?.tierPart ?? null)
  return first !== undefined && more.every((part) => part === first) ? first : null
}

/** Returns a `report.json` that Assay wrote as it is. Nothing is computed again. */
function ownReport(paths: readonly string[], by: readonly string[]): Analysis {
  const [path, ...more] = paths
  if (path === undefined || more.length > 0)
    throw new UsageError(
      `${paths.find(isReport)} is a report and has no rows; analyze it alone, or use "assay compare"`,
    )
  const report = readReportFile(path)
  checkReport(path, report)
  checkCounts(path, report)
  return {
    report: withBreakdowns(report, by),
    files: [],
    suites: [],
    trials: () => Promise.resolve(),
    text: () => null,
  }
}

const HEAD = 200

/** Whether a file is a `report.json`. It is recognized by its first key. */
function isReport(path: string): boolean {
  // Only regular files are checked. A pipe can be read only once, and its bytes are needed later.
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

/** Reads the JSON report of the eval-set format, which another program writes. Returns null if the file is not one. */
export async function readForeignReport(path: string): Promise<Report | null> {
  let document: unknown
  try {
    document = JSON.parse(readNamed(path))
  } catch {
    return null
  }
  return isEvalSetReport(document) ? (await analyze([path])).report : null
}
