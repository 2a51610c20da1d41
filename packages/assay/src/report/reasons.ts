/**
 * Why trials ended as they did, where it was not simply a wrong answer: counted by subject and reason,
 * with one text of each as an example. A command that crashes on every prompt looks like a subject that
 * knows nothing until somebody says so.
 */
import type { Identity, ReasonCode, Trial } from '../contract.ts'
import { plain } from '../plain.ts'
import { counted } from './figures.ts'
import { wrap } from './table.ts'

export interface ReasonSummary {
  readonly subject: string
  readonly outcome: 'failed' | 'errored'
  readonly code: ReasonCode
  readonly count: number
  /** What the first trial of this kind said, first by identity. */
  readonly example: string
}

export interface Reasons {
  /** Takes a recorded trial in; for one identity the last one counts. */
  add(trial: Trial): void
  list(): ReasonSummary[]
}

interface Noted {
  readonly key: string
  readonly subject: string
  readonly outcome: 'failed' | 'errored'
  readonly code: ReasonCode
  readonly text: string
}

export function collectReasons(): Reasons {
  const noted = new Map<string, Noted>()
  return {
    add(trial) {
      const { subject, outcome, reason } = trial
      const tells =
        reason !== undefined &&
        reason.code !== 'wrong-answer' &&
        outcome in { failed: 1, errored: 1 }
      if (!tells && noted.size === 0) return
      const key = keyOf(trial)
      if (tells)
        noted.set(key, {
          key,
          subject,
          outcome: outcome as Noted['outcome'],
          code: reason.code,
          text: reason.text,
        })
      else noted.delete(key)
    },
    list() {
      const groups = new Map<string, Noted[]>()
      for (const one of noted.values()) {
        const group = `${one.subject}\u0000${one.outcome}\u0000${one.code}`
        const members = groups.get(group)
        if (members === undefined) groups.set(group, [one])
        else members.push(one)
      }
      return [...groups.values()].map(summaryOf).sort(mostFirst)
    },
  }
}

const keyOf = ({ suite, case: one, subject, index }: Identity): string =>
  [suite, one, subject, String(index).padStart(9, '0')].join('\u0000')

function summaryOf(members: readonly Noted[]): ReasonSummary {
  const first = members.reduce((a, b) => (a.key < b.key ? a : b))
  const { subject, outcome, code, text } = first
  return { subject, outcome, code, count: members.length, example: text }
}

const mostFirst = (a: ReasonSummary, b: ReasonSummary): number =>
  b.count - a.count || (`${a.subject}${a.code}` < `${b.subject}${b.code}` ? -1 : 1)

const MOST_SHOWN = 8
const MOST_TEXT = 300

/** For a terminal; empty where there is nothing to tell. */
export function renderReasons(
  reasons: readonly ReasonSummary[],
  { width }: { readonly width: number },
): string {
  const lines: string[] = []
  for (const { subject, outcome, code, count, example } of reasons.slice(0, MOST_SHOWN)) {
    const head = `${counted(count, 'trial')} of ${plain(subject)} ${outcome} (${code}), such as:`
    lines.push('', ...wrap(head, width))
    for (const line of wrap(plain(example.slice(0, MOST_TEXT)), width - 2)) lines.push(`  ${line}`)
  }
  const more = reasons.length - MOST_SHOWN
  if (more > 0) lines.push(`and ${counted(more, 'further reason')}: assay report --json`)
  return lines.map((line) => `${line}\n`).join('')
}
