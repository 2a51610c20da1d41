/** What people meet first: odd values, keys of several columns, cases that are not shared, refusals with a flag. */
import pico from 'picocolors'
import { afterAll, describe, expect, it } from 'vitest'
import { fakeSource } from '../../test/fake-source.ts'
import { resultFolder } from '../../test/result-rows.ts'
import { written } from '../../test/written.ts'
import { junit } from '../report/formats/junit.ts'
import { renderMarkdown } from '../report/formats/markdown.ts'
import { reportSchema, type Report } from '../report/index.ts'
import { renderReport } from '../report/terminal/terminal.ts'
import { analyze, type AnalyzeOptions } from './analyze.ts'

const { write, folder, remove } = resultFolder()
afterAll(remove)

async function analyzed(lines: readonly string[], options?: AnalyzeOptions): Promise<Report> {
  const { report } = await analyze([write(lines.join('\n'))], options)
  reportSchema.parse(report)
  return report
}

const refusal = async (lines: readonly string[], options?: AnalyzeOptions): Promise<string> =>
  analyzed(lines, options).then(
    () => 'not refused',
    (error: Error) => error.message.replaceAll(folder, ''),
  )

describe('a value out of range', () => {
  const header = 'tier,subtest,run_number,passed,impl_rate,cost_usd'
  const rows = Array.from(
    { length: 1080 },
    (_, i) =>
      `T${i % 3},s${Math.floor(i / 3) % 36},${Math.floor(i / 108)},${i % 2},${i === 500 ? 1.028 : 0.5},${i === 7 ? -1 : 1}`,
  )

  it('is set aside with its line, and the row still counts', async () => {
    const report = await analyzed([header, ...rows])
    expect(report.counts).toMatchObject({ planned: 1080, passed: 540, failed: 540 })
    expect(report.reading?.[0]?.setAside).toEqual([
      { column: 'cost_usd', count: 1, first: ['9'], example: '-1' },
      { column: 'impl_rate', count: 1, first: ['502'], example: '1.028' },
    ])
    expect(report.notes.join('\n')).toContain(
      'impl_rate: 1 of 1,080 values set aside as unknown, not a number from 0 to 1: "1.028" in line 502; composites leave these rows out',
    )
  })

  it('leaves the composite of its tier to the other rows, unlike a rate that is missing', async () => {
    const report = await analyzed([header, ...rows])
    const blocks = report.subjects
      .toSorted((a, b) => (a.subject < b.subject ? -1 : 1))
      .map(({ spec }) => spec.statistics)
    expect(blocks.map((one) => one?.pass_rate.count)).toEqual([360, 360, 360])
    expect(blocks.map((one) => one?.composite?.count)).toEqual([360, 360, 359])
    expect(report.tiers[0]?.metrics?.map(({ metric }) => metric)).toContain('composite')
    const missing = rows.map((row, i) => (i === 500 ? row.replace('1.028', '') : row))
    const without = (await analyzed([header, ...missing])).subjects.toSorted((a, b) =>
      a.subject < b.subject ? -1 : 1,
    )
    expect(without.map(({ spec }) => spec.statistics?.composite?.count)).toEqual([
      360,
      360,
      undefined,
    ])
  })

  it('in most rows is another scale: the file is refused with the flag that says so', async () => {
    const percent = [
      'tier,subtest,passed,impl_rate',
      'T0,a,1,85',
      'T0,b,0,0',
      'T1,a,1,90',
      'T1,b,1,95',
    ]
    const message = await refusal(percent)
    expect(message).toContain('3 of 4 values are not a number from 0 to 1, such as "85" in line 2')
    expect(message).toContain('--impl-max 100')
    const report = await analyzed(percent, { implMax: 100 })
    const first = report.subjects.find(({ subject }) => subject === 'T0')
    expect(first?.spec.statistics?.impl_rate?.max).toBe(0.85)
    expect(await refusal(['case,passed,score', 'a,1,7', 'b,0,3'])).toContain('--score-max 10')
    expect(await refusal(['case,passed,cost', 'a,1,cheap', 'b,0,dear'])).toContain('--cost none')
  })
})

