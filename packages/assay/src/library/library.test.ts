/** The library: suites as objects, functions as subjects and graders, comparisons and gates. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { suiteFolder } from '../../test/suite-folder.ts'
import { compare, gate, loadSuite, readRun, run, suite, summarize, type Trial } from '../index.ts'

const PLAIN = {
  id: 'plain',
  defaults: { trials: 2 },
  cases: [
    {
      id: 'yes',
      prompt: 'Say yes',
      reference: 'yes',
      faulty: ['no'],
      tags: ['short'],
      graders: [{ type: 'equals', value: 'yes' }],
    },
    {
      id: 'both',
      turns: ['Say a', 'Say b'],
      system: 'Short.',
      reference: 'b',
      faulty: ['a'],
      graders: [{ type: 'contains', value: 'b', weight: 2 }],
    },
  ],
}
const TOML = `id = "plain"
[defaults]
trials = 2
[[cases]]
id = "yes"
prompt = "Say yes"
reference = "yes"
faulty = ["no"]
tags = ["short"]
graders = [{ type = "equals", value = "yes" }]
[[cases]]
id = "both"
turns = ["Say a", "Say b"]
system = "Short."
reference = "b"
faulty = ["a"]
graders = [{ type = "contains", value = "b", weight = 2 }]
`
const YAML = `id: plain
defaults: { trials: 2 }
cases:
  - id: 'yes'
    prompt: Say yes
    reference: 'yes'
    faulty: ['no']
    tags: [short]
    graders: [{ type: equals, value: 'yes' }]
  - { id: both, turns: [Say a, Say b], system: Short., reference: b, faulty: [a], graders: [{ type: contains, value: b, weight: 2 }] }
`

it('the same suite as TOML, YAML, JSON, TypeScript and object has the same hashes and results', async () => {
  const folder = await suiteFolder({
    'a.toml': TOML,
    'b.yaml': YAML,
    'c.json': JSON.stringify(PLAIN),
    'd.ts': `export default ${JSON.stringify(PLAIN)} as const`,
  })
  const sources = [
    ...['a.toml', 'b.yaml', 'c.json', 'd.ts'].map((name) => join(folder, name)),
    PLAIN,
  ]
  const results = []
  for (const [at, source] of sources.entries()) {
    const loaded = await loadSuite(source, { allowModules: true })
    const into = join(folder, `run-${at}`)
    await run({ suites: [loaded], subjects: ['simulated:pass=0.5'], folder: into, trials: 8 })
    const report = await summarize(into)
    results.push({
      hash: loaded.suite.hash,
      cases: loaded.suite.cases.map(({ hash }) => hash),
      outcomes: report.subjects.map(({ counts, cases }) => [counts, cases.map(({ c }) => c)]),
    })
  }
  expect(results[0]?.cases).toHaveLength(2)
  for (const one of results) expect(one).toEqual(results[0])
})

const dates = suite({
  id: 'dates',
  cases: [
    { id: 'iso', input: { text: '3 May 2024', n: 1 }, expected: '2024-05-03' },
    { id: 'empty', input: { text: '', n: 2 }, expected: '' },
    { id: 'bad', input: { text: 'bad', n: 3 }, expected: 'x' },
    { id: 'slow', input: { text: 'slow', n: 4 }, expected: 'x' },
    { id: 'odd', input: { text: 'odd', n: 5 }, expected: 'x' },
    { id: 'none', input: { text: 'none', n: 6 }, expected: 'x' },
  ],
  defaults: { timeout: 0.2 },
  subjects: {
    ours: async ({ input, signal, report, index }) => {
      expectTypeOf(input).toEqualTypeOf<{ text: string; n: number }>()
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
      process.stdout.write(`at ${input.text} ${index}\n`)
      report({ usage: { input: 3, output: 1 }, usd: 0.5 })
      report({ usd: 0.25, steps: [{ kind: 'tool-call', name: 'parse', args: { n: input.n } }] })
      if (input.text === 'bad') throw new RangeError('bad date')
      if (input.text === 'slow') await new Promise(() => {})
      if (input.text === 'odd') return new Map() as unknown as string
      if (input.text === 'none') return undefined as unknown as string
      return input.text === '' ? '' : '2024-05-03'
    },
  },
  graders: [
    ({ output, expected }) => {
      expectTypeOf(output).toEqualTypeOf<string>()
      expectTypeOf(expected).toBeString()
      return output === expected
    },
    { name: 'length', weight: 0, grade: ({ output }) => ({ score: 1, reason: output.length }) },
  ],
})

describe('functions', () => {
  it('answer and grade; what throws, hangs or returns nothing fails, with its log and stack', async () => {
    const folder = await suiteFolder()
    await run({ suites: [dates], folder: join(folder, 'run') })
    const read = await readRun(join(folder, 'run'))
    expect(read.report.counts).toMatchObject({ planned: 6, passed: 2, failed: 4 })
    expect(read.report.provenance.subjects).toMatchObject([{ id: 'ours', kind: 'function' }])
    const byCase = new Map<string, Trial>()
    await read.trials((trial) => void byCase.set(trial.case, trial))
    expect(byCase.get('iso')).toMatchObject({
      answer: '2024-05-03',
      log: 'at 3 May 2024 0\n',
      usage: { input: 3, output: 1 },
      cost: { answerUsd: 0.75 },
      grades: [
        { type: 'function', passed: true },
        { name: 'length', reason: '10' },
      ],
    })
    expect(byCase.get('iso')?.trajectory).toContain('"name":"parse"')
    expect(byCase.get('empty')).toMatchObject({ answer: '""', isJson: true, outcome: 'passed' })
    expect(byCase.get('bad')?.reason).toMatchObject({ code: 'function-failed' })
    expect(byCase.get('bad')?.reason?.text).toMatch(
      /^RangeError: bad date\n +at .*library\.test\.ts/,
    )
    expect(byCase.get('bad')?.cost.answerUsd).toBe(0.75)
    expect(byCase.get('slow')?.reason).toEqual({
      code: 'answer-timeout',
      text: 'did not end within 0.2 s',
    })
    expect(byCase.get('odd')?.reason?.text).toContain('a Map')
    expect(byCase.get('none')?.reason?.text).toBe('it returned nothing')
  })

  it('a grader that throws makes the trial errored', async () => {
    const folder = await suiteFolder()
    const broken = suite({
      cases: [{ input: 1, expected: 1 }],
      subjects: { same: ({ input }) => input },
      graders: [
        () => {
          throw new Error('broken grader')
        },
      ],
    })
    const { tally } = await run({ suites: [broken], folder: join(folder, 'run'), maxErrors: 1 })
    expect(tally.counts()).toMatchObject({ planned: 1, errored: 1 })
  })

  it('values that are not data are refused with their place', async () => {
    await expect(
      loadSuite(suite({ cases: [{ input: new Date(0) }], graders: [() => true], subjects: {} })),
    ).rejects.toThrow(/cases\[0\]\.input/)
    await expect(
      loadSuite({ id: 'x', cases: [{ id: 'a', prompt: 'p', promt: 1 }] }),
    ).rejects.toThrow('promt')
  })
})

it('compares runs and decides gates', async () => {
  const folder = await suiteFolder()
  const subjects = (pass: number) => ({
    suites: [PLAIN],
    subjects: [`simulated:pass=${pass}`],
    trials: 20,
  })
  await run({ ...subjects(1), folder: join(folder, 'good') })
  await run({ ...subjects(0.1), folder: join(folder, 'bad') })
  const comparison = await compare(join(folder, 'good'), join(folder, 'bad'), {
    gate: 'statistical',
    target: 'fixed',
    pairs: ['simulated:pass=1=simulated:pass=0.1'],
  })
  expect(comparison.outcome.code).toBe(1)
  const held = await gate(join(folder, 'good'), { failUnder: ['passRate=0.5'] })
  expect(held.gates.outcome.code).toBe(0)
  const failed = await gate(await summarize(join(folder, 'bad')), { failUnder: ['passRate=0.9'] })
  expect(failed.gates.outcome.code).toBe(1)
  await expect(gate(join(folder, 'good'), {})).rejects.toThrow('nothing to decide')
  await writeFile(join(folder, 'report.json'), JSON.stringify(held))
  await expect(compare(join(folder, 'report.json'), held)).resolves.toMatchObject({
    outcome: { code: 0 },
  })
})
