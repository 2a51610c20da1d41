import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { reportOf, trialOf } from '../../../test/report-of.ts'
import type { Trial } from '@assay/contract'
import type { Report } from '../schema/report.ts'
import { renderReport } from './terminal.ts'

const colors = pico.createColors(false)

const OUTCOMES: Readonly<Record<string, Trial['outcome']>> = {
  '1': 'passed',
  u: 'unscored',
  e: 'errored',
}

/**
 * Prints a skill. Each trial of a case is one character: `1` passed, `0` failed, `u` unscored, `e` errored, `-` did not
 * run.
 */
function skill(
  cases: Readonly<Record<string, string>>,
  options: { threshold?: number; format?: string; subjects?: readonly string[] } = {},
): string {
  const subjects = options.subjects ?? ['x']
  const trials = subjects.flatMap((subject) =>
    Object.entries(cases).flatMap(([id, letters]) =>
      Array.from(letters).flatMap((letter, index) =>
        letter === '-'
          ? []
          : trialOf({
              subject,
              case: id,
              index,
              outcome: OUTCOMES[letter] ?? 'failed',
              score: 'ue'.includes(letter) ? null : Number(letter),
            }),
      ),
    ),
  )
  const { threshold, format } = options
  const listed = Object.entries(cases).map(([id, { length }]) => ({ id, trials: length }))
  const report: Report = reportOf(
    [{ id: 's', cases: listed, ...(threshold === undefined ? {} : { threshold }) }],
    subjects.map((id) => ({ id })),
    trials,
  )
  const suites = report.provenance.suites.map((one) => ({ ...one, format: format ?? one.format }))
  const shown = { ...report, provenance: { ...report.provenance, suites } }
  return renderReport(shown, { width: 80, colors })
}

describe('the skill table', () => {
  it('has every stimulus, and the verdict against the threshold', () => {
    const text = skill({ one: '11101', two: '11111' }, { threshold: 0.95 })
    expect(text).toMatch(/^stimulus +score +pass rate +pass@5 +p\^5 +flaky$/m)
    expect(text).toMatch(/^one +0\.800 +80% +1\.000 +0\.328 +20%$/m)
    expect(text).toMatch(/^two +1\.000 +100% +1\.000 +1\.000 +no$/m)
    expect(text).toMatch(/^FAILED: score 0\.900, below the threshold of 0\.95$/m)
    // The stimuli are the cases, so the table of cases would repeat the table of stimuli. It is left out.
    expect(text).not.toMatch(/^case /m)
  })

  it('says what passing means without a threshold, for eval YAML', () => {
    const passed = skill({ one: '111' }, { format: 'eval-yaml' })
    expect(passed).toMatch(/^PASSED: score 1\.000; without a threshold/m)
    expect(skill({ one: '110' }, { format: 'eval-yaml' })).toMatch(/^FAILED: score 0\.667;/m)
  })

  it('shows each stimulus’s own k where they differ, and what was not scored', () => {
    const text = skill({ one: '11', two: '1110', none: 'uu' }, { threshold: 0.5 })
    expect(text).toMatch(/^stimulus +k +score/m)
    expect(text).toMatch(/^two +4 +0\.750/m)
    expect(text).toMatch(/^none +– +unscored$/m)
  })

  it('has a row for a stimulus that errored or did not run, and never passes without saying so', () => {
    const cases = { one: '11', gone: 'ee', two: '11', late: '--' }
    const text = skill(cases, { threshold: 0.5 })
    expect(text).toMatch(/^one .*\ngone +errored\ntwo .*\nlate +cancelled$/m)
    expect(text.replaceAll('\n', ' ')).toContain(
      'PASSED on the 2 of 4 stimuli that were scored: score 1.000, at least the threshold of 0.5; 1 errored, 1 cancelled',
    )
    const failed = skill({ ...cases, one: '00' }, { threshold: 0.9 })
    expect(failed).toMatch(/^FAILED on the 2 of 4 stimuli that were scored: /m)
    // A stimulus with a scored trial counts as scored, even if another of its trials errored. So the verdict does not
    // mention the errored trial.
    expect(skill({ one: '1e' }, { threshold: 0.5 })).toMatch(/^PASSED: /m)
  })

  it('gives no verdict where nothing was scored', () => {
    expect(skill({ one: 'uu', two: 'ee' }, { threshold: 0.5 })).toMatch(
      /^NO VERDICT: none of 2 stimuli was scored: 1 unscored, 1 errored$/m,
    )
  })

  it('says the whole verdict in 80 columns', () => {
    const text = skill({ one: '111' }, { format: 'eval-yaml' })
    expect(text.replaceAll('\n', ' ')).toContain('passes where every scored trial does')
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('stands beside the table of cases where subjects are compared', () => {
    const text = skill({ one: '10' }, { threshold: 0.5, subjects: ['x', 'y'] })
    expect(text).toMatch(/^case /m)
    expect(text.match(/^skill s · /gm)).toHaveLength(2)
  })

  it('lists the worst of many', () => {
    const many = Object.fromEntries(
      Array.from({ length: 25 }, (_, i) => [`c${i}`, i < 3 ? '00' : '11']),
    )
    const text = skill(many, { threshold: 0.5 })
    expect(text).toMatch(/^worst 10 of 25 stimuli/m)
    expect(text).toMatch(/^c2 +0\.000/m)
  })

  it('is not there for other suites', () => {
    expect(skill({ one: '10' })).not.toContain('stimulus')
  })
})
