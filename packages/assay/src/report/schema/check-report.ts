/**
 * Checks that a report does not contradict itself. A report can match its schema and still have more passes than
 * trials, sums of squares that no scores could give, or the same case twice. Assay never writes such a report, and
 * figures computed from it would be wrong. So it is refused, and the error says where the contradiction is.
 */
import { UsageError, plain } from '@assay/contract'
import type { CaseReport, Report } from './report.ts'

const SLACK = 1e-6

export function checkReport(name: string, report: Report): void {
  const rows = new Set<string>()
  for (const { suite, subject, cases } of report.subjects) {
    const row = JSON.stringify([suite, subject])
    const at = `${name}: subject "${subject}" of suite "${suite}"`
    if (rows.has(row)) throw new UsageError(plain(`${at} is there twice`))
    rows.add(row)
    const seen = new Set<string>()
    for (const one of cases) {
      const fault = seen.has(one.case) ? 'is there twice' : faultOf(one)
      if (fault !== null) throw new UsageError(plain(`${at}: case "${one.case}" ${fault}`))
      seen.add(one.case)
    }
  }
}

function faultOf({ n, c, sums, meanAnswerMs }: CaseReport): string | null {
  const { scores, score, scoreSq, costUsd, costs } = sums
  if (c > n) return `has more passes (${c}) than scored trials (${n})`
  if (scores > n || costs > n) return 'has more scores or costs than scored trials'
  if (score < -SLACK || score > scores + SLACK) return 'has scores that are not between 0 and 1'
  const least = scores === 0 ? 0 : (score * score) / scores
  if (scoreSq < least - SLACK || scoreSq > score + SLACK)
    return 'has a sum of squared scores that no scores have'
  if (costUsd < 0 || (meanAnswerMs ?? 0) < 0) return 'has a negative cost or time'
  return null
}
