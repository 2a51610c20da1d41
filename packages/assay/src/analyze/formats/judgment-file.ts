/**
 * Reads a `judgment.json`: what a judge says about one run of a tiered experiment. If Assay wrote the file, it contains
 * the identity of the trial. Otherwise the identity is taken from the path, such as
 * `T1/task-3/run_02/judge/judgment.json`, and a note says so.
 */
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { JUDGE_CRITERION, JUDGE_GRADER, type Grade } from '@assay/contract'
import { isRecord, RecordRows, valueAt, type JsonRecord } from './record-rows.ts'
import type { RowTarget } from '../table/row-target.ts'

const FILE = 'judgment.json'

export const isJudgment = (value: unknown): value is JsonRecord =>
  isRecord(value) &&
  valueAt(value, ['summary', 'weighted_score']) !== undefined &&
  (isRecord(valueAt(value, ['requirements'])) || isRecord(valueAt(value, ['categories'])))

/** Returns the paths of the judgments in a folder, in sorted order. */
export const judgmentFiles = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => basename(path) === FILE)
        .sort()
        .map((path) => join(folder, path))
    : []

/** Adds the judgment as a row of the table. Returns notes for the user. */
export function addJudgment(record: JsonRecord, file: string, target: RowTarget): string[] {
  const rows = new RecordRows(target)
  const { table } = target
  const own = valueAt(record, ['assay'])
  const fromPath = identityOf(file)
  const named = (key: 'case' | 'subject'): unknown => valueAt(own, [key]) ?? fromPath[key]
  const suite =
    valueAt(own, ['suite']) === undefined
      ? target.suite
      : rows.name(1, 'assay.suite', valueAt(own, ['suite']), table.suites)
  const one = rows.name(1, 'case', named('case'), table.cases)
  const subject =
    named('subject') === null
      ? target.ownSubject()
      : rows.subject(1, [['subject', named('subject')]])
  const verdict = rows.verdict(1, 'summary.passed', valueAt(record, ['summary', 'passed']))
  if (suite === null || one === null || subject === null || verdict === null) return []
  const row = table.add(suite, one, subject, verdict)
  const score = valueAt(record, ['summary', 'weighted_score'])
  for (const name of ['score', 'implRate'] as const)
    rows.known(row, 1, name, 'summary.weighted_score', score)
  rows.index(row, 1, 'index', valueAt(own, ['index']) ?? fromPath.index)
  table.setGrades(row, [gradeOf(record)])
  return own === undefined
    ? [
        `the case (${fromPath.case}) and the subject (${fromPath.subject ?? 'the file'}) are taken from the path`,
      ]
    : []
}

/**
 * Matches folders that are only between a run's folder and its judgment. They say nothing about the trial's identity,
 * so they are skipped.
 */
const BETWEEN = /^(?:judges?|judge[_-]?\d+|agent|results?)$/i
const RUN = /^(?:run|trial)?[_-]?0*(\d+)$/i

interface PathIdentity {
  readonly case: string
  readonly subject: string | null
  readonly index: number | null
}

function identityOf(file: string): PathIdentity {
  const steps = dirname(file)
    .split(/[/\\]/u)
    .filter((step) => step !== '' && step !== '.' && step !== '..')
  while (BETWEEN.test(steps.at(-1) ?? '')) steps.pop()
  const number = RUN.exec(steps.at(-1) ?? '')?.[1]
  if (number !== undefined) steps.pop()
  return {
    case: steps.at(-1) ?? 'judgment',
    subject: steps.at(-2) ?? null,
    index: number === undefined ? null : Math.max(0, Number(number) - 1),
  }
}

/** Returns the judgment as a judge's grade. The grade has one part for each requirement and category. */
function gradeOf(record: JsonRecord): Grade {
  const model = valueAt(record, ['judge_model'])
  const judge = typeof model === 'string' && model !== '' ? model : 'judge'
  const score = rate(valueAt(record, ['summary', 'weighted_score']))
  const passed = valueAt(record, ['summary', 'passed'])
  const verdict = typeof passed === 'boolean' ? passed : null
  const details = (['requirements', 'categories'] as const).flatMap((kind) => {
    const marks = valueAt(record, [kind])
    return isRecord(marks) ? Object.entries(marks).map(([id, mark]) => criterionOf(id, mark)) : []
  })
  return {
    name: JUDGE_GRADER,
    type: JUDGE_GRADER,
    score,
    passed: verdict,
    weight: 1,
    details: [{ name: judge, type: JUDGE_GRADER, score, passed: verdict, weight: 1, details }],
  }
}

function criterionOf(name: string, mark: unknown): Grade {
  const weight = valueAt(mark, ['weight'])
  const notes = valueAt(mark, ['notes'])
  return {
    name,
    type: JUDGE_CRITERION,
    score: rate(valueAt(mark, ['score'])),
    passed: null,
    weight: typeof weight === 'number' && weight >= 0 ? weight : 1,
    ...(typeof notes === 'string' && notes !== '' ? { reason: notes } : {}),
  }
}

const rate = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= 1 ? value : null
