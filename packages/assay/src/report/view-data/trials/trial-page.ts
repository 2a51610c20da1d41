/**
 * Returns one page of a run's trials, filtered and sorted. A server makes the page from a log, so that a browser never
 * gets a million rows. A static site makes it from its files. Everything except the reasons is in arrays that are
 * indexed by the trial's number. So a page of a million trials takes a fraction of a second.
 */
import type { TrialOrder, TrialPage, TrialRow } from '../workbench-data.ts'

/** The trials of one subject on one case. They have consecutive numbers in the table. */
export interface TableCell {
  readonly suite: string
  readonly case: string
  readonly subject: string
  /** The number of the cell's first trial in the table. */
  readonly first: number
  readonly trials: number
}

/** All trials of a run. On a static site, only those that fit. */
export interface TrialTable {
  readonly size: number
  /** All cells (one subject on one case each), in the order of the plan. */
  readonly cells: () => Iterable<TableCell>
  readonly cellAt: (at: number) => TableCell
  /** Returns the position of a trial in its cell (one subject on one case). The pages identify a trial by it. */
  readonly indexAt: (at: number) => number
  /** The outcome of each trial, as its position in `OUTCOME_CODES`. */
  readonly outcome: Uint8Array
  /** Returns the score of a trial, or NaN if it has none. */
  readonly score: (at: number) => number
  readonly cost: (at: number) => number
  readonly time: (at: number) => number
  readonly reason: (at: number) => string | null
}

/** The letters of outcomes, as in `ViewCell.outcomes`. A letter's position is its code. */
export const OUTCOME_CODES = 'cpfue'

export interface TrialsAsked {
  readonly suite: string
  /** Shows only the trials of this subject. Null: all subjects. */
  readonly subject: string | null
  /** Shows only trials with this outcome, given as a letter of `ViewCell.outcomes`. Null: all outcomes. */
  readonly outcome: string | null
  /** Shows only trials that contain all these words in the name of the case, in the subject or in the reason. */
  readonly words: string
  readonly order: TrialOrder
  readonly isDescending: boolean
  readonly from: number
}

export const TRIALS_PAGE = 50

/** The maximum number of search words. Each word is a bit of a number. */
const MOST_WORDS = 30

const NAMES = ['cancelled', 'passed', 'failed', 'unscored', 'errored'] as const

export function trialPage(table: TrialTable, asked: TrialsAsked): TrialPage {
  const { outcome } = table
  const code = asked.outcome === null ? -1 : OUTCOME_CODES.indexOf(asked.outcome)
  const words = asked.words.toLowerCase().split(/\s+/u).filter(Boolean).slice(0, MOST_WORDS)
  const found = new Uint32Array(table.size)
  let matching = 0
  let total = 0
  /**
   * For each reason text, the search words that it contains, as bits. There are few different reasons, so each is
   * searched only once.
   */
  const inReason = new Map<string | null, number>()
  const wordsIn = (text: string): number =>
    words.reduce((bits, word, i) => (text.includes(word) ? bits | (1 << i) : bits), 0)
  const all = (1 << words.length) - 1
  for (const { suite, case: one, subject, first, trials } of table.cells()) {
    if (suite !== asked.suite) continue
    total += trials
    if (asked.subject !== null && subject !== asked.subject) continue
    const inNames = wordsIn(`${one}\n${subject}`.toLowerCase())
    for (let ordinal = first; ordinal < first + trials; ordinal++) {
      if (code !== -1 && outcome[ordinal] !== code) continue
      if (inNames !== all) {
        const reason = table.reason(ordinal)
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
  const ordinals = pageOf(found.subarray(0, matching), valueOf(table, asked.order), asked, from)
  return { rows: ordinals.map((ordinal) => rowAt(table, ordinal)), from, matching, total }
}

const valueOf = (table: TrialTable, order: TrialOrder): ((at: number) => number) | null =>
  order === 'plan' ? null : table[order]

/**
 * Returns one page of trials, sorted by value. Trials without a value come last. Trials with equal values are in the
 * order of the plan.
 */
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
  const keyAt = (i: number): number => {
    const one = value(found[i] as number)
    return Number.isNaN(one) ? Number.POSITIVE_INFINITY : sign * one
  }
  // First only the values are sorted, which is fast. Then only the trials whose values are on the page are sorted. The
  // values are computed again for this, because keeping a second list of a million values would take 8 MB.
  const sorted = new Float64Array(found.length)
  for (let i = 0; i < found.length; i++) sorted[i] = keyAt(i)
  sorted.sort()
  const [least = 0, most = 0] = [sorted[from], sorted[Math.max(from, to - 1)]]
  const inside: { ordinal: number; key: number }[] = []
  /** How many trials with the same value as the first trial of this page are on earlier pages. */
  let earlier = from - lowerBound(sorted, least)
  const room = to - from
  let [atLeast, atMost] = [0, 0]
  for (let i = 0; i < found.length; i++) {
    const key = keyAt(i)
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

function rowAt(table: TrialTable, at: number): TrialRow {
  const { suite, case: one, subject } = table.cellAt(at)
  const known = (value: number): number | null => (Number.isNaN(value) ? null : value)
  return {
    suite,
    case: one,
    subject,
    index: table.indexAt(at),
    outcome: NAMES[table.outcome[at] ?? 0] ?? 'cancelled',
    score: known(table.score(at)),
    costUsd: known(table.cost(at)),
    answerMs: known(table.time(at)),
    reason: table.reason(at),
  }
}
