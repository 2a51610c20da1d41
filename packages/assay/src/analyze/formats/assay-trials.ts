/**
 * Reads a `trials.jsonl` that Assay wrote but that is outside of its run folder. Only the trials in its lines are
 * known, because the plan of the run is in another file of the run folder.
 */
import { REASONS, type Grade, type ReasonCode, UsageError } from '@assay/contract'
import { codeFacts, isIntactLine } from '../../log/index.ts'
import { isRecord, RecordRows, valueAt, type JsonRecord, type Place } from './record-rows.ts'
import type { NumberName } from '../table/result-table.ts'
import type { RowTarget } from '../table/row-target.ts'

/** The name for this kind of file in messages. */
export const OWN_TRIALS = 'trials of Assay'

/**
 * Returns the version of the log if this first line says that the file is Assay's log of trials. Otherwise returns
 * null.
 */
export function trialsVersion(record: JsonRecord, file: string): 1 | 2 | null {
  if (valueAt(record, ['assay']) !== 'trials') return null
  const version = valueAt(record, ['version'])
  if (version !== 1 && version !== 2)
    throw new UsageError(
      `${file} has format version ${String(version)}, this assay reads versions 1 and 2. Use the assay that wrote it, or a newer one`,
    )
  return version
}

/**
 * Reports a line that was changed after it was written. The line's checksum shows this. Logs of version 1 have no
 * checksums.
 */
export function checkAssayLine(
  record: JsonRecord,
  place: Place,
  version: 1 | 2,
  { problems }: RowTarget,
): void {
  if (version > 1 && !isIntactLine(record))
    problems.add(place, 'the line is damaged: its content does not have its checksum')
}

const NUMBERS: readonly (readonly [NumberName, readonly string[]])[] = [
  ['score', ['score']],
  ['implRate', ['implRate']],
  ['answerUsd', ['cost', 'answerUsd']],
  ['judgeUsd', ['cost', 'judgeUsd']],
  ['answerMs', ['time', 'answerMs']],
  ['waitMs', ['time', 'waitMs']],
  ['gradeMs', ['time', 'gradeMs']],
  ['input', ['usage', 'input']],
  ['cacheRead', ['usage', 'cacheRead']],
  ['cacheWrite', ['usage', 'cacheWrite']],
  ['output', ['usage', 'output']],
  ['reasoning', ['usage', 'reasoning']],
]
const PARTS = ['compiled', 'tests', 'lint'] as const

/**
 * Whether a value is a grade with a valid verdict. Without this check, a large value of another type in place of a
 * verdict would be stored as a whole.
 */
const isSoundGrade = (value: unknown): value is Grade =>
  isGrade(value) && (value.passed === null || typeof value.passed === 'boolean')

export function addAssayTrial(record: JsonRecord, place: Place, target: RowTarget): void {
  const rows = new RecordRows(target)
  const { table } = target
  const at = (...path: string[]): unknown => valueAt(record, path)
  const suite = rows.name(place, 'suite', at('suite'), table.suites)
  const one = rows.name(place, 'case', at('case'), table.cases)
  const subject = rows.subject(place, [['subject', at('subject')]])
  const verdict = rows.verdict(place, 'outcome', at('outcome'))
  if (suite === null || one === null || subject === null || verdict === null) return
  const row = table.add(suite, one, subject, verdict)
  rows.index(row, place, 'index', at('index'))
  table.setSource(subject, at('source'))
  for (const [name, path] of NUMBERS) rows.known(row, place, name, path.join('.'), at(...path))
  const [code, text] = [at('reason', 'code'), at('reason', 'text')]
  if (typeof code === 'string' && typeof text === 'string' && Object.hasOwn(REASONS, code))
    table.setReason(row, { code: code as ReasonCode, text })
  const grades = at('grades')
  if (!Array.isArray(grades)) return
  const sound = grades.filter(isSoundGrade)
  table.setGrades(row, sound)
  const facts = codeFacts(sound)
  for (const part of PARTS) rows.known(row, place, part, `grades.${part}`, facts?.[part])
}

const isGrade = (value: unknown): value is Grade =>
  isRecord(value) && typeof valueAt(value, ['name']) === 'string'
