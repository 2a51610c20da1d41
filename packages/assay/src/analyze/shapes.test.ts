/** Reads small files in the shapes that other programs and spreadsheets write, without a flag where none is needed. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { reportSchema } from '../report/index.ts'
import { analyze, type AnalyzeOptions } from './analyze.ts'

const FOLDER = join(import.meta.dirname, '../../test/result-shapes')

interface Shape {
  readonly file: string
  readonly options?: AnalyzeOptions
  /** Passed, failed, unscored, errored, cancelled. */
  readonly counts: readonly [number, number, number, number, number]
  readonly subjects: readonly string[]
  readonly cases: readonly string[]
  /** What the columns were taken for. */
  readonly roles: Readonly<Record<string, string>>
}

const SHAPES: readonly Shape[] = [
  {
    file: 'pandas.csv', // to_csv with its index in a column without a name
    counts: [3, 1, 0, 0, 0],
    subjects: ['a', 'b'],
    cases: ['t1', 't2'],
    roles: { case: 'task', subject: 'model', passed: 'passed', score: 'score' },
  },
  ...(['pandas-columns.json', 'pandas-labels.json', 'pandas-split.json'].map((file) => ({
    file, // to_json with its default orient, with named rows, and with orient="split"
    counts: [3, 1, 0, 0, 0],
    subjects: ['a', 'b'],
    cases: ['t1', 't2'],
    roles: { case: 'task', subject: 'model', passed: 'passed', score: 'score' },
  })) satisfies Shape[]),
  {
    file: 'semicolons.csv', // a spreadsheet with decimal commas and localized words for true and false
    options: { case: 'Aufgabe', subject: 'Modell', score: 'Punkte', scoreMax: 10, cost: 'Kosten' },
    counts: [3, 1, 0, 0, 0],
    subjects: ['A', 'B'],
    cases: ['t1', 't2'],
    roles: { case: 'Aufgabe', passed: 'Bestanden', score: 'Punkte' },
  },
  {
    file: 'units.tsv', // tabs, a byte order mark, PASS and FAIL, 1.2s, $0.01
    counts: [3, 1, 0, 0, 0],
    subjects: ['m1', 'm2'],
    cases: ['login', 'logout'],
    roles: { case: 'test_name', passed: 'status', cost: 'cost', duration: 'duration' },
  },
  {
    file: 'excel-unicode.txt', // UTF-16 with CRLF
    counts: [1, 1, 0, 0, 0],
    subjects: ['m1', 'm2'],
    cases: ['login'],
    roles: { case: 'test_name', passed: 'status' },
  },
  {
    file: 'wide.csv', // one column for each model
    counts: [5, 3, 1, 0, 0],
    subjects: ['claude', 'gemini', 'gpt-5'],
    cases: ['t1', 't2', 't3'],
    roles: { case: 'task', wide: 'gpt-5,claude,gemini' },
  },
  {
    file: 'yesno.csv', // names that no list knows: the values tell
    counts: [3, 1, 0, 0, 0],
    subjects: ['ada', 'bob'],
    cases: ['q1', 'q2'],
    roles: { case: 'question', subject: 'who', passed: 'did it work?' },
  },
  {
    file: 'percent.csv',
    counts: [3, 1, 0, 0, 0],
    subjects: ['T0', 'T1'],
    cases: ['a', 'b'],
    roles: { impl: 'impl_rate', cost: 'cost_usd' },
  },
  {
    file: 'inspect-log.json',
    counts: [1, 2, 0, 1, 0],
    subjects: ['openai/gpt-x'],
    cases: ['1', '2'],
    roles: { index: 'epoch' },
  },
  {
    file: 'promptfoo.json',
    counts: [2, 1, 0, 1, 0],
    subjects: ['anthropic:claude-x', 'openai:gpt-x'],
    cases: ['1 greets', '2 refuses'],
    roles: { cost: 'cost', duration: 'latency_ms' },
  },
  {
    file: 'swe-bench.json', // an empty patch is a failure, an error of the harness is not
    counts: [1, 2, 0, 1, 1],
    subjects: ['swe-bench'],
    cases: ['a__a-1', 'a__a-2', 'b__b-3', 'b__b-4', 'c__c-5'],
    roles: { case: 'instance_id' },
  },
  {
    file: 'swe-bench-instances.json', // an object with one key for each case
    counts: [1, 1, 0, 0, 0],
    subjects: ['swe-bench-instances'],
    cases: ['a__a-1', 'a__a-2'],
    roles: { case: 'key', passed: 'resolved' },
  },
  {
    file: 'samples_gsm8k.jsonl', // samples of lm-evaluation-harness: two filters grade the same answers
    counts: [3, 1, 0, 0, 0],
    subjects: ['samples_gsm8k', 'samples_gsm8k'],
    cases: ['0', '1'],
    roles: { suite: 'filter', case: 'doc_id', passed: 'exact_match' },
  },
  {
    file: 'humaneval.jsonl',
    counts: [1, 1, 0, 0, 0],
    subjects: ['humaneval'],
    cases: ['HumanEval/0', 'HumanEval/1'],
    roles: { case: 'task_id', passed: 'passed', reason: 'result' },
  },
  {
    file: 'nested.jsonl', // keys inside objects
    counts: [1, 1, 0, 0, 0],
    subjects: ['m1'],
    cases: ['a', 'b'],
    roles: { subject: 'agent.model', passed: 'result.passed', cost: 'usage.cost_usd' },
  },
  {
    file: 'nested-trials.json', // a list of cases inside a document, with a list of trials in each
    counts: [2, 1, 0, 0, 0],
    subjects: ['m1'],
    cases: ['a', 'b'],
    roles: { subject: 'model', passed: 'trials.passed', cost: 'trials.cost' },
  },
  {
    file: 'verdict-lists.jsonl', // a list of verdicts in each record
    counts: [4, 1, 0, 0, 0],
    subjects: ['m'],
    cases: ['a', 'b'],
    roles: { passed: 'passed' },
  },
]

