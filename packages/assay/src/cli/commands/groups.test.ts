/**
 * Groups and metadata of cases, from the suite's file to every output: the record of the run, the report in each format,
 * the comparison and its gate. Runs are simulated and stay in this process.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import picocolors from 'picocolors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeCase, fakeSubject, fakeSuite, saying } from '../../../test/fakes.ts'
import { rewriteRecord } from '../../../test/rewrite-run.ts'
import {
  compareReports,
  renderMarkdown as comparedMarkdown,
  renderText,
} from '../../compare/index.ts'
import { readRecord } from '../../log/index.ts'
import {
  formatNamed,
  readRun,
  renderReport,
  withBreakdowns,
  type Report,
  type ReportSource,
} from '../../report/index.ts'
import { run } from '../../run/index.ts'

const GROUPS = ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'c', null]
const root = mkdtempSync(join(tmpdir(), 'assay-groups-'))
const colors = picocolors.createColors(false)

/** Group a always passes, b never does, c and the case without a group pass every second time. */
const isRight = (id: string, index: number, moved: boolean): boolean =>
  id.startsWith('a') || (moved && id.startsWith('b')) || (!id.startsWith('b') && index % 2 === 0)

const suite = (grouped: boolean) =>
  fakeSuite(
    GROUPS.map((group, i) =>
      fakeCase(`${group ?? 'free'}${i}`, {
        tags: group === null ? [] : [`tag-${i % 3}`, 'any'],
        ...(group === null || !grouped ? {} : { group: `repo-${group}` }),
        ...(group === null ? {} : { metadata: { size: i % 3, hard: i > 4 } }),
      }),
    ),
  )

async function made(name: string, grouped: boolean, moved = false): Promise<string> {
  const folder = join(root, name)
  await run({
    suites: [suite(grouped)],
    subjects: [
      fakeSubject(({ case: one, index }) =>
        saying(isRight(one.id, index, moved) ? 'right' : 'wrong'),
      ),
    ],
    folder,
    trials: 4,
  })
  return folder
}

let grouped: ReportSource
let free: Report
let moved: Report

beforeAll(async () => {
  grouped = await readRun(await made('grouped', true))
  free = (await readRun(await made('free', false))).report
  moved = (await readRun(await made('moved', true, true))).report
})
afterAll(() => rmSync(root, { recursive: true }))

async function written(format: string, source: ReportSource): Promise<string> {
  let text = ''
  await formatNamed(format).write(source, (piece) => {
    text += piece
  })
  return text
}

const FEW =
  '10 cases in only 4 groups, of which 1 is a case without a group: intervals and tests for cases like these count groups, not cases, so intervals are wide'

describe('cases in groups', () => {
  it('have their group in the record of the run, and in no hash', () => {
    const cases = readRecord(join(root, 'grouped')).revisions[0]?.suites[0]?.cases ?? []
    const without = readRecord(join(root, 'free')).revisions[0]?.suites[0]?.cases ?? []
    expect(cases.map(({ group }) => group ?? null)).toEqual(
      GROUPS.map((group) => (group === null ? null : `repo-${group}`)),
    )
    expect(cases.map(({ hash }) => hash)).toEqual(without.map(({ hash }) => hash))
    expect(JSON.stringify(without)).not.toContain('group')
  })

  it('keep their figures and their interval for exactly these cases, and widen the other', () => {
    const [own] = grouped.report.subjects
    const [other] = free.subjects
    expect(own?.passRate.value).toBe(other?.passRate.value)
    expect(own?.fixed).toEqual(other?.fixed)
    expect(own?.groups).toEqual({ count: 4, grouped: 9, alone: 1 })
    expect(other?.groups).toBeUndefined()
    expect(own?.passRate.groups).toBe(4)
    for (const of of ['passRate', 'meanScore'] as const) {
      const [wide, narrow] = [own?.[of].interval, other?.[of].interval]
      expect((wide?.high ?? 0) - (wide?.low ?? 0)).toBeGreaterThan(
        (narrow?.high ?? 0) - (narrow?.low ?? 0),
      )
    }
  })

  it('are reported to be few in every format', async () => {
    expect(grouped.report.notes).toContain(FEW)
    expect(free.notes.join()).not.toContain('group')
    expect(renderReport(grouped.report, { width: 200, colors })).toContain(FEW)
    expect(await written('markdown', grouped)).toContain('10 cases in only 4 groups')
    expect(await written('html', grouped)).toContain('10 cases in only 4 groups')
    expect(await written('json', grouped)).toContain('10 cases in only 4 groups')
    expect((await written('csv', grouped)).split('\n')[1]).toContain('repo-a')
  })

  it('read as before if the record has none', async () => {
    const folder = await made('old', true)
    rewriteRecord(folder, (record) => ({
      ...record,
      revisions: record.revisions.map((one) => ({
        ...one,
        suites: one.suites.map((each) => ({
          ...each,
          cases: each.cases.map(({ id, hash, trials }) => ({ id, hash, trials })),
        })),
      })),
    }))
    const [row] = (await readRun(folder)).report.subjects
    expect(row?.groups).toBeUndefined()
    expect(row?.passRate).toEqual(free.subjects[0]?.passRate)
  })

  it('count in the comparison for cases like these, and not for exactly these', () => {
    const options = { target: 'population', gate: 'statistical' } as const
    const [pair] = compareReports(grouped.report, moved, options).pairs
    expect(pair?.groups).toBe(4)
    expect(pair?.metrics[0]).toMatchObject({
      verdict: 'inconclusive',
      reason: 'fewer than 5 independent groups of cases',
      interval: { method: 'paired t over groups, widened for skewness' },
    })
    expect(pair?.tests.averageChanged.method).toBe('paired t over groups, widened for skewness')
    // One of four groups changed: flipping its sign gives as much in half of all patterns or more.
    expect(pair?.tests.averageChangedExact).toEqual({
      p: 1,
      method: 'sign-flip over groups, exact',
    })
    const fixed = compareReports(grouped.report, moved).pairs[0]
    const same = compareReports(free, moved).pairs[0]
    expect(fixed?.metrics[0]?.interval).toEqual(same?.metrics[0]?.interval)
    expect(fixed?.tests.anythingChanged).toEqual(same?.tests.anythingChanged)
  })

  it('are told by the comparison, as are groups that only one side has', () => {
    const comparison = compareReports(grouped.report, moved, { target: 'population' })
    const said = 'They come in only 4 groups'
    expect(renderText(comparison, { width: 200, colors })).toContain(said)
    expect(comparedMarkdown(comparison)).toContain(said)
    expect(comparison.warnings.join()).not.toContain('another group')
    expect(compareReports(free, moved).warnings).toContain(
      '9 cases of another group than in the baseline: the groups of the current run are used where it has them',
    )
  })
})

