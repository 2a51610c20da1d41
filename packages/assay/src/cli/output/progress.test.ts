import pico from 'picocolors'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Outcome, Trial } from '@assay/contract'
import { verdictOf } from './exit-status.ts'
import type { Output } from './output.ts'
import { humanProgress, jsonProgress, NONE_RECORDED } from './progress.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function screen(isTerminal: boolean) {
  const out: string[] = []
  const err: string[] = []
  const output: Output = {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    ready: () => null,
    isTerminal,
    outIsTerminal: false,
    width: 200,
    colors: pico.createColors(false),
  }
  return { output, out, err }
}

const trial = (outcome: Outcome): Trial =>
  ({ subject: 's', outcome, cost: { spentUsd: 0.01 } }) as Trial

const WAIT = {
  type: 'wait',
  provider: 'openai',
  why: 'openai/gpt-5 answered 429 Too Many Requests',
  until: '2026-01-01T01:00:00.000Z',
  trials: 1200,
} as const

describe('progress', () => {
  it('after a resume has the rate and the counter of the same trials', () => {
    const { output, err } = screen(true)
    const recorded = { done: 80, scored: 80, passed: 20, errored: 0 }
    const plan = { subjects: [{ id: 's', planned: 100, recorded }] }
    const progress = humanProgress(output, plan, () => 0)
    for (let i = 0; i < 10; i++) progress.event({ type: 'trial', trial: trial('passed') })
    vi.advanceTimersByTime(1000)
    // The rate covers both sessions (30 of 90), not only this one (10 of 10).
    expect(err.at(-1)).toMatch(/^s 90\/100 {2}33% \(/)
    expect(err.at(-1)).toContain('$0.10 since the resume')
    progress.close()
  })

  it.each([true, false])(
    'shows a wait: who, until when, how many trials and why (on a terminal: %s)',
    (isTerminal) => {
      const { output, err } = screen(isTerminal)
      const plan = { subjects: [{ id: 's', planned: 100, recorded: NONE_RECORDED }] }
      const progress = humanProgress(output, plan, () => Date.parse('2026-01-01T00:00:30.000Z'))
      progress.event(WAIT)
      expect(err.at(-1)).toBe(
        'waiting for openai until 2026-01-01T01:00:00.000Z (59 min 30 s), 1,200 trials to do: openai/gpt-5 answered 429 Too Many Requests\n',
      )
      progress.close()
    },
  )

  it('for machines has the wait as an event', () => {
    const { output, out } = screen(false)
    jsonProgress(output).event(WAIT)
    expect(JSON.parse(out.join(''))).toEqual(WAIT)
  })
})

describe('the end of a run', () => {
  const counts = { planned: 9, passed: 3, failed: 0, unscored: 0, errored: 6, cancelled: 0 }

  it('that gave a provider up is partial and resumable', () => {
    const verdict = verdictOf('partial', counts, { tooManyErrors: true, allowPartial: false })
    expect(verdict).toMatchObject({ code: 3, resumable: true })
    expect(verdict.said).toContain('a provider was given up, 6 trials errored')
  })

  it('by its budget says what is reserved, what is spent and what the next answer would cost', () => {
    const budget = {
      limitUsd: 0.3,
      spentUsd: 0.27,
      reservedUsd: 0.02,
      expectedUsd: 0.09,
      subject: 's',
    }
    const { said } = verdictOf(
      'budget',
      { ...counts, errored: 0, cancelled: 6 },
      { tooManyErrors: false, allowPartial: false, budget },
    )
    expect(said).toBe(
      'the budget was reached with 6 trials not run: $0.27 of $0.30 spent, $0.020 reserved for answers under way, $0.090 expected for the next answer of s',
    )
  })
})
