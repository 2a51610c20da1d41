/**
 * Counts, by subject, the reasons why trials failed or errored. A wrong answer does not count as a reason here. Each
 * reason has one text as an example. Without these counts, a command that crashes on every prompt would look like a
 * subject whose answers are all wrong.
 */
import { REASONS, type ReasonCode, plain } from '@assay/contract'
import type { Tally } from '../../log/index.ts'
import { counted, wrap } from '../../text/index.ts'
import type { Report } from '../schema/report.ts'

type ReasonSummary = Report['reasons'][number]

/** The reasons that only mean a wrong answer. They are left out, because the tables already count failed trials. */
const ORDINARY: ReadonlySet<ReasonCode> = new Set(['wrong-answer', 'tests-failed'])

/** Returns the reasons, the most frequent first. The example comes from the first trial in the order of the plan. */
export function reasonSummaries(tally: Tally): ReasonSummary[] {
  const groups = new Map<string, ReasonSummary>()
  for (const { first, trials, subject } of tally.plan.cells)
    for (let i = first; i < first + trials; i++) {
      const code = tally.reasonAt(i)
      const outcome = tally.outcomeAt(i)
      if (code === null || ORDINARY.has(code)) continue
      if (outcome !== 'failed' && outcome !== 'errored') continue
      const key = JSON.stringify([subject.id, outcome, code])
      const known = groups.get(key)
      if (known !== undefined) known.count++
      else {
        const example = tally.reasonText(i) ?? REASONS[code]
        groups.set(key, { subject: subject.id, outcome, code, count: 1, example })
      }
    }
  return [...groups.values()].sort(mostFirst)
}

const mostFirst = (a: ReasonSummary, b: ReasonSummary): number =>
  b.count - a.count || (`${a.subject} ${a.code}` < `${b.subject} ${b.code}` ? -1 : 1)

const MOST_SHOWN = 8
const MOST_TEXT = 300

/** Returns the lines for a terminal. No lines if there are no reasons. */
export function reasonLines(reasons: readonly ReasonSummary[], width: number): string[] {
  const lines: string[] = []
  for (const { subject, outcome, code, count, example } of reasons.slice(0, MOST_SHOWN)) {
    const head = `${counted(count, 'trial')} of ${plain(subject)} ${outcome} (${code}), such as:`
    lines.push('', ...wrap(head, width))
    for (const line of wrap(plain(example.slice(0, MOST_TEXT)), width - 2)) lines.push(`  ${line}`)
  }
  const more = reasons.length - MOST_SHOWN
  if (more > 0) lines.push('', `and ${counted(more, 'further reason')}: assay report --json`)
  return lines
}
