import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { changedLine, rewriteRecord } from '../../test/rewrite-run.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeSubject, fakeSuite, saying } from '../../test/fakes.ts'
import type { Trial } from '@assay/contract'
import { run } from '../run/index.ts'
import { readReportFile, readRun, summarize } from './read-run.ts'

let folder: string
let log: string

beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'assay-read-run-')), 'run')
  log = join(folder, 'trials.jsonl')
  await run({
    suites: [fakeSuite(2)],
    subjects: [fakeSubject(() => saying('right'))],
    folder,
    trials: 3,
  })
})

afterEach(() => rmSync(join(folder, '..'), { recursive: true }))

const lines = (): string[] => readFileSync(log, 'utf8').trimEnd().split('\n')

describe('a run that is read', () => {
  it('has the time of agents where the plan has one', async () => {
    expect((await readRun(folder)).report.provenance).not.toHaveProperty('agentTimeoutMs')
    rewriteRecord(folder, (record) => ({
      ...record,
      revisions: record.revisions.map((one) => ({ ...one, agentTimeoutMs: 1_800_000 })),
    }))
    expect((await readRun(folder)).report.provenance.agentTimeoutMs).toBe(1_800_000)
  })

  it('has the same brief report from the log and from what the run recorded', async () => {
    const again = join(folder, '..', 'again')
    const { recorded } = await run({
      suites: [fakeSuite(3)],
      subjects: [fakeSubject(({ random }) => saying(random() < 0.5 ? 'right' : 'wrong'))],
      folder: again,
      trials: 3,
    })
    if (recorded === null) throw new Error('the run recorded nothing')
    const { report } = await readRun(again, { brief: true, recorded })
    const brief = await readRun(again, { brief: true })
    expect(report).toEqual(brief.report)
    expect(brief.suites).toEqual((await readRun(again)).suites)
    // Only what belongs to single trials is left out.
    const whole = (await readRun(again)).report
    const rows = whole.subjects.map(({ spec, cases, ...rest }) => ({
      ...rest,
      cases: cases.map(({ runs: _runs, ...one }) => one),
      spec: {
        ...spec,
        skill: spec.skill && {
          ...spec.skill,
          stimulusScores: spec.skill.stimulusScores.map(({ trialResults: _all, ...one }) => one),
        },
      },
    }))
    expect(report).toEqual({ ...whole, subjects: rows })
    expect(report).not.toEqual(whole)
  })

  it('takes a line whose figures cannot be for damage, and says how many there are', async () => {
    const [head = '', first = '', second = '', ...rest] = lines()
    const cost = { answerUsd: -1, judgeUsd: null, spentUsd: 0 }
    const damaged = [head, changedLine(first, { score: 7 }), changedLine(second, { cost }), ...rest]
    writeFileSync(log, `${damaged.join('\n')}\n`)
    const { report } = await readRun(folder)
    expect(report.provenance.log.damaged).toBe(2)
    expect(report.counts).toMatchObject({ planned: 6, cancelled: 2 })
  })

  it('gives every trial once, by its last line, and none of a case that has changed', async () => {
    const [, first = ''] = lines()
    appendFileSync(log, `${changedLine(first, { outcome: 'failed', score: 0 })}\n`)
    appendFileSync(log, `${changedLine(first, { caseHash: 'other' })}\n`)
    const source = await readRun(folder)
    const seen: Trial[] = []
    await source.trials((trial) => seen.push(trial))
    expect(seen).toHaveLength(6)
    expect(seen.filter(({ outcome }) => outcome === 'failed')).toHaveLength(1)
    expect(source.report.counts.failed).toBe(1)
    expect(source.report.provenance.log).toMatchObject({ replaced: 1, foreign: 1 })
  })

  it('knows isolated and in-process tests under their first names, in logs and reports', async () => {
    const code = (integrity: string) => ({
      grades: [
        { name: 'code', type: 'code', score: 1, passed: true, weight: 1, details: [], integrity },
      ],
    })
    rewriteRecord(
      folder,
      (record) =>
        JSON.parse(
          JSON.stringify(record).replaceAll('"hash":', '"code": true, "hash":'),
        ) as typeof record,
    )
    const [head = '', ...rest] = lines()
    const names = ['values', 'values', 'inventory', 'isolated', 'in-process', 'else']
    const written = rest.map((line, i) => changedLine(line, code(names[i] as string)))
    writeFileSync(log, `${[head, ...written].join('\n')}\n`)
    const source = await readRun(folder)
    const [subject] = source.report.subjects
    expect(subject?.code?.integrity).toEqual({ isolated: 3, 'in-process': 2 })
    const seen: (string | undefined)[] = []
    await source.trials(({ grades }) => seen.push(grades[0]?.integrity))
    expect(seen).toEqual(['isolated', 'isolated', 'in-process', 'isolated', 'in-process', 'else'])
    const path = join(folder, 'report.json')
    const today = JSON.stringify(source.report)
    const first = today.replace('{"isolated":3,"in-process":2}', '{"values":3,"inventory":2}')
    expect(first).not.toBe(today)
    for (const text of [today, first]) {
      writeFileSync(path, text)
      expect(readReportFile(path)).toEqual(source.report)
    }
  })

  it('is the same from its report.json, which is refused where it is damaged', async () => {
    const report = await summarize(folder)
    const path = join(folder, 'report.json')
    writeFileSync(path, JSON.stringify(report))
    expect(readReportFile(path)).toEqual(report)
    writeFileSync(path, JSON.stringify({ ...report, counts: { planned: -1 } }))
    expect(() => readReportFile(path)).toThrow(/is damaged: counts/)
    writeFileSync(path, JSON.stringify({ ...report, version: 2 }))
    expect(() => readReportFile(path)).toThrow('format version 2')
  })
})
