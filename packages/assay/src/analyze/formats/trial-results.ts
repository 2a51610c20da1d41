/**
 * Reads records of type `trial-result`. They have the fields evalName, variant, stimulus, model, trialIndex, status and
 * durationMs, and the results of the graders. A trial that ended in an error counts as errored. A skipped trial counts
 * as planned but not run. A trial without grades counts as unscored.
 */
import type { Grade } from '@assay/contract'
import { VERDICTS, type Verdict } from '../table/csv-field.ts'
import { isRecord, RecordRows, valueAt, type JsonRecord, type Place } from './record-rows.ts'
import type { RowTarget } from '../table/row-target.ts'

export const isTrialResult = (record: JsonRecord): boolean =>
  valueAt(record, ['type']) === 'trial-result'

export function addTrialResult(record: JsonRecord, place: Place, target: RowTarget): void {
  const rows = new RecordRows(target)
  const { table } = target
  const suite = rows.name(place, 'evalName', valueAt(record, ['evalName']), table.suites)
  const one = rows.name(place, 'stimulus', valueAt(record, ['stimulus']), table.cases)
  const named = (['model', 'variant'] as const)
    .map((key) => [key, valueAt(record, [key])] as const)
    .filter(([, value]) => value !== undefined && value !== null)
  const subject = rows.subject(place, named)
  const verdict = verdictOf(record, place, rows)
  if (suite === null || one === null || subject === null || verdict === null) return
  const row = table.add(suite, one, subject, verdict)
  rows.known(row, place, 'score', 'gradeResult.score', valueAt(record, ['gradeResult', 'score']))
  rows.known(row, place, 'answerMs', 'durationMs', valueAt(record, ['durationMs']))
  rows.index(row, place, 'trialIndex', valueAt(record, ['trialIndex']))
  table.setGrades(row, gradesOf(valueAt(record, ['gradeResult', 'details'])))
}

function verdictOf(record: JsonRecord, place: Place, rows: RecordRows): Verdict | null {
  const status = valueAt(record, ['status'])
  if (status === 'error') return VERDICTS.errored
  if (status === 'skipped') return VERDICTS.none
  if (status !== 'success' && status !== undefined)
    return rows.bad(place, 'status', 'success, error or skipped', status)
  return rows.verdict(place, 'gradeResult.passed', valueAt(record, ['gradeResult', 'passed']))
}

function gradesOf(details: unknown): Grade[] {
  if (!Array.isArray(details)) return []
  return details.filter(isRecord).flatMap((detail): Grade[] => {
    const name = valueAt(detail, ['name'])
    const passed = valueAt(detail, ['passed'])
    if (typeof name !== 'string' || typeof passed !== 'boolean') return []
    return [{ name, type: name, score: null, passed, weight: 1 }]
  })
}