/** The subjects by name. A report orders them by their results. */
const byName = <T extends { readonly subject: string }>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => (a.subject < b.subject ? -1 : 1))

it.each(SHAPES.map((shape) => [shape.file, shape] as const))('%s', async (_, shape) => {
  const { report } = await analyze([join(FOLDER, shape.file)], shape.options)
  reportSchema.parse(report)
  const { passed, failed, unscored, errored, cancelled } = report.counts
  expect([passed, failed, unscored, errored, cancelled]).toEqual(shape.counts)
  expect(byName(report.subjects).map(({ subject }) => subject)).toEqual(shape.subjects.toSorted())
  expect(report.subjects[0]?.cases.map((one) => one.case)).toEqual(shape.cases)
  const columns = report.reading?.[0]?.columns ?? []
  const roles = Object.fromEntries(columns.map((one) => [one.role, one.columns.join()]))
  expect(roles).toMatchObject(shape.roles)
  for (const { why } of columns) expect(why).not.toBe('')
})

it('values with units are what they say', async () => {
  const { report } = await analyze([join(FOLDER, 'units.tsv')])
  const figures = byName(report.subjects).map(({ spec }) => spec.statistics)
  expect(figures.map((one) => one?.duration_seconds?.max)).toEqual([1.2, 63])
  expect(figures.map((one) => one?.cost_usd?.max)).toEqual([0.02, 1200.5])
  expect(report.notes).toContainEqual(
    expect.stringContaining('cost: 4 values with a unit, such as "$0.01", read as 0.01 dollars'),
  )
})

it('shares with percent signs are shares, and decimal commas are decimals', async () => {
  const percent = await analyze([join(FOLDER, 'percent.csv')])
  expect(
    byName(percent.report.subjects).map(({ spec }) => spec.statistics?.impl_rate?.max),
  ).toEqual([0.85, 0.95])
  const comma = await analyze(
    [join(FOLDER, 'semicolons.csv')],
    SHAPES.find(({ file }) => file === 'semicolons.csv')?.options,
  )
  expect(byName(comma.report.subjects).map(({ spec }) => spec.score?.max)).toEqual([0.85, 0.95])
  expect(byName(comma.report.subjects).map(({ cost }) => cost.perPass.value)).toEqual([0.22, 0.275])
})

it('another scorer of an Inspect log is named with --passed', async () => {
  const path = join(FOLDER, 'inspect-log.json')
  const { report } = await analyze([path], { passed: 'model_graded' })
  expect(report.counts).toMatchObject({ passed: 0, failed: 1, unscored: 2, errored: 1 })
  const { report: first } = await analyze([path])
  expect(first.notes).toContainEqual(
    expect.stringContaining('the scorer match; --passed names another: model_graded'),
  )
})
