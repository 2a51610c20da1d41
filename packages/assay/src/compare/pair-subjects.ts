/**
 * Decides which subjects are compared with each other. Subjects with the same name are a pair. If each side has only
 * one subject, these two are a pair whatever their names are, because users often compare an old model with a new one.
 * With more subjects, the user can make pairs with `--pair old=new`. A selector (`RUN#subject`) limits a side to one
 * subject.
 */
import { UsageError, plain } from '@assay/contract'
import { nearest } from '../text/index.ts'
import type { Report } from '../report/index.ts'

export interface SubjectPair {
  readonly baseline: string
  readonly current: string
}

export interface Pairing {
  readonly pairs: readonly SubjectPair[]
  /** The subjects that have no counterpart on the other side. Empty if the user chose the pairs. */
  readonly onlyBaseline: readonly string[]
  readonly onlyCurrent: readonly string[]
}

export interface PairingChoice {
  readonly baselineSubject: string | null
  readonly currentSubject: string | null
  /** The pairs as the user typed them: `old=new`. */
  readonly pairs: readonly string[]
}

export function pairSubjects(baseline: Report, current: Report, choice: PairingChoice): Pairing {
  const before = chosen('baseline', baseline, choice.baselineSubject)
  const after = chosen('current', current, choice.currentSubject)
  if (choice.pairs.length > 0)
    return {
      pairs: distinct(choice.pairs.map((typed) => parsePair(typed, before, after))),
      onlyBaseline: [],
      onlyCurrent: [],
    }
  const [first] = before
  const [other] = after
  if (before.length === 1 && after.length === 1 && first !== undefined && other !== undefined)
    return { pairs: [{ baseline: first, current: other }], onlyBaseline: [], onlyCurrent: [] }
  const shared = before.filter((name) => after.includes(name))
  return {
    pairs: shared.map((name) => ({ baseline: name, current: name })),
    onlyBaseline: before.filter((name) => !shared.includes(name)),
    onlyCurrent: after.filter((name) => !shared.includes(name)),
  }
}

/** Whether both sides have subjects but no pair could be made. */
export const haveNobodyInCommon = ({ pairs, onlyBaseline, onlyCurrent }: Pairing): boolean =>
  pairs.length === 0 && onlyBaseline.length > 0 && onlyCurrent.length > 0

/** Returns a sentence that lists the subjects of each side and says how to choose pairs. */
export function whoIsWhere({ onlyBaseline, onlyCurrent }: Pairing): string {
  return `no subject is on both sides: the baseline has ${some(onlyBaseline)}; the current run has ${some(onlyCurrent)}. Say who belongs together with --pair OLD=NEW, or choose one of each side with RUN#subject`
}

const MOST_NAMED = 5

function some(all: readonly string[]): string {
  const named = all.slice(0, MOST_NAMED).map((name) => `"${plain(name)}"`)
  const rest = all.length - named.length
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

const subjectsOf = (report: Report): string[] =>
  [...new Set(report.subjects.map(({ subject }) => subject))].sort((a, b) => (a < b ? -1 : 1))

function chosen(side: string, report: Report, wanted: string | null): readonly string[] {
  const all = subjectsOf(report)
  if (wanted === null) return all
  if (all.includes(wanted)) return [wanted]
  throw new UsageError(`the ${side} has no subject "${plain(wanted)}"${offer(wanted, all)}`)
}

function offer(wanted: string, all: readonly string[]): string {
  const near = nearest(wanted, all)
  if (near !== null) return `; did you mean "${plain(near)}"?`
  return `: it has ${some(all)}`
}

/**
 * Parses `old=new`. Names may contain equals signs. So the text is split at that equals sign that gives two known
 * names.
 */
function parsePair(
  typed: string,
  before: readonly string[],
  after: readonly string[],
): SubjectPair {
  for (let at = typed.indexOf('='); at >= 0; at = typed.indexOf('=', at + 1)) {
    const pair = { baseline: typed.slice(0, at), current: typed.slice(at + 1) }
    if (before.includes(pair.baseline) && after.includes(pair.current)) return pair
  }
  const [left = '', right] = typed.split('=', 2)
  if (right === undefined)
    throw new UsageError(`--pair ${plain(typed)}: expected OLD=NEW, two subjects`)
  throw new UsageError(
    `--pair ${plain(typed)}: ${
      before.includes(left)
        ? `the current run has no subject "${plain(right)}"${offer(right, after)}`
        : `the baseline has no subject "${plain(left)}"${offer(left, before)}`
    }`,
  )
}

const distinct = (pairs: readonly SubjectPair[]): SubjectPair[] => [
  ...new Map(pairs.map((pair) => [JSON.stringify([pair.baseline, pair.current]), pair])).values(),
]
