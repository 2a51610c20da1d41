/**
 * Logs, records, reports and baselines that an earlier version wrote give the same figures as they gave then.
 *
 * `recorded` holds runs of commit 0717748, the last before the modules were arranged anew: texts by two subjects,
 * code in three languages, tiers, two judges, and commands in a workspace. Each has the report.json that this commit
 * made of it, and the comparisons that it printed. All of it is version 1. Nothing in it is ever written again: where
 * a test here fails, the code is wrong, or a new version of a format needs a reader for this one.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareCommand, type CompareFlags } from '../packages/assay/src/cli/commands/compare.ts'
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
    expect(withFirstNames(asThen(report))).toEqual(then)
  })

  it.each(RUNS)('has a report.json that is read as today’s: %s', async (run) => {
    const { report } = await readRun(at(run))
    expect(readReportFile(at(run, 'report.json'))).toEqual(asThen(report))
  })

  it.each(['text', 'code', 'tiers', 'judge', 'agent'])(
    'is of the cases that its suite has today: %s',
    async (run) => {
      const { suite: read } = await loadSuite(at(run, 'suite.toml'))
      // Its judges were those of a settings file.
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
    expect(figuresOf(await compared(flags))).toEqual(figuresOf(jsonOf('compare-baseline.json')))
  })

  it('of two reports that an earlier version wrote is the same', async () => {
    const flags = {
      baseline: at('text', 'report.json'),
      current: at('text-later', 'report.json'),
      gate: 'statistical',
    } as const
    expect(figuresOf(await compared(flags))).toEqual(figuresOf(jsonOf('compare-reports.json')))
  })
})

/** Cases of a subject that only one side has are no longer listed as new, and the warnings name that subject. */
const figuresOf = (comparison: unknown): object => {
  const { new_cases: _new, warnings: _warnings, ...figures } = comparison as Record<string, unknown>
  return figures
}

/** Without what is said today about a log of version 1, which is no figure: that it has no checksums. */
function asThen(report: Report): Report {
  const { checked, ...log } = report.provenance.log
  expect(checked).toBe(false)
  const notes = report.notes.filter((note) => !note.includes('no checksums'))
  expect(notes).toHaveLength(report.notes.length - 1)
  return { ...report, notes, provenance: { ...report.provenance, log } }
}

/** A report with the names that integrity had then: the only names of report.json that have changed. */
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
