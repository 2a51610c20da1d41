/**
 * The parts of a report that differ between two runs of the same plan with the same seed, even if every trial ends in
 * the same way: ids, times and folders. Without these parts, the report is the same on every machine, and also if the
 * run was done in several parts.
 */
import type { Report } from './report.ts'

/** Paths into `report.json`. `[]` stands for every element of a list. */
export const RUN_SPECIFIC_PATHS = [
  'run.id',
  'run.createdAt',
  'run.endedAt',
  'provenance.suites[].path',
  'provenance.regrades.folder',
  'provenance.merged',
  'subjects[].latency',
  'subjects[].duration',
  'subjects[].waiting',
  'subjects[].grading',
  'subjects[].code.meanAnswerMs',
  'subjects[].code.meanGradeMs',
  'subjects[].spec.statistics.duration_seconds',
  'subjects[].spec.statisticsPerCase.duration_seconds',
  'subjects[].cases[].meanAnswerMs',
  'subjects[].cases[].runs[].duration_seconds',
  'subjects[].cases[].runs[].answer_seconds',
  'subjects[].cases[].runs[].wait_seconds',
  'subjects[].cases[].runs[].grade_seconds',
  'subjects[].cases[].sums.answerMs',
  'subjects[].cases[].sums.answerMsSq',
] as const

/**
 * Returns a copy of the report without the values at `RUN_SPECIFIC_PATHS`, for comparing two runs of the same plan.
 *
 * @example
 * isDeepStrictEqual(withoutRunSpecific(one), withoutRunSpecific(other))
 */
export function withoutRunSpecific(report: Report): unknown {
  const copy: unknown = structuredClone(report)
  for (const path of RUN_SPECIFIC_PATHS) remove(copy, path.replaceAll('[]', '.[]').split('.'))
  return copy
}

function remove(value: unknown, [key = '', ...rest]: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return
  if (key === '[]') for (const one of Object.values(value)) remove(one, rest)
  else if (rest.length === 0) Reflect.deleteProperty(value, key)
  else remove((value as Record<string, unknown>)[key], rest)
}
