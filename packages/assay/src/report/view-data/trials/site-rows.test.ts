import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keptRows, rowsTable, type KeptRows } from './site-rows.ts'
import {
  OUTCOME_CODES,
  trialPage,
  type TableCell,
  type TrialsAsked,
  type TrialTable,
} from './trial-page.ts'

interface Cell {
  readonly suite: string
  readonly case: string
  readonly subject: string
  readonly trials: readonly { letter: string; score: number; reason: string | null }[]
}

/** A table as a run folder gives it. */
function tableOf(all: readonly Cell[]): TrialTable {
  const cells: TableCell[] = []
  let first = 0
  for (const { suite, case: one, subject, trials } of all) {
    cells.push({ suite, case: one, subject, first, trials: trials.length })
    first += trials.length
  }
  const trials = all.flatMap((cell) => cell.trials)
  const cellAt = (at: number): TableCell =>
    cells.findLast((cell) => cell.first <= at && cell.trials > 0) as TableCell
  return {
    size: trials.length,
    cells: () => cells,
    cellAt,
    indexAt: (at) => at - cellAt(at).first,
    outcome: Uint8Array.from(trials, ({ letter }) => OUTCOME_CODES.indexOf(letter)),
    score: (at) => trials[at]?.score ?? Number.NaN,
    cost: (at) => (trials[at]?.score ?? 0) / 1000,
    time: (at) => (at % 3 === 0 ? Number.NaN : at * 10),
    reason: (at) => trials[at]?.reason ?? null,
  }
}

const ALL: TrialsAsked = {
  ...{ suite: 's', subject: null, outcome: null, words: '', order: 'plan', from: 0 },
  isDescending: false,
}

/** As a browser reads them: from JSON. */
const readBack = ({ files }: KeptRows): TrialTable =>
  rowsTable(JSON.parse(JSON.stringify(files)) as typeof files)

it('the files give the same pages as the run folder, whatever is asked', () => {
  const trial = fc.record({
    letter: fc.constantFrom('c', 'p', 'f', 'u', 'e'),
    score: fc.constantFrom(0, 0.25, 1, Number.NaN),
    reason: fc.constantFrom(null, 'wrong answer', 'timed out', '</script>'),
  })
  const cell = fc.record({
    suite: fc.constantFrom('s', 'other'),
    case: fc.constantFrom('a', '__proto__', 'a long case'),
    subject: fc.constantFrom('one', 'two'),
    trials: fc.array(trial, { minLength: 1, maxLength: 30 }),
  })
  const asked = fc.record({
    suite: fc.constant('s'),
    subject: fc.constantFrom(null, 'one'),
    outcome: fc.constantFrom(null, 'f', 'p'),
    words: fc.constantFrom('', 'wrong', 'ONE a', 'nothing'),
    order: fc.constantFrom('plan', 'score', 'cost', 'time'),
    isDescending: fc.boolean(),
    from: fc.constantFrom(0, 50),
  })
  const cells = fc.uniqueArray(cell, {
    selector: (one) => JSON.stringify([one.suite, one.case, one.subject]),
  })
  fc.assert(
    fc.property(cells, asked, (all, ask) => {
      const table = tableOf(all)
      const kept = keptRows(table, 1e9)
      expect(kept.leftOut.size).toBe(0)
      expect(trialPage(readBack(kept), ask as TrialsAsked)).toEqual(
        trialPage(table, ask as TrialsAsked),
      )
    }),
    { numRuns: 60 },
  )
})

const many = (letterOf: (i: number) => string): Cell[] =>
  Array.from({ length: 200 }, (_, c) => ({
    ...{ suite: 's', case: `case ${c}`, subject: 'one' },
    trials: Array.from({ length: 50 }, (__, i) => ({
      ...{ letter: letterOf(c * 50 + i), score: 0.5, reason: null },
    })),
  }))

it('keeps trials that did not pass first, stays within its size, and counts what is missing', () => {
  const table = tableOf(many((i) => (i % 50 === 7 ? 'f' : 'p')))
  const kept = keptRows(table, 100_000)
  const bytes = JSON.stringify(kept.files).length
  expect(bytes).toBeLessThan(100_000)
  const back = readBack(kept)
  const failed = trialPage(back, { ...ALL, outcome: 'f' })
  expect(failed.matching).toBe(200)
  expect(failed.rows[3]).toMatchObject({ case: 'case 3', index: 7, outcome: 'failed', score: 0.5 })
  expect(back.size).toBeGreaterThan(400)
  expect([...kept.leftOut]).toEqual([['s', 10_000 - back.size]])
})

it('a large table is in several files, and a reason that many trials share is written once', () => {
  const cells = many(() => 'f').map((cell) => ({
    ...cell,
    trials: cell.trials.map((trial) => ({ ...trial, reason: 'x'.repeat(1000) })),
  }))
  const { files } = keptRows(tableOf(cells), 1e9)
  expect(files.length).toBeGreaterThan(1)
  for (const file of files) {
    expect(file.reasons).toHaveLength(1)
    expect(JSON.stringify(file).length).toBeLessThan(250_000)
  }
})
