import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fakeSource, fakeTrial, fakeTrials } from '../../../test/fake-source.ts'
import { richTrajectory } from '../../../test/rich-trajectory.ts'
import { HOSTILE_NAMES, TERMINAL_CONTROLS } from '../../../test/hostile-names.ts'
import { written } from '../../../test/written.ts'
import type { Trial } from '@assay/contract'
import { casesCsv, csv } from './csv.ts'
import { anyCharacter } from '../../../../../test/any-character.ts'

/** A strict CSV reader (RFC 4180, but with line feeds as line ends), written only for this test. */
function read(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (let at = 0; at < text.length;) {
    let cell = ''
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (at >= text.length) throw new Error('a quote is not closed')
        if (text[at] === '"' && text[at + 1] !== '"') break
        if (text[at] === '"') at++
        cell += text[at]
      }
      at++
    } else {
      for (; at < text.length && text[at] !== ',' && text[at] !== '\n'; at++) {
        if (text[at] === '"') throw new Error('a quote inside a bare cell')
        cell += text[at]
      }
    }
    row.push(cell)
    if (text[at] === '\n') {
      rows.push(row)
      row = []
    } else if (text[at] !== ',') throw new Error('a line without its end')
    at++
  }
  return rows
}

const table = async (trials: readonly Trial[]): Promise<Record<string, string>[]> => {
  const [head = [], ...rows] = read(await written(csv, fakeSource(trials)))
  return rows.map((row) => {
    expect(row).toHaveLength(head.length)
    return Object.fromEntries(head.map((title, i) => [title, row[i] ?? '']))
  })
}

const trial = (change: Partial<Trial> = {}): Trial =>
  fakeTrial({ suite: 's', case: 'c', subject: 'x', index: 0, ...change })

describe('the trials', () => {
  it('of agents have their turns and tool calls', async () => {
    const rows = await table([
      trial({ trajectory: JSON.stringify(richTrajectory()) }),
      trial({ index: 1, trajectory: 'torn' }),
      trial({ index: 2 }),
    ])
    expect(rows.map(({ turns, tool_calls: calls }) => [turns, calls])).toEqual([
      ['3', '3'],
      ['', ''],
      ['', ''],
    ])
  })

  it('have one row each, with what they cost and how they were graded', async () => {
    const [row] = await table([
      trial({
        outcome: 'failed',
        score: 0.65,
        reason: { code: 'tests-failed', text: 'a, "b"\nc' },
        grades: [
          {
            name: 'code',
            type: 'code',
            score: 0.65,
            passed: false,
            weight: 1,
            integrity: 'isolated',
            facts: { compiled: true, passed: 1, failed: 1, warnings: 0 },
          },
          { name: 'hint', type: 'hint', score: null, passed: null, weight: 0 },
        ],
        usage: { input: 1, cacheRead: 2, cacheWrite: 3, output: 4, reasoning: 5 },
      }),
    ])
    expect(row).toMatchObject({
      outcome: 'failed',
      passed: '0',
      score: '0.65',
      reason: 'tests-failed',
      reason_text: 'a, "b"\nc',
      compiled: 'true',
      tests_passed: '1',
      tests_failed: '1',
      lint_warnings: '0',
      integrity: 'isolated',
      cost_usd: '0.001',
      judge_usd: '',
      input_tokens: '1',
      cache_read_tokens: '2',
      cache_write_tokens: '3',
      output_tokens: '4',
      reasoning_tokens: '5',
      source: 'live',
      grades: 'code 0.65 failed; hint – advice',
    })
  })

  it('leave unknown cells empty, a cost of nothing zero', async () => {
    const free = { answerUsd: 0, judgeUsd: null, spentUsd: 0 }
    const [row] = await table([trial({ outcome: 'errored', usage: null, cost: free })])
    expect(row).toMatchObject({ passed: '', score: '', input_tokens: '', cost_usd: '0' })
  })

  it('stand in the order of the report, whatever order they were recorded in', async () => {
    const trials = fakeTrials({ subjects: ['a', 'b'], cases: ['one', 'two'], trials: 3 })
    const source = fakeSource(trials)
    const expected = await written(csv, source)
    const order = [...trials].reverse()
    const shuffled = {
      ...source,
      trials: async (each: (one: Trial) => void) => order.forEach(each),
    }
    expect(await written(csv, shuffled)).toBe(expected)
    const identities = read(expected)
      .slice(1)
      .map((row) => row.slice(0, 4).join(' '))
    expect(identities.slice(0, 4)).toEqual([
      'suite one b 0',
      'suite one b 1',
      'suite one b 2',
      'suite two b 0',
    ])
    expect(identities).toHaveLength(12)
  })
})

describe('a text', () => {
  it('comes back as it was, but for what a spreadsheet or a terminal would act on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 20 }), async (text) => {
        const [row] = await table([trial({ reason: { code: 'wrong-answer', text } })])
        const back = row?.['reason_text'] ?? ''
        expect(back).not.toMatch(/^[=+\-@\t\r\n]/)
        expect(back).not.toMatch(TERMINAL_CONTROLS)
        if (/^[a-z ,"\n]*$/.test(text) && !text.startsWith('\n')) expect(back).toBe(text)
      }),
      { numRuns: 200 },
    )
  })

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1'])(
    '%j is no formula',
    async (text) => {
      const [row] = await table([trial({ reason: { code: 'wrong-answer', text } })])
      expect(row?.['reason_text']).toMatch(/^['\ufffd]/)
    },
  )

  it('of a number stays a number, also below zero', async () => {
    const time = { startedAt: '', answerMs: 1, waitMs: -0.5, gradeMs: 1 }
    const [row] = await table([trial({ time })])
    expect(row?.['wait_ms']).toBe('-0.5')
  })
})

describe('the cases', () => {
  it('have one row for each subject, with the interval and each k', async () => {
    const trials = fakeTrials({ subjects: HOSTILE_NAMES, cases: ['one', 'two'], trials: 3 })
    const source = fakeSource(trials)
    const text = await written(casesCsv, source)
    expect(text).not.toMatch(TERMINAL_CONTROLS)
    const [head = [], ...rows] = read(text)
    expect(rows).toHaveLength(2 * HOSTILE_NAMES.length)
    for (const row of rows) expect(row).toHaveLength(head.length)
    expect(head).toEqual(expect.arrayContaining(['pass_rate_low', 'pass_at_1', 'pass_at_3']))
    const planned = rows.map((row) => Number(row[head.indexOf('planned')]))
    expect(planned.every((n) => n === 3)).toBe(true)
  })
})
