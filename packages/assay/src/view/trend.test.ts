/** The trend over runs: what is marked as a change is what the gate reports. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { random } from '@assay/metrics'
import { fakeCase, fakeSubject, fakeSuite, saying } from '../../test/fakes.ts'
import { rewriteRecord } from '../../test/rewrite-run.ts'
import { startViewing, type Viewing } from '../../test/view-server.ts'
import { compareReports } from '../compare/index.ts'
import { readRun, summarize } from '../report/index.ts'
import type { CaseHistory, Trend, TrendPoint, TrialPage } from '../report/view-data/index.ts'
import { run } from '../run/index.ts'

/** The pass rates of two subjects in five runs. The suite is edited before the fourth run, the settings before the last. */
const RATES = { steady: [0.8, 0.8, 0.8, 0.8, 0.8], moving: [0.9, 0.9, 0.4, 0.4, 0.95] } as const

let root: string
let viewing: Viewing
const folderOf = (i: number): string => join(root, 'runs', `r${i}`)

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-trend-'))
  const next = random(3)
  for (let i = 0; i < 5; i++) {
    const isEdited = i >= 3
    const cases = Array.from({ length: isEdited ? 22 : 20 }, (_, c) =>
      fakeCase(`c${c}`, isEdited && c < 2 ? { hash: `edited-${c}` } : {}),
    )
    const rates = Object.entries(RATES).map(([id, all]) => [id, all[i] ?? 0] as const)
    await run({
      suites: [fakeSuite(cases, { hash: isEdited ? 'second' : 'first' })],
      subjects: rates.map(([id, rate]) =>
        fakeSubject(() => saying(next() < rate ? 'right' : 'wrong'), {
          id,
          config: { temperature: i === 4 ? 1 : 0 },
        }),
      ),
      folder: folderOf(i),
      trials: 5,
    })
    // The runs of this test take less than a millisecond each, and their order must be certain.
    rewriteRecord(folderOf(i), (record) => ({
      ...record,
      createdAt: `2026-01-0${i + 1}T00:00:00.000Z`,
      commit: `${i}`.repeat(40),
    }))
  }
  viewing = await startViewing([join(root, 'runs')])
})
afterAll(async () => {
  await viewing.close()
  rmSync(root, { recursive: true, force: true })
})

const answer = async <T>(path: string): Promise<T> => (await viewing.ask(path)).json() as Promise<T>

async function settledTrend(): Promise<Trend> {
  viewing.store.list()
  await viewing.store.settled()
  await answer<Trend>('/api/trend')
  await viewing.store.settled()
  return answer<Trend>('/api/trend')
}

it('marks the changes that the gate reports, with what differs between the runs', async () => {
  const trend = await settledTrend()
  expect(trend).toMatchObject({ suites: ['suite'], suite: 'suite', pending: 0, others: 0 })
  const of = (subject: string): readonly TrendPoint[] =>
    trend.series.find((one) => one.subject === subject)?.points ?? []
  for (const subject of Object.keys(RATES)) {
    const points = of(subject)
    expect(points.map(({ run: one }) => one.commit?.[0])).toEqual(['0', '1', '2', '3', '4'])
    expect(points[0]?.change).toBeNull()
    for (let i = 1; i < 5; i++) {
      const [before, after] = [await summarize(folderOf(i - 1)), await summarize(folderOf(i))]
      const { gates } = compareReports(before, after, { gate: 'statistical' })
      const gate = gates.find((one) => one.subject === subject)
      expect(points[i]?.change?.verdict).toBe(gate?.verdict)
      const row = after.subjects.find((one) => one.subject === subject)
      expect(points[i]?.figure).toMatchObject({
        rate: row?.passRate.value,
        low: row?.passRate.interval?.low,
        high: row?.passRate.interval?.high,
      })
    }
  }
  const marks = (subject: string): (string | null)[] =>
    of(subject).map(({ change }) =>
      change?.verdict === 'regression' || change?.verdict === 'improvement' ? change.verdict : null,
    )
  expect(marks('moving')).toEqual([null, null, 'regression', null, 'improvement'])
  expect(marks('steady')).toEqual([null, null, null, null, null])
  // Two cases were edited and two are new: the rest is compared.
  expect(of('steady')[3]?.change).toMatchObject({ isEdited: true, cases: 18, leftOut: 4 })
  expect(of('steady')[4]?.change).toMatchObject({
    isEdited: false,
    parameters: [{ name: 'temperature', baseline: '0', current: '1' }],
  })
})

it('a run that did not end is shown, but no change is decided from it', async () => {
  const record = (how: 'complete' | 'interrupted'): void =>
    rewriteRecord(folderOf(4), (one) => ({ ...one, ended: { at: 'x', how } }))
  record('interrupted')
  const trend = await settledTrend()
  for (const { points } of trend.series)
    expect(points[4]?.change).toMatchObject({
      verdict: null,
      text: expect.stringContaining('not compared: it ended as interrupted') as string,
    })
  record('complete')
})

it('the history of a case names the commit of each run', async () => {
  const { entries } = await answer<CaseHistory>('/api/case?suite=suite&case=c5')
  expect(
    entries.filter(({ subject }) => subject === 'moving').map((one) => one.run.commit?.[0]),
  ).toEqual(['0', '1', '2', '3', '4'])
})

it('a page of trials is filtered and sorted by the server', async () => {
  const key = viewing.store.keyOf(folderOf(0)) ?? ''
  const ask = (query: string): Promise<TrialPage> =>
    answer<TrialPage>(`/api/trials?run=${key}&suite=suite&from=0&${query}`)
  const { report } = await readRun(folderOf(0))
  expect(await ask('')).toMatchObject({ total: 200, matching: 200, from: 0 })
  const failed = await ask('outcome=f&subject=moving')
  const counts = report.subjects.find(({ subject }) => subject === 'moving')?.counts
  expect(failed.matching).toBe(counts?.failed)
  expect(new Set(failed.rows.map(({ outcome, subject }) => `${outcome} ${subject}`))).toEqual(
    new Set(['failed moving']),
  )
  const worst = await ask('order=score')
  expect(worst.rows[0]).toMatchObject({ score: 0, outcome: 'failed' })
  expect((await ask('order=score&descending=1')).rows[0]).toMatchObject({ score: 1 })
  expect(await ask('words=C19%20steady')).toMatchObject({ matching: 5 })
  expect((await ask('words=equals')).matching).toBe(report.counts.failed)
  expect(await ask('words=nothing')).toMatchObject({ matching: 0, rows: [] })
  // All pages together have every trial once.
  const seen = new Set<string>()
  for (const from of [0, 50, 100, 150]) {
    const page = await answer<TrialPage>(
      `/api/trials?run=${key}&suite=suite&order=score&from=${from}`,
    )
    for (const { case: one, subject, index } of page.rows) seen.add(`${one} ${subject} ${index}`)
  }
  expect(seen.size).toBe(200)
  expect(await ask('from=999999')).toMatchObject({ matching: 200 })
})
