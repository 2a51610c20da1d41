import { krippendorffAlpha } from '@assay/metrics'
import { afterAll, expect, it } from 'vitest'
import { resultFolder } from '../../../test/result-rows.ts'
import { reportSchema, type Report } from '../../report/index.ts'
import { analyze, type AnalyzeOptions } from '../analyze.ts'

const { write, folder, remove } = resultFolder()
afterAll(remove)

const RUNS = ['run_id,tier,subtest,run_number,passed']
const JUDGES = ['tier,subtest,run_number,judge_model,judge_score,judge_passed']
const CRITERIA = ['run_id,judge,criterion,score']
/** The scores of three judges for each run. */
const SCORES: number[][] = [[], [], []]
const STYLE: number[][] = [[], [], []]
for (let i = 0; i < 24; i++) {
  const [tier, one, run] = [`T${i % 2}`, `s${Math.floor(i / 4)}`, 1 + (Math.floor(i / 2) % 2)]
  RUNS.push(`r${i},${tier},${one},${run},${i % 3 === 0 ? 0 : 1}`)
  for (const [judge, name] of ['a', 'b', 'c'].entries()) {
    const score = ((i * 7 + judge * (judge === 2 ? i : 1)) % 10) / 10
    const style = ((i * 3 + judge * i) % 5) / 4
    SCORES[judge]?.push(score)
    STYLE[judge]?.push(style)
    JUDGES.push(`${tier},${one},${run},${name},${score},${score >= 0.5}`)
    CRITERIA.push(`r${i},${name},style,${style}`)
  }
}

async function joined(
  tables: readonly (readonly string[])[],
  options?: AnalyzeOptions,
): Promise<Report> {
  const { report } = await analyze(
    tables.map((lines) => write(lines.join('\n'))),
    options,
  )
  return reportSchema.parse(report)
}

const refusal = (...args: Parameters<typeof joined>): Promise<string> =>
  joined(...args).then(
    () => 'not refused',
    (error: Error) => error.message.replaceAll(folder, ''),
  )

it('agreement is that of the joined marks: of all, of each judge, of each criterion', async () => {
  const report = await joined([RUNS, JUDGES, CRITERIA])
  expect(report.counts.planned).toBe(24)
  const [judging] = report.judging ?? []
  expect(judging?.judges.map(({ judge, n }) => [judge, n])).toEqual([
    ['a', 24],
    ['b', 24],
    ['c', 24],
  ])
  const { alpha, criteria = [], withOthers = [] } = judging?.agreement ?? {}
  expect(alpha?.value).toBeCloseTo(krippendorffAlpha(SCORES, 'interval') as number, 12)
  expect(alpha?.interval?.low).toBeLessThan(alpha?.value as number)
  expect(alpha?.interval?.high).toBeGreaterThan(alpha?.value as number)
  expect(criteria.map(({ criterion }) => criterion)).toEqual(['style'])
  expect(criteria[0]?.alpha.value).toBeCloseTo(krippendorffAlpha(STYLE, 'interval') as number, 12)
  const [a = [], b = [], c = []] = SCORES
  const others = a.map((x, i) => (x + (b[i] as number)) / 2)
  expect(withOthers[2]?.alpha.value).toBeCloseTo(
    krippendorffAlpha([c, others], 'interval') as number,
    12,
  )
  expect(report.notes.join('\n')).toMatch(/judges of results: criterion style: alpha /)
  expect(report.reading?.map(({ kind }) => kind)).toEqual([
    'CSV',
    'judgments',
    'judgments by criterion',
  ])
})

it('the order of files and rows does not matter, and a flag can name the judgments', async () => {
  const [head = '', ...rows] = JUDGES
  const first = await joined([RUNS, JUDGES])
  const other = await joined([[head, ...rows.toReversed()], RUNS])
  expect(other.judging).toEqual(first.judging)
  const path = write(JUDGES.join('\n'))
  const named = await analyze([write(RUNS.join('\n'))], { judgments: [path] })
  expect(named.report.judging).toEqual(first.judging)
})

it('judgments as JSON lines are joined in the same way', async () => {
  const keys = JUDGES[0]?.split(',') ?? []
  const lines = JUDGES.slice(1).map((row) =>
    JSON.stringify(Object.fromEntries(row.split(',').map((cell, i) => [keys[i], cell]))),
  )
  expect((await joined([RUNS, lines])).judging).toEqual((await joined([RUNS, JUDGES])).judging)
})

it('judgments of no run are left out and counted; most of them are a wrong key', async () => {
  const stray = 'T0,s99,1,a,0.5,True'
  const report = await joined([RUNS, [...JUDGES, stray]])
  expect(report.notes.join('\n')).toContain('1 judgment left out, as it belongs to no run')
  expect(report.judging).toEqual((await joined([RUNS, JUDGES])).judging)
  const wrong = CRITERIA.map((row, i) => (i === 0 ? row : `x${row}`))
  expect(await refusal([RUNS, wrong])).toMatch(/72 of 72 judgments belong to no run.*--run/)
})

it('runs that cannot be told apart are refused with the flag that tells them', async () => {
  const bare = (lines: readonly string[]): string[] =>
    lines.map((row) => row.split(',').toSpliced(2, 1).join())
  const runs = RUNS.map((row) => row.split(',').toSpliced(3, 1).slice(1).join())
  expect(await refusal([runs, bare(JUDGES)])).toMatch(/not clear which one was judged.*--run/)
})

it('the same judge twice is two judges, and a judgment that is not valid is none', async () => {
  const twice = [...JUDGES, ...JUDGES.slice(1).filter((row) => row.includes(',a,'))]
  const report = await joined([RUNS, twice])
  expect(report.judging?.[0]?.judges.map(({ judge }) => judge)).toEqual(['a', 'a (2)', 'b', 'c'])
  const valid = JUDGES.map((row, i) => `${row},${i === 0 ? 'is_valid' : i !== 1}`)
  expect((await joined([RUNS, valid])).judging?.[0]?.judges[0]).toMatchObject({ judge: 'a', n: 23 })
})

it('the mean score of the judges is the implementation rate where the runs have none', async () => {
  const report = await joined([RUNS, JUDGES])
  const rate = report.subjects[0]?.spec.statistics?.impl_rate
  const means =
    SCORES[0]?.map((a, i) => (a + (SCORES[1]?.[i] ?? 0) + (SCORES[2]?.[i] ?? 0)) / 3) ?? []
  const own = means.filter((_, i) => i % 2 === 0)
  expect(rate?.mean).toBeCloseTo(own.reduce((sum, x) => sum + x, 0) / own.length, 12)
  expect(report.notes.join()).toContain('the mean score of the judges of a run is taken')
  const scaled = JUDGES.map((row, i) => (i === 1 ? row.replace(/,[\d.]+,(\w+)$/, ',5,$1') : row))
  const other = await joined([RUNS, scaled])
  expect(other.subjects[0]?.spec.statistics?.impl_rate).toBeNull()
  expect(other.notes.join()).toContain('they are not taken as implementation rates')
})

it('rows of several judges for one run are no trials', async () => {
  const rows = JUDGES.map((row) => row.replace('judge_passed', 'passed'))
  expect(await refusal([rows])).toMatch(/a row is a judgment.*--judgments.*--judge none/)
  expect((await joined([rows], { judge: 'none', index: 'none' })).counts.planned).toBe(72)
})