describe('figures by a key', () => {
  const by = (...keys: string[]): ReportSource => ({
    ...grouped,
    report: withBreakdowns(grouped.report, keys),
  })

  it('are those of the cases with each value alone', () => {
    const [size] = by('size').report.by ?? []
    expect(
      size?.rows.map(({ value, cases, passed, scored }) => [value, cases, passed, scored]),
    ).toEqual([
      ['0', 3, 6, 12],
      ['1', 3, 6, 12],
      ['2', 3, 6, 12],
    ])
    // Each size has one case of each group, so no two of its cases share a group.
    expect(size?.rows[0]?.passRate.groups).toBeUndefined()
    expect(size?.notes).toEqual(['1 of 10 cases without size: in no row'])
    const [hard] = by('hard').report.by ?? []
    expect(hard?.rows.map(({ value, cases, passRate }) => [value, cases, passRate.groups])).toEqual(
      [
        ['false', 5, 2],
        ['true', 4, 2],
      ],
    )
  })

  it('equal the figures of the whole if every case has the same value', () => {
    const any = by('tag').report.by?.[0]?.rows.find(({ value }) => value === 'any')
    const only = grouped.report.subjects[0]
    expect(any?.cases).toBe(9)
    expect(any?.costPerPass.reason).toBe(only?.cost.perPass.reason)
    expect(any?.passRate.value).toBeCloseTo(0.5, 12)
  })

  it('count a case in each of its tags, and say so', () => {
    const [tag] = by('tag').report.by ?? []
    expect(tag?.rows.map(({ value }) => value)).toEqual(['any', 'tag-0', 'tag-1', 'tag-2'])
    expect(tag).toMatchObject({ without: 1, several: 9 })
    expect(tag?.notes).toEqual([
      '1 of 10 cases without a tag: in no row',
      '9 cases with more than one tag, counted in the row of each',
    ])
  })

  it('are in every format, with intervals', async () => {
    const source = by('tag', 'group')
    const terminal = renderReport(source.report, { width: 100, colors })
    expect(terminal).toMatch(/by tag +cases +groups +passed +pass rate/)
    // A row of one group has the interval for exactly these cases, with a mark.
    expect(terminal).toMatch(/repo-a +3 +12\/12 +100% \(\d+–100\)\*/)
    const narrow = renderReport(source.report, { width: 50, colors })
    expect(narrow).toContain('Left out for want of room: mean score')
    const markdown = await written('markdown', source)
    expect(markdown).toContain('### By `tag`')
    expect(markdown).toMatch(/\| `tag-0` \| .* \| 6\/12 \| 50% \(\d+–\d+\) \|/)
    expect(JSON.parse(await written('json', source)).by).toHaveLength(2)
    expect(await written('html', source)).toContain('"key":"tag"')
    const [head = '', first = ''] = (await written('csv', source)).split('\n')
    expect(head).toContain(',group,by_tag')
    expect(first).toContain(',repo-a,tag-0; any')
    expect((await written('cases', source)).split('\n')[0]).toContain(',group,by_tag')
    expect(await written('junit', source)).toMatch(
      /<property name="by\.tag\.tag-0\.passRate" value="0\.5 \(0\.\d+ to 0\.\d+, 95 % interval\)"\/>/,
    )
    const [sarifRun] = JSON.parse(await written('sarif', source)).runs
    expect(sarifRun.properties.by).toEqual(JSON.parse(await written('json', source)).by)
  })

  it('are refused for a key that no case has', () => {
    expect(() => by('sise')).toThrow('--by sise: no case has it; did you mean size?')
    expect(() => by('colour')).toThrow('there is tag, group, size, hard')
    const bare = { ...free, subjects: free.subjects.map((row) => ({ ...row, cases: [] })) }
    expect(() => withBreakdowns(bare, ['tag'])).toThrow('no case has tags, a group or metadata')
  })

  it('are compared row by row, adjusted for one another', () => {
    const comparison = compareReports(grouped.report, moved, { by: ['group'], target: 'fixed' })
    const [group] = comparison.by ?? []
    expect(group?.rows.map(({ value, cases, change }) => [value, cases, change.change])).toEqual([
      ['repo-a', 3, 0],
      ['repo-b', 3, 1],
      ['repo-c', 3, 0],
    ])
    const [, better] = group?.rows ?? []
    expect(better?.change.adjustedP).toBeGreaterThan(better?.change.p ?? 1)
    expect(renderText(comparison, { width: 100, colors })).toMatch(/repo-b +3 +1 +\+1\.000/)
    expect(comparedMarkdown(comparison)).toContain('### By <code>group</code>')
    expect(compareReports(grouped.report, moved).by).toBeUndefined()
  })
})
