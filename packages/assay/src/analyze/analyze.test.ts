import { join } from 'node:path'
import { codeScore } from '@assay/metrics'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { resultFolder } from '../../test/result-rows.ts'
import type { Trial } from '@assay/contract'
import { casesCsv, csv } from '../report/formats/csv.ts'
import { reportSchema } from '../report/index.ts'
import { disclosuresOf } from '../report/figures/disclosures.ts'
import { analyze, readForeignReport, type Analysis, type AnalyzeOptions } from './analyze.ts'

const { folder, write: writeText, remove } = resultFolder()
afterAll(remove)

const write = (lines: readonly string[], name?: string): string => writeText(lines.join('\n'), name)

async function analyzed(lines: readonly string[], options?: AnalyzeOptions): Promise<Analysis> {
  const analysis = await analyze([write(lines)], options)
  // Every result of `analyze` must match the report schema.
  reportSchema.parse(analysis.report)
  return analysis
}

async function trialsOf(analysis: Analysis): Promise<Trial[]> {
  const trials: Trial[] = []
  await analysis.trials((trial) => trials.push(trial))
  return trials
}

describe('a tier experiment', () => {
  const header = 'tier,subtest,run_number,passed,impl_rate,cost_usd,duration_seconds'
  // The composite scores are 0.70, 0.80, 0.85 and 0.90, as in the third example of metrics-formulas.
  const rows = ['T0,s,1,1,0.4,1,10', 'T1,s,1,1,0.6,2,20', 'T2,s,1,1,0.7,3,30', 'T10,s,1,1,0.8,5,40']

  it('has its uplift over T0, its variances and its cost delta', async () => {
    const { report } = await analyzed([header, ...rows.toReversed()])
    expect(report.tiers).toHaveLength(1)
    const [tiers] = report.tiers
    expect(tiers).toMatchObject({ baseline: 'T0', order: ['T0', 'T1', 'T2', 'T10'] })
    expect(tiers?.tier_uplift.map((uplift) => uplift?.toFixed(3))).toEqual([
      '0.000',
      '0.143',
      '0.214',
      '0.286',
    ])
    expect(tiers?.pass_rate_variance).toBe(0)
    expect(tiers?.cost_delta).toBe(4)
    expect(tiers?.cost_variance).toBe(2.1875)
    const t0 = report.subjects.find(({ subject }) => subject === 'T0')
    expect(t0?.spec.statistics?.duration_seconds?.median).toBe(10)
    expect(t0?.spec.statistics?.composite?.median).toBe(0.7)
  })

  it('takes another baseline, another order, and names for tiers that are called otherwise', async () => {
    const named = [header.replace('tier', 'subject'), ...rows].map((row) =>
      row.replace('T0', 'plain'),
    )
    expect((await analyzed(named)).report.tiers).toEqual([])
    const { report } = await analyzed(named, { tiers: ['plain', 'T2', 'T1'], baseline: 'T1' })
    expect(report.tiers[0]).toMatchObject({ baseline: 'T1', order: ['plain', 'T2', 'T1'] })
    await expect(analyzed(named, { baseline: 'plian' })).rejects.toThrow(/did you mean "plain"/)
  })

  it('knows nothing of costs where one is missing, and never takes it for zero', async () => {
    const { report } = await analyzed([header, ...rows, 'T0,s,2,1,0.4,,'])
    const t0 = report.subjects.find(({ subject }) => subject === 'T0')
    expect(t0?.cost).toMatchObject({ totalUsd: null, unknown: 1 })
    expect(t0?.spec.statistics?.cost_usd).toBeNull()
    expect(t0?.spec.statistics?.duration_seconds).toBeNull()
    expect(t0?.latency.meanMs).toBe(10_000)
    expect(report.tiers[0]?.cost_delta).toBeNull()
  })

  it('keeps the same tier of two models apart', async () => {
    const both = ['a', 'b'].flatMap((model) => rows.map((row) => `${row},${model}`))
    const { report } = await analyzed([`${header},agent_model`, ...both])
    expect(report.subjects.map(({ subject }) => subject)).toContain('b / T10')
    expect(report.counts.planned).toBe(8)
  })
})

