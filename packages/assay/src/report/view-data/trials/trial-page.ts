/**
 * A page of the trials of a run, filtered and sorted. The server makes it from a log, so that a browser never gets a
 * million rows, and a static site from its files. Everything but the reasons is in arrays by the trial's number, so a
 * page of a million trials takes a fraction of a second.
 */
import type { TrialOrder, TrialPage, TrialRow } from '../workbench-data.ts'

/** The trials of one subject on one case. Their numbers in the table follow each other. */
export interface TableCell {
  readonly suite: string
  readonly case: string
  readonly subject: string
  /** The number of its first trial in the table. */
  readonly first: number
  readonly trials: number
}

/** All trials of a run, or those that there is room for. */
export interface TrialTable {
  readonly size: number
  /** In the order of the plan. */
  readonly cells: () => Iterable<TableCell>
  readonly cellAt: (at: number) => TableCell
  /** The place of a trial among those of its cell, by which the pages name it. */
  readonly indexAt: (at: number) => number
  /** One of `OUTCOME_CODES` for each trial. */
  readonly outcome: Uint8Array
  /** Not a number if there is no value. */
  readonly score: (at: number) => number
  readonly cost: (at: number) => number
  readonly time: (at: number) => number
  readonly reason: (at: number) => string | null
}

/** The letters of outcomes as in `ViewCell.outcomes`. A letter's place is its code. */
export const OUTCOME_CODES = 'cpfue'

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

const NAMES = ['cancelled', 'passed', 'failed', 'unscored', 'errored'] as const

export function trialPage(table: TrialTable, asked: TrialsAsked): TrialPage {
  const { outcome } = table
  const code = asked.outcome === null ? -1 : OUTCOME_CODES.indexOf(asked.outcome)
  const words = asked.words.toLowerCase().split(/\s+/u).filter(Boolean).slice(0, MOST_WORDS)
  const found = new Uint32Array(table.size)
  let matching = 0
  let total = 0
  /** By the text of a reason: which of the words it has. There are few different reasons. */
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
  const keyAt = (i: number): number => {
    const one = value(found[i] as number)
    return Number.isNaN(one) ? Number.POSITIVE_INFINITY : sign * one
  }
  // Sorting numbers alone is quick. Only the trials between the first and the last value of the page are then sorted
  // as trials. Their values are read again, because a second list of a million takes 8 MB.
  const sorted = new Float64Array(found.length)
  for (let i = 0; i < found.length; i++) sorted[i] = keyAt(i)
  sorted.sort()
  const [least = 0, most = 0] = [sorted[from], sorted[Math.max(from, to - 1)]]
  const inside: { ordinal: number; key: number }[] = []
  /** Trials with the first value of the page that are on earlier pages. */
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
