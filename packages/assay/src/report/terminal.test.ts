import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { reportOf, trialOf } from '../../test/report-of.ts'
import { displayWidth } from './table.ts'
import { renderReport } from './terminal.ts'

/** Every second trial passes. */
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
    expect(text).toMatch(/^30 flaky cases of x: case-0 50%, .*, \d+ more$/m)
  })
})
