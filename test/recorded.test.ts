/**
 * Tests that logs, records, reports and baselines of an earlier version give the same figures as they gave then.
 *
 * The folder `recorded` holds runs of commit 0717748, the last commit before the modules were rearranged. The runs
 * contain texts by two subjects, code in three languages, tiers, two judges, and commands in a workspace. Each run
 * has the report.json that this commit made, and the comparisons that it printed. All files have version 1 of their
 * format. They are never written again. If a test here fails, the code is wrong, or a new version of a format needs
 * a reader for this one.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  compareCommand,
  type CompareFlags,
} from '../packages/assay/src/cli/commands/compare/compare.ts'
import {
  loadSuite,
  readReportFile,
  readRun,
  readTrials,
  withJudges,
  type Report,
} from '../packages/assay/src/index.ts'
import { keptOutput } from '../packages/assay/test/output.ts'

const recorded = join(import.meta.dirname, 'recorded')
const at = (...path: string[]): string => join(recorded, ...path)
const jsonOf = (...path: string[]): unknown => JSON.parse(readFileSync(at(...path), 'utf8'))

const RUNS = ['text', 'text-later', 'code', 'tiers', 'judge', 'agent']

describe('a run that was recorded by an earlier version', () => {
  it.each(RUNS)('has the figures that it had: %s', async (run) => {
    const { report } = await readRun(at(run))
    expect(report.counts.planned).toBeGreaterThan(0)
    expect(report.provenance.log).toMatchObject({ damaged: 0, torn: false })
    const then = jsonOf(run, 'report.json') as { readonly subjects: readonly object[] }
    expectSame(estimatesOf(withFirstNames(asThen(report))), estimatesOf(then))
  })

  it.each(RUNS)('has a report.json that is read as today’s: %s', async (run) => {
    const { report } = await readRun(at(run))
    expectSame(estimatesOf(asThen(report)), estimatesOf(readReportFile(at(run, 'report.json'))))
  })

  it.each(['text', 'code', 'tiers', 'judge', 'agent'])(
    'is of the cases that its suite has today: %s',
    async (run) => {
      const { suite: read } = await loadSuite(at(run, 'suite.toml'))
      // The judges of this run were in a settings file.
      const [suite = read] = run === 'judge' ? withJudges([read], ['strict', 'lenient']) : [read]
      const hashes = new Map(suite.cases.map(({ id, hash }) => [id, hash]))
      let trials = 0
      await readTrials(at(run), (trial) => {
        trials++
        expect(trial.caseHash, trial.case).toBe(hashes.get(trial.case))
      })
      expect(trials).toBeGreaterThan(0)
    },
  )
})

describe('a comparison', () => {
  it('with a baseline that an earlier version blessed is the same', async () => {
    const flags = { baseline: at('assay-baseline.json'), current: at('text-later') }
    expectSame(figuresOf(await compared(flags)), figuresOf(jsonOf('compare-baseline.json')))
  })

  it('of two reports that an earlier version wrote is the same', async () => {
    const flags = {
      baseline: at('text', 'report.json'),
      current: at('text-later', 'report.json'),
      gate: 'statistical',
    } as const
    expectSame(figuresOf(await compared(flags)), figuresOf(jsonOf('compare-reports.json')))
  })
})

/**
 * Expects everything that was written then, with the same values. Figures that were added since are left out, and
 * subjects are compared by name, because a report lists them by their results now.
 */
function expectSame(now: unknown, then: unknown): void {
  expect(asWritten(now, byName(then))).toEqual(byName(then))
}

const byName = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || !('subjects' in value)) return value
  const subjects = (value.subjects as { suite: string; subject: string }[]).toSorted((a, b) =>
    `${a.suite} ${a.subject}` < `${b.suite} ${b.subject}` ? -1 : 1,
  )
  return { ...value, subjects }
}

/** Returns the parts of a value that the earlier value has too. */
function asWritten(now: unknown, then: unknown): unknown {
  if (Array.isArray(now) && Array.isArray(then))
    return now.map((one, i) => asWritten(one, (then as unknown[])[i]))
  if (typeof now !== 'object' || now === null || typeof then !== 'object' || then === null)
    return now
  const entries = Object.entries(byName(now) as object).filter(([key]) => Object.hasOwn(then, key))
  return Object.fromEntries(
    entries.map(([key, value]) => [key, asWritten(value, (then as Record<string, unknown>)[key])]),
  )
}

/**
 * Returns a comparison without what changed since then. Cases that only one side has are no longer listed as new; the
 * warnings name the subject instead. Several measures are decided together by simultaneous intervals, which changes
 * the adjusted p-values. Other p-values are searched for, so their last digits may differ.
 */
const figuresOf = (comparison: unknown): object => {
  const { new_cases: _new, warnings: _warnings, ...figures } = comparison as Record<string, unknown>
  return JSON.parse(
    JSON.stringify(figures, (key, value: unknown) => {
      if (key === 'adjustedP') return undefined
      if (key === 'method' && typeof value === 'string') return withoutWidening(value)
      return key === 'p' && typeof value === 'number' ? Number(value.toFixed(9)) : value
    }),
  ) as object
}

/** Removes two notes that are no figures: that a log of version 1 has no checksums, and which cases count in a test. */
function asThen(report: Report): Report {
  const { checked, ...log } = report.provenance.log
  expect(checked).toBe(false)
  const notes = report.notes.filter((note) => !note.includes('no checksums'))
  expect(notes).toHaveLength(report.notes.length - 1)
  const tiers = report.tiers.map((one) => ({
    ...one,
    notes: one.notes?.filter((note) => !note.startsWith('do the tiers differ')),
  }))
  return { ...report, tiers, notes, provenance: { ...report.provenance, log } }
}

/** The uncertainty of a figure. Intervals and tests of tiers were replaced by better ones since then. */
const UNCERTAINTY = new Set(['interval', 'reason', 'se', 'effectiveN', 'omnibus', 'effect'])

/**
 * Figures whose definition changed since then: the mode is that of values rounded to six digits, and a duration
 * includes the time of waiting.
 */
const REDEFINED = new Set(['mode', 'duration_seconds'])

/** The paired t interval is wider now if few cases carry the difference. Its name says so. */
const withoutWidening = (text: string): string => text.replaceAll(', widened for skewness', '')

/** Returns a report without the uncertainty of its figures, and without redefined figures. */
const estimatesOf = (report: unknown): unknown =>
  JSON.parse(
    withoutWidening(
      JSON.stringify(report, (key, value: unknown) =>
        UNCERTAINTY.has(key) || REDEFINED.has(key) ? undefined : value,
      ),
    ).replaceAll(/ \([−\d.]+ to [−\d.]+\)/g, ''),
  )

/** Returns a report with the old names of integrity, the only names in report.json that have changed. */
const withFirstNames = (report: unknown): unknown =>
  JSON.parse(
    JSON.stringify(report)
      .replaceAll('"isolated":', '"values":')
      .replaceAll('"in-process":', '"inventory":'),
  )

async function compared(flags: CompareFlags): Promise<unknown> {
  const output = keptOutput()
  await compareCommand({ ...flags, format: 'json' }, output)
  return JSON.parse(output.printed().replaceAll(`${recorded}/`, ''))
}
