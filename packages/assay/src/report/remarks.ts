/**
 * What a run's tables do not say and a reader must know. Why trials ended as they did, where it was not
 * simply a wrong answer, counted by subject and reason with one text of each as an example: a command that
 * crashes on every prompt looks like a subject that knows nothing until somebody says so. And how many
 * answers came from the cache, which must not be taken for live ones.
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

export interface Remarks {
  readonly reasons: readonly ReasonSummary[]
  /** Trials whose answer was kept from an earlier run. */
  readonly cached: number
}

export interface RemarkTaker {
  /** Takes a recorded trial in; for one identity the last one counts. */
  add(trial: Trial): void
  remarks(): Remarks
}

interface Noted {
  readonly key: string
  readonly subject: string
  readonly outcome: 'failed' | 'errored'
  readonly code: ReasonCode
  readonly text: string
}

export function takeRemarks(): RemarkTaker {
  const noted = new Map<string, Noted>()
  const cached = new Set<string>()
  return {
    add(trial) {
      const told = telling(trial)
      const fromCache = trial.source === 'cache'
      // Most trials have nothing to tell: no key is made for them.
      if (told === null && !fromCache && noted.size + cached.size === 0) return
      const key = keyOf(trial)
      if (told === null) noted.delete(key)
      else noted.set(key, { key, ...told })
      if (fromCache) cached.add(key)
      else cached.delete(key)
    },
    remarks() {
      const groups = Map.groupBy(noted.values(), ({ subject, outcome, code }) =>
        [subject, outcome, code].join('\u0000'),
      )
      return {
        reasons: [...groups.values()].map(summaryOf).sort(mostFirst),
        cached: cached.size,
      }
    },
  }
}

/** An answer that is simply wrong: the tables count those. */
const ORDINARY: ReadonlySet<ReasonCode> = new Set(['wrong-answer', 'tests-failed'])

function telling({ subject, outcome, reason }: Trial): Omit<Noted, 'key'> | null {
  if (outcome !== 'failed' && outcome !== 'errored') return null
  if (reason === undefined || ORDINARY.has(reason.code)) return null
  return { subject, outcome, code: reason.code, text: reason.text }
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

/** For a terminal; none where there is nothing to tell. */
export function reasonLines({ reasons }: Remarks, width: number): string[] {
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