describe('rows', () => {
  const header = 'suite,subject,case,index,passed,score'

  it('of one identity: the last counts, across files too, and how many were replaced is said', async () => {
    const first = write([header, 's,m,c,1,0,0', 's,m,c,2,1,1', 's,m,c,2,0,0.25'])
    const second = write([header, 's,m,c,1,1,0.75'])
    const { report } = await analyze([first, second])
    expect(report.counts).toMatchObject({ planned: 2, passed: 1, failed: 1 })
    expect(report.subjects[0]?.meanScore.value).toBe(0.5)
    expect(report.provenance.log.replaced).toBe(2)
    expect(report.notes.join()).toContain('2 rows replaced')
    const reversed = await analyze([second, first])
    expect(reversed.report.counts).toMatchObject({ planned: 2, passed: 0, failed: 2 })
  })

  it('without an index are all trials, numbered in their order', async () => {
    const analysis = await analyzed(['case,passed', 'c,1', 'c,1', 'c,0'])
    expect(analysis.report.counts.planned).toBe(3)
    expect((await trialsOf(analysis)).map(({ index, outcome }) => [index, outcome])).toEqual([
      [0, 'passed'],
      [1, 'passed'],
      [2, 'failed'],
    ])
  })

  it('may be more for one subject than for another, and nothing is cancelled for it', async () => {
    const { report } = await analyzed([header, 's,a,c,0,1,1', 's,a,c,1,1,1', 's,b,d,7,0,0'])
    expect(report.counts).toMatchObject({ planned: 3, cancelled: 0 })
    expect(report.subjects.map(({ subject, counts }) => [subject, counts.planned])).toEqual([
      ['a', 2],
      ['b', 1],
    ])
  })

  it('of a suite list only the subjects that it has', async () => {
    const { report } = await analyzed([header, 's,a,c,0,1,1', 't,b,c,0,1,1'])
    expect(report.subjects.map(({ suite, subject }) => [suite, subject])).toEqual([
      ['s', 'a'],
      ['t', 'b'],
    ])
  })

  it('give the same report in any order', async () => {
    const rows = ['a', 'b'].flatMap((subject) =>
      ['c1', 'c10', 'c2'].flatMap((one) =>
        [1, 2, 3].map(
          (index) => `s,${subject},${one},${index},${(index + one.length) % 2},0.${index}`,
        ),
      ),
    )
    const { report } = await analyzed([header, ...rows])
    const bare = ({
      run: _run,
      provenance: _provenance,
      reading = [],
      ...rest
    }: typeof report) => ({
      ...rest,
      reading: reading.map(({ path: _path, ...one }) => one),
    })
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(rows, { minLength: rows.length }), async (shuffled) => {
        expect(bare((await analyzed([header, ...shuffled])).report)).toEqual(bare(report))
      }),
      { numRuns: 20 },
    )
    expect(report.subjects[0]?.cases.map((one) => one.case)).toEqual(['c1', 'c2', 'c10'])
  })

  it('without scores count 1 and 0, and that is said', async () => {
    const { report } = await analyzed(['case,passed', 'c,1', 'c,0'])
    expect(report.subjects[0]?.meanScore.value).toBe(0.5)
    expect(report.notes).toContain('there are no scores: a pass counts 1 and a failure 0')
  })

  it('are not judged by a threshold or a highest score that none can be', async () => {
    const scores = ['case,score', 'c,8']
    expect((await analyzed(scores, { scoreMax: 10, threshold: 0.8 })).report.counts.passed).toBe(1)
    await expect(analyzed(scores, { scoreMax: 0 })).rejects.toThrow(/above 0/)
    await expect(analyzed(scores, { threshold: 8 })).rejects.toThrow(/from 0 to 1/)
  })

  it('too spread out to compare are refused', async () => {
    const rows = Array.from({ length: 2000 }, (_, i) => `s,${i},${i},0,1,1`)
    await expect(analyzed([header, ...rows])).rejects.toThrow(/2,000 cases and 2,000 subjects/)
  })
})