describe('columns', () => {
  it('several can name a case, and the reason is that the flag says so', async () => {
    const report = await analyzed(
      ['repo,issue,model,resolved', 'x,1,a,1', 'x,2,a,0', 'y,1,a,1', 'y,1,b,0'],
      { case: 'repo,issue' },
    )
    expect(report.subjects[0]?.cases.map((one) => one.case)).toEqual(['x / 1', 'x / 2', 'y / 1'])
    expect(report.reading?.[0]?.columns).toContainEqual({
      role: 'case',
      columns: ['repo', 'issue'],
      guessed: false,
      why: '--case says so',
    })
  })

  it('may name the group of a case, which is then the unit; a case in two groups is refused', async () => {
    const rows = Array.from({ length: 12 }, (_, i) => `c${i},g${i % 4},${i % 4 < 2 ? 1 : 0}`)
    const grouped = await analyzed(['case,group,passed', ...rows])
    const single = await analyzed(['case,group,passed', ...rows], { group: 'none' })
    const width = ({ subjects }: Report): number => {
      const { low = 0, high = 0 } = subjects[0]?.passRate.interval ?? {}
      return (high ?? 1) - low
    }
    expect(width(grouped)).toBeGreaterThan(width(single) * 1.2)
    expect(await refusal(['case,group,passed', 'a,g,1', 'a,h,1'])).toContain('--group')
  })

  it('that would pool different cases are not guessed', async () => {
    const message = await refusal(['repo,issue,model,resolved', 'x,1,a,1', 'x,2,a,0', 'y,1,a,1'])
    expect(message).toContain('or both together with --case repo,issue')
  })

  it('that number the rows are no cases and no trials', async () => {
    const rows = ['0,m,a,1', '1,m,b,0', '2,n,a,1', '3,n,b,1']
    const report = await analyzed(['index,model,task,passed', ...rows])
    expect(report.reading?.[0]?.unused).toEqual(['index'])
    expect(await refusal(['id,model,passed', '1,m,1', '2,m,0', '3,n,1'])).toContain('--case')
    expect((await analyzed(['id,passed', '1,1', '2,0'])).subjects[0]?.cases).toHaveLength(2)
  })

  it.each([
    ['row,model\n1,x', '--case'],
    ['case,points\na,0.5\nb,1', '--passed'],
    ['case,passed,total\na,3,5', '--passed'],
    ['case,passed\na,perhaps', '--passed'],
    ['case,passed\na,perhaps', '--skip-bad-rows'],
    ['case,passed\n,1', '--case'],
    ['case,case,passed\na,b,1', '--case'],
  ])('a refusal names a flag that helps: %j', async (text, flag) => {
    expect(await refusal(text.split('\n'))).toContain(flag)
  })

  it('rows that cannot be read are left out where the user says so, and that is said', async () => {
    const lines = ['case,passed', 'a,1', 'b,perhaps', 'c', 'd,0']
    expect(await refusal(lines)).toContain('2 rows cannot be read')
    const report = await analyzed(lines, { skipBadRows: true })
    expect(report.counts.planned).toBe(2)
    expect(report.notes.join()).toContain('2 rows left out, as they cannot be read')
    const one = await analyzed(['case,passed', 'a,1', 'b,perhaps', 'd,0'], { skipBadRows: true })
    expect(one.notes.join()).toContain('1 row left out, as it cannot be read')
  })
})

it('a row without a verdict is unscored, and no grader is blamed', async () => {
  const report = await analyzed(['model,task,passed', 'm,a,1', 'm,b,', 'n,a,0', 'n,b,1'])
  expect(report.headline?.sentence).toContain('1 unscored, as no verdict on them is given')
  expect(renderMarkdown(report)).not.toContain('grader')
  const xml = await written(junit, { ...fakeSource([]), report })
  expect(xml).toContain('<skipped>no verdict is given</skipped>')
})

