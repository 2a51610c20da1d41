import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { reportOf, trialOf } from '../../../test/report-of.ts'
import { displayWidth } from '../../text/table.ts'
import { renderReport } from './terminal.ts'

/** Prints a report in which every second trial passes. */
function rendered(subjects: readonly string[], cases: readonly string[], width: number): string {
  const report = reportOf(
    [{ id: 's', cases: cases.map((id) => ({ id, trials: 10 })) }],
    subjects.map((id) => ({ id })),
    subjects.flatMap((subject) =>
      cases.flatMap((one) =>
        Array.from({ length: 10 }, (_, index) =>
          trialOf({
            case: one,
            subject,
            index,
            outcome: index % 2 === 0 ? 'passed' : 'failed',
            score: 0,
          }),
        ),
      ),
    ),
    { passK: [1, 5] },
  )
  return renderReport(report, { width, colors: pico.createColors(false) })
}

const names = (n: number, name: (i: number) => string): string[] =>
  Array.from({ length: n }, (_, i) => name(i))

/**
 * Returns the line about money spent. Each subject has two trials, which cost 0.01 each for the answer and 0.75 each
 * for the judge.
 */
function spent(
  sources: Readonly<Record<string, 'live' | 'simulated'>>,
  judge: 'model' | 'simulated',
  outcome: 'passed' | 'errored' = 'passed',
): string | undefined {
  const report = reportOf(
    [{ id: 's', cases: [{ id: 'c', trials: 2 }] }],
    Object.entries(sources).map(([id, source]) => ({ id, source })),
    Object.keys(sources).flatMap((subject) =>
      [0, 1].map((index) =>
        trialOf({
          subject,
          index,
          outcome: index === 1 ? outcome : 'passed',
          cost: { answerUsd: 0.01, judgeUsd: 0.75, spentUsd: 0.76 },
        }),
      ),
    ),
  )
  const judges = [{ id: 'j', kind: judge, config: null, hash: '' }]
  const judged = { ...report, provenance: { ...report.provenance, judges } }
  const text = renderReport(judged, { width: 80, colors: pico.createColors(false) })
  return /^spent .*$/m.exec(text)?.[0]
}

describe('what was spent', () => {
  it('is simulated money only as far as it is', () => {
    expect(spent({ x: 'simulated' }, 'simulated')).toBe('spent $1.52 of simulated money')
    expect(spent({ x: 'simulated' }, 'model')).toBe(
      'spent $1.52, of which $0.020 is simulated money',
    )
    expect(spent({ x: 'simulated', y: 'live' }, 'model')).toBe(
      'spent $3.04, of which $0.020 is simulated money',
    )
    expect(spent({ x: 'live' }, 'model')).toBe('spent $1.52')
  })

  it('is not split where the report cannot tell', () => {
    expect(spent({ x: 'simulated' }, 'model', 'errored')).toBe(
      'spent $1.52, some of it simulated money',
    )
  })
})

describe('the summary on a terminal', () => {
  it('fits 80 columns with many subjects, long names and many cases', () => {
    const subjects = names(9, (i) => `openrouter/some-maker/some-model-with-a-long-name-${i}`)
    const cases = names(30, (i) => `a case with a very long name that goes on and on, 日本語 ${i}`)
    for (const some of [1, 2, 3, 9])
      for (const line of rendered(subjects.slice(0, some), cases, 80).split('\n'))
        expect(displayWidth(line), line).toBeLessThanOrEqual(80)
  })

  it('numbers subjects whose names would look the same', () => {
    const subjects = names(2, (i) => `openrouter/some-maker/some-model-with-a-long-name-${i}`)
    const text = rendered(subjects, ['a'], 80)
    expect(text).toContain('#1 openrouter/')
    expect(text).toMatch(/^case +#1 +#2$/m)
    expect(rendered(['one', 'two'], ['a'], 80)).toMatch(/^case +one +two$/m)
  })

  it('lists the worst of many cases and names how many more are flaky', () => {
    const text = rendered(
      ['x'],
      names(30, (i) => `case-${i}`),
      80,
    )
    expect(text).toContain('worst 10 of 30 cases')
    expect(text).toMatch(/^30 flaky cases of x: case-0 \d+\/\d+, .*, \d+ more$/m)
  })
})