describe('a report of results from elsewhere', () => {
  it('names its files and their hashes, and calls nothing live', async () => {
    const analysis = await analyzed(['case,passed', 'c,1'])
    const { provenance, subjects } = analysis.report
    expect(provenance.origin).toMatch(/\d+\.csv \(sha256 [\da-f]{64}\), which Assay did not run$/)
    expect(subjects.map(({ source }) => source)).toEqual(['replay'])
    expect((await trialsOf(analysis)).map(({ source }) => source)).toEqual(['replay'])
  })

  it('of an eval-set report recomputes scores and code figures', async () => {
    const result = (model: string, success: boolean, passed: number, failed: number): object => ({
      case_id: 'c',
      model,
      provider: 'p',
      compilation: { success },
      test_execution: { passed, failed },
      clippy: { warning_count: 1 },
      attempt: 1,
    })
    const document = {
      eval_set: { id: 'e' },
      results: [result('m', true, 4, 0), result('n', true, 1, 3), result('o', false, 0, 0)],
    }
    const path = write([JSON.stringify(document, null, 2)], 'eval.json')
    const report = await readForeignReport(path)
    expect(report?.subjects.map(({ meanScore }) => meanScore.value)).toEqual([
      codeScore({ compiled: true, passed: 4, failed: 0, warnings: 1 }),
      codeScore({ compiled: true, passed: 1, failed: 3, warnings: 1 }),
      0,
    ])
    expect(report?.subjects.map(({ code }) => code?.testPassRate.value)).toEqual([1, 0.25, 0])
    expect(report?.subjects.map(({ code }) => code?.compilationRate.value)).toEqual([1, 1, 0])
    expect(report?.subjects.map(({ counts }) => counts.passed)).toEqual([1, 0, 0])
    expect(await readForeignReport(write(['case,passed', 'c,1']))).toBeNull()
    expect(await readForeignReport(join(folder, 'none.json'))).toBeNull()
  })

  it('of trial results knows which graders failed, and what was not run', async () => {
    const record = (trialIndex: number, status: string, passed: boolean): string =>
      JSON.stringify({
        type: 'trial-result',
        evalName: 'skill',
        variant: 'v',
        stimulus: 'st',
        model: 'm',
        trialIndex,
        status,
        durationMs: 5,
        gradeResult: { score: Number(passed), passed, details: [{ name: 'g', score: 0, passed }] },
      })
    const { report } = await analyzed([
      record(0, 'success', true),
      record(1, 'success', false),
      record(2, 'skipped', false),
      record(3, 'error', false),
    ])
    expect(report.counts).toEqual({
      planned: 4,
      passed: 1,
      failed: 1,
      unscored: 0,
      errored: 1,
      cancelled: 1,
    })
    const [row] = report.subjects
    expect(row?.subject).toBe('v')
    expect(row?.cases[0]?.failedGraders).toEqual([{ name: 'g', failed: 1, of: 2 }])
    expect(row?.spec.skill?.stimulusScores[0]?.flaky).toBe(true)
  })

  it('is shown as it is where the file is a report of Assay', async () => {
    const { report } = await analyzed(['case,passed', 'c,1'])
    const path = write([JSON.stringify(report)], 'own.json')
    expect((await analyze([path])).report).toEqual(report)
    await expect(analyze([path, path])).rejects.toThrow(/is a report and has no rows/)
  })

  it('is refused where a report of Assay contradicts itself', async () => {
    const { report } = await analyzed(['case,subject,passed', 'c,m,1', 'd,m,0', 'c,n,1'])
    const [row, ...others] = report.subjects
    const [one, ...more] = row?.cases ?? []
    if (row === undefined || one === undefined) throw new Error('no case')
    const withCases = (...cases: (typeof one)[]): typeof report => ({
      ...report,
      subjects: [{ ...row, cases }, ...others],
    })
    const counts = { ...one.counts, passed: 99 }
    const damaged: [typeof report, RegExp][] = [
      [withCases({ ...one, c: 99 }, ...more), /more passes \(99\) than scored trials/],
      [withCases({ ...one, counts }, ...more), /do not add up to its 1 trial/],
      [withCases({ ...one, n: 2 }, ...more), /two different counts/],
      [withCases(one, one, ...more), /case "c" is there twice/],
      [withCases(...more), /not the sums of its cases/],
      [{ ...report, subjects: [row] }, /not the sums of its subjects/],
      [{ ...report, subjects: [] }, /it has no subjects/],
    ]
    for (const [value, message] of damaged)
      await expect(analyze([write([JSON.stringify(value)], 'bad.json')])).rejects.toThrow(message)
  })
})

it('Assay’s own table of cases is refused, whatever is mapped: its columns are counts', async () => {
  let text = ''
  const analysis = await analyzed(['case,subject,passed', 'c,m,1', 'd,m,', 'e,m,0'])
  await casesCsv.write(analysis, (more) => void (text += more))
  for (const options of [{}, { passed: 'passed' }, { score: 'mean_score', threshold: 0.5 }])
    await expect(analyzed([text], options)).rejects.toThrow(
      /is a table of cases: .* the CSV of the trials or the report\.json/,
    )
})

describe('trials of Assay', () => {
  const trial = (subject: string, source: string): string =>
    JSON.stringify({
      suite: 's',
      case: 'c',
      subject,
      index: 0,
      outcome: 'passed',
      score: 1,
      source,
    })
  const header = '{"assay":"trials","version":1,"run":"id"}'
  const sources = ({ report }: Analysis): unknown => [
    report.subjects.map(({ subject, source }) => [subject, source]),
    report.provenance.subjects.map(({ id, source }) => [id, source]),
  ]
  const told = [
    ['m', 'replay'],
    ['pretended', 'simulated'],
  ]

  it('that were simulated stay so, also as CSV, and nobody else is said to have run them', async () => {
    const lines = await analyzed([header, trial('m', 'live'), trial('pretended', 'simulated')])
    expect(sources(lines)).toEqual([told, told])
    expect((await trialsOf(lines)).map(({ source }) => source)).toEqual(['replay', 'simulated'])
    expect(disclosuresOf(lines.report).join('\n')).toMatch(
      /^SIMULATED: the answers of pretended .*\nANALYZED: computed from \S+ \(sha256 \w+\)$/,
    )
    let text = ''
    await csv.write(lines, (more) => void (text += more))
    const again = await analyzed([text])
    expect(sources(again)).toEqual([told, told])
    expect(again.report.provenance.origin).not.toContain('did not run')
  })

  it('beside files of others are told from them', async () => {
    const own = write([header, trial('m', 'live')], 'own.jsonl')
    const other = write(['case,passed', 'c,1'], 'other.csv')
    expect((await analyze([own, other])).report.provenance.origin).toMatch(
      /other\.csv \(sha256 \w+\), which Assay did not run, and from \S+own\.jsonl \(sha256 \w+\)$/,
    )
  })
})
