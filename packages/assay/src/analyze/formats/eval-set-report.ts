/**
 * Reads the JSON report of the eval-set format. For every attempt, it has the results of the compiler, the tests and
 * the linter, but no scores. The scores are computed here as the code-scoring specification defines them. If the linter
 * did not run, the code counts as clean, as for a case that turns linting off. A note says for how many attempts that
 * was assumed.
 */
import { codeScore, isCorrect, lintScore, testPassRate, type CodeResult } from '@assay/metrics'
import { counted } from '../../text/index.ts'
import { VERDICTS } from '../table/csv-field.ts'
import { isRecord, RecordRows, valueAt, type JsonRecord } from './record-rows.ts'
import type { RowTarget } from '../table/row-target.ts'

export const isEvalSetReport = (document: unknown): document is JsonRecord =>
  isRecord(document) &&
  isRecord(valueAt(document, ['eval_set'])) &&
  Array.isArray(valueAt(document, ['results']))

/** Adds the results of an eval-set report to the table. Returns the notes to print with Assay's report. */
export function addEvalSetReport(document: JsonRecord, target: RowTarget): string[] {
  const rows = new RecordRows(target)
  const { table } = target
  const results = valueAt(document, ['results']) as readonly unknown[]
  const suite = rows.name('eval_set', 'id', valueAt(document, ['eval_set', 'id']), table.suites)
  const isShared = sharedModels(results)
  let unlinted = 0
  for (const [i, result] of results.entries()) {
    const place = `results[${i}]`
    const at = (...path: string[]): unknown => valueAt(result, path)
    const one = rows.name(place, 'case_id', at('case_id'), table.cases)
    const subject = subjectOf(result, place, rows, isShared)
    const code = codeOf(result, place, rows)
    if (suite === null || one === null || subject === null || code === null) continue
    const row = table.add(suite, one, subject, isCorrect(code) ? VERDICTS.passed : VERDICTS.failed)
    if (code.compiled && !isRecord(at('clippy'))) unlinted++
    table.set('score', row, codeScore(code))
    table.set('compiled', row, code.compiled ? 1 : 0)
    table.set('tests', row, testPassRate(code))
    if (code.compiled) table.set('lint', row, lintScore(code.warnings))
    if (!code.compiled)
      table.setReason(row, { code: 'not-compiled', text: firstText(at('compilation', 'errors')) })
    else if (!isCorrect(code))
      table.setReason(row, {
        code: 'tests-failed',
        text: code.failed === 0 ? 'no test ran' : firstText(at('test_execution', 'failures')),
      })
    rows.index(row, place, 'attempt', at('attempt'))
    rows.known(row, place, 'answerMs', 'timing.llm_request_ms', at('timing', 'llm_request_ms'))
    rows.known(row, place, 'gradeMs', 'timing', gradeMs(result))
    rows.known(row, place, 'input', 'token_usage.prompt_tokens', at('token_usage', 'prompt_tokens'))
    rows.known(
      row,
      place,
      'output',
      'token_usage.completion_tokens',
      at('token_usage', 'completion_tokens'),
    )
    rows.known(
      row,
      place,
      'answerUsd',
      'token_usage.estimated_cost_usd',
      at('token_usage', 'estimated_cost_usd'),
    )
  }
  return unlinted === 0
    ? []
    : [`${counted(unlinted, 'result')} without findings of a linter: scored as clean code`]
}

/**
 * Returns a function that says whether a model was used through several providers. For such a model, the subject's name
 * must include the provider, because results of different providers must not be mixed.
 */
function sharedModels(results: readonly unknown[]): (model: unknown) => boolean {
  const providers = new Map<unknown, Set<unknown>>()
  for (const result of results) {
    const model = valueAt(result, ['model'])
    const known = providers.get(model) ?? new Set()
    providers.set(model, known.add(valueAt(result, ['provider'])))
  }
  return (model) => (providers.get(model)?.size ?? 0) > 1
}

function subjectOf(
  result: unknown,
  place: string,
  rows: RecordRows,
  isShared: (model: unknown) => boolean,
): number | null {
  const model = valueAt(result, ['model'])
  const provider = valueAt(result, ['provider'])
  const isNamed = typeof provider === 'string' && typeof model === 'string' && isShared(model)
  return rows.subject(place, [['model', isNamed ? `${provider}/${model}` : model]])
}

function codeOf(result: unknown, place: string, rows: RecordRows): CodeResult | null {
  const compiled = valueAt(result, ['compilation', 'success'])
  if (typeof compiled !== 'boolean')
    return rows.bad(place, 'compilation.success', 'true or false', compiled)
  const count = (...path: string[]): number | null => {
    const value = valueAt(result, path) ?? 0
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
      ? value
      : rows.bad(place, path.join('.'), 'a whole number', value)
  }
  const passed = count('test_execution', 'passed')
  const failed = count('test_execution', 'failed')
  const warnings = count('clippy', 'warning_count')
  if (passed === null || failed === null || warnings === null) return null
  return { compiled, passed, failed, warnings }
}

/** Returns the time spent on compiling and testing. Null if neither was measured. */
function gradeMs(result: unknown): number | null {
  const parts = ['compilation_ms', 'test_execution_ms']
    .map((key) => valueAt(result, ['timing', key]))
    .filter((value) => typeof value === 'number')
  return parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0)
}

/** Returns the first message of a list. A message is a text or an object that contains one. */
function firstText(list: unknown): string {
  const first: unknown = Array.isArray(list) ? list[0] : undefined
  const text = isRecord(first) ? (valueAt(first, ['message']) ?? valueAt(first, ['name'])) : first
  return typeof text === 'string' ? text : ''
}
