/**
 * A page of the trials of a run: filtered and sorted here, so that a browser never gets a million rows. Everything but
 * the reasons is in arrays by the trial's ordinal, so a page of a million trials takes a fraction of a second.
 */
import type { RunReport } from '../report/index.ts'
import type { TrialOrder, TrialPage, TrialRow } from '../report/view-data/index.ts'

export interface TrialsAsked {
  readonly suite: string
  /** Null: all subjects. */
  readonly subject: string | null
  /** A letter as in `ViewCell.outcomes`; null: all outcomes. */
  readonly outcome: string | null
  /** Words that must all be in the name of the case, in the subject or in the reason. */
  readonly words: string
  readonly order: TrialOrder
  readonly isDescending: boolean
  readonly from: number
}

export const TRIALS_PAGE = 50

/** The words are bits of a number. */
const MOST_WORDS = 30

/** Indexed by the codes of `Tally.outcome`. */
const LETTERS = 'cpfue'
const NAMES = ['cancelled', 'passed', 'failed', 'unscored', 'errored'] as const

export function trialPage({ tally }: RunReport, asked: TrialsAsked): TrialPage {
  const { plan, outcome } = tally
  const code = asked.outcome === null ? -1 : LETTERS.indexOf(asked.outcome)
  const words = asked.words.toLowerCase().split(/\s+/u).filter(Boolean).slice(0, MOST_WORDS)
  const found = new Uint32Array(plan.planned)
  let matching = 0
  let total = 0
  /** By the text of a reason: which of the words it has. There are few different reasons. */
  const inReason = new Map<string | null, number>()
  const wordsIn = (text: string): number =>
    words.reduce((bits, word, i) => (text.includes(word) ? bits | (1 << i) : bits), 0)
  const all = (1 << words.length) - 1
  for (const { suite, case: one, subject, first, trials } of plan.cells) {
    if (suite.id !== asked.suite) continue
    total += trials
    if (asked.subject !== null && subject.id !== asked.subject) continue
    const inNames = wordsIn(`${one.id}\n${subject.id}`.toLowerCase())
    for (let ordinal = first; ordinal < first + trials; ordinal++) {
      if (code !== -1 && outcome[ordinal] !== code) continue
      if (inNames !== all) {
        const reason = tally.reasonText(ordinal)
        let bits = inReason.get(reason)
        if (bits === undefined)
          inReason.set(reason, (bits = reason === null ? 0 : wordsIn(reason.toLowerCase())))
        if ((inNames | bits) !== all) continue
      }
      found[matching++] = ordinal
    }
  }
  const from = Math.min(
    asked.from,
    Math.floor(Math.max(0, matching - 1) / TRIALS_PAGE) * TRIALS_PAGE,
  )
  const ordinals = pageOf(found.subarray(0, matching), valueOf(tally, asked.order), asked, from)
  return { rows: ordinals.map((ordinal) => rowAt(tally, ordinal)), from, matching, total }
}

type Tally = RunReport['tally']

function valueOf(tally: Tally, order: TrialOrder): ((ordinal: number) => number) | null {
  if (order === 'plan') return null
  const column = { score: tally.score, cost: tally.answerUsd, time: tally.answerMs }[order]
  return (ordinal) => column.at(ordinal)
}

/** Returns one page in the order of the values. Trials without a value come last, equal ones in the order of the plan. */
function pageOf(
  found: Uint32Array,
  value: ((ordinal: number) => number) | null,
  { isDescending }: TrialsAsked,
  from: number,
): number[] {
  const to = Math.min(found.length, from + TRIALS_PAGE)
  if (value === null) {
    const inPlan = isDescending ? found.toReversed() : found
    return [...inPlan.subarray(from, to)]
  }
  const sign = isDescending ? -1 : 1
  const keys = new Float64Array(found.length)
  for (let i = 0; i < found.length; i++) {
    const one = value(found[i] as number)
    keys[i] = Number.isNaN(one) ? Number.POSITIVE_INFINITY : sign * one
  }
  // Sorting numbers alone is quick. Only the trials between the first and the last value of the page are then sorted
  // as trials.
  const sorted = keys.toSorted()
  const [least = 0, most = 0] = [sorted[from], sorted[Math.max(from, to - 1)]]
  const inside: { ordinal: number; key: number }[] = []
  /** Trials with the first value of the page that are on earlier pages. */
  let earlier = from - lowerBound(sorted, least)
  const room = to - from
  let [atLeast, atMost] = [0, 0]
  for (let i = 0; i < found.length; i++) {
    const key = keys[i] as number
    if (key < least || key > most) continue
    if (key === least) {
      if (earlier-- > 0 || atLeast++ >= room) continue
    } else if (key === most && atMost++ >= room) continue
    inside.push({ ordinal: found[i] as number, key })
  }
  inside.sort((a, b) => a.key - b.key || a.ordinal - b.ordinal)
  return inside.slice(0, room).map(({ ordinal }) => ordinal)
}

function lowerBound(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return low
}

function rowAt(tally: Tally, ordinal: number): TrialRow {
  const { suite, case: one, subject, first } = tally.plan.cellAt(ordinal)
  const known = (value: number): number | null => (Number.isNaN(value) ? null : value)
  return {
    suite: suite.id,
    case: one.id,
    subject: subject.id,
    index: ordinal - first,
    outcome: NAMES[tally.outcome[ordinal] ?? 0] ?? 'cancelled',
    score: known(tally.score.at(ordinal)),
    costUsd: known(tally.answerUsd.at(ordinal)),
    answerMs: known(tally.answerMs.at(ordinal)),
    reason: tally.reasonText(ordinal),
  }
}