describe('cases that tiers do not share', () => {
  const header = 'tier,task,passed,prompt'
  const tier = (name: string, from: number, word: string, passes: (i: number) => boolean) =>
    Array.from(
      { length: 12 },
      (_, i) => `${name},${from + i},${passes(i) ? 1 : 0},${word} ${from + i}`,
    )
  const compared = (report: Report) => report.tiers[0]?.metrics?.[0]?.differences[1]?.compared

  it('are compared as independent groups, and every format says so', async () => {
    const report = await analyzed([
      header,
      ...tier('T0', 1, 'do', (i) => i < 3),
      ...tier('T1', 100, 'do', (i) => i < 11),
    ])
    expect(compared(report)).toEqual({ as: 'independent', shared: 0, onlyA: 12, onlyB: 12 })
    const [metric] = report.tiers[0]?.metrics ?? []
    expect(metric?.pairs[0]?.test).toBe('independent groups, from the interval')
    expect(metric?.omnibus?.test).toContain('independent groups')
    expect(metric?.differences[1]?.population.interval?.low).toBeGreaterThan(0)
    expect(metric?.pairs[0]?.p).toBeLessThan(0.05)
    expect(report.tiers[0]?.notes?.join('\n')).toContain(
      'T1 with T0 is compared as independent groups, as they share no case (12 only of T0, 12 only of T1)',
    )
  })

  it('give the same difference in the first sentence, in its table and in the table of tiers', async () => {
    const report = await analyzed([
      header,
      ...tier('T0', 1, 'do', (i) => i % 2 === 0),
      ...tier('T1', 10, 'do', (i) => i > 1),
    ])
    expect(compared(report)).toEqual({ as: 'independent', shared: 3, onlyA: 9, onlyB: 9 })
    const [suite] = report.headline?.suites ?? []
    const [rival] = suite?.against ?? []
    const change = report.tiers[0]?.metrics?.[0]?.differences[1]
    expect(suite?.order).toEqual(['T1', 'T0'])
    expect(rival?.population).toEqual(change?.population)
    expect(rival?.fixed).toEqual(change?.fixed)
    expect([rival?.bestRate, rival?.rate]).toEqual([10 / 12, 1 / 2])
    expect(suite?.sentence).toContain('as independent groups: they share 3 of 12 and 12 cases')
    const said = [
      renderMarkdown(report),
      renderReport(report, { width: 200, colors: pico.createColors(false) }),
    ]
    for (const text of said) {
      expect(text).toContain('Differences are between independent groups of cases')
      expect(text).toContain('Points of pass rate, between independent groups of cases')
      expect(text).not.toContain('paired by case')
    }
  })

  it('are not paired by their numbers where the text says that they are others', async () => {
    const lines = [
      header,
      ...tier('T0', 1, 'sum', (i) => i < 3),
      ...tier('T1', 1, 'sort', (i) => i < 11),
    ]
    const report = await analyzed(lines)
    expect(compared(report)).toMatchObject({ as: 'independent', shared: 0 })
    expect(report.notes.join('\n')).toContain(
      'a case is another one for each subject: 12 of 12 cases of the same name have different texts ("prompt")',
    )
    expect(compared(await analyzed(lines, { unpaired: false }))).toMatchObject({ as: 'paired' })
  })

  it('are kept apart with --unpaired; shared ones are paired, and the number is said', async () => {
    const lines = [
      header,
      ...tier('T0', 1, 'sum', (i) => i < 3),
      ...tier('T1', 4, 'sum', (i) => i < 11),
    ]
    const report = await analyzed(lines)
    expect(compared(report)).toEqual({ as: 'paired', shared: 9, onlyA: 3, onlyB: 3 })
    expect(report.tiers[0]?.notes?.[0]).toContain('over the 9 cases that both have')
    expect(compared(await analyzed(lines, { unpaired: true }))).toMatchObject({
      as: 'independent',
      shared: 0,
    })
  })
})
