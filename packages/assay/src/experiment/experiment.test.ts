import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { NamedSubject } from '../subject/index.ts'
import { checkVary, loadExperiment, type Experiment } from './index.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-experiment-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function load(text: string, name = 'experiment.toml'): Promise<Experiment | null> {
  const file = join(folder, name)
  await writeFile(file, text)
  return loadExperiment(file)
}

async function loaded(text: string, name?: string): Promise<Experiment> {
  const experiment = await load(text, name)
  if (experiment === null) throw new Error('no experiment')
  return experiment
}

const HEAD = 'suites = ["suite.toml"]\n'
const TIERS = `${HEAD}
[subjects.T0]
model = "openai/small"
[subjects.T1]
model = "openai/small"
temperature = 0.7
`

describe('what an experiment file is', () => {
  it.each([
    ['toml', TIERS],
    [
      'yaml',
      'suites: [suite.toml]\nsubjects:\n  T0: { model: openai/small }\n  T1: { command: cat }\n',
    ],
    [
      'json',
      '{"suites": ["suite.toml"], "subjects": {"T0": {"model": "a/b"}, "T1": {"command": "cat"}}}',
    ],
    [
      'ts',
      'export default { suites: ["suite.toml"], subjects: { T0: { model: "a/b" }, T1: { command: "cat" } } }',
    ],
  ])('is told by content, in %s', async (ending, text) => {
    const { tiers, suites, settings, isProgram } = await loaded(text, `x.${ending}`)
    expect(tiers).toEqual([{ order: ['T0', 'T1'], baseline: 'T0' }])
    expect(suites).toEqual([join(folder, 'suite.toml')])
    // The file does not set the number of trials, so the setting stays undefined. The run then uses its default of ten.
    expect(settings.trials).toBeUndefined()
    expect(isProgram).toBe(ending === 'ts')
  })

  it.each([
    ['a suite', '[[cases]]\nid = "a"\nprompt = "tiers, matrix and suites"\n', 's.toml'],
    [
      'a module with a function, which is not called',
      'export default () => { throw new Error("called") }',
      's.ts',
    ],
    ['a module that does not load', 'throw new Error("broken: suites")', 's2.ts'],
  ])('is not %s', async (_, text, name) => {
    expect(await load(text, name)).toBeNull()
  })

  it('has tiers in a given order, a baseline and settings of its own', async () => {
    const text = `tiers = ["T1", "T0"]\nbaseline = "T0"\ntrials = 3\nseed = 9\n${TIERS}`
    const { tiers, settings } = await loaded(text)
    expect(tiers).toEqual([{ order: ['T1', 'T0'], baseline: 'T0' }])
    expect(settings).toMatchObject({ trials: 3, seed: 9 })
  })

  it('has weights and a scale as data; the lowest grade is what is left', async () => {
    const text = `impl = "score"\n${HEAD}subjects = ["a/b"]\n[composite]\npass = 3\nimpl = 1\n[grades]\nbad = 0\nfair = 0.5\ngood = 0.8\n`
    expect((await loaded(text)).scoring).toEqual({
      impl: 'score',
      composite: { pass: 3, impl: 1 },
      grades: {
        steps: [
          { grade: 'good', least: 0.8 },
          { grade: 'fair', least: 0.5 },
        ],
        below: 'bad',
      },
    })
  })
})

describe('a matrix', () => {
  const MATRIX = `${HEAD}
[base]
model = "openai/small"
[matrix]
temperature = [0, 0.7]
[matrix.prompt.plain]
system = "Answer."
[matrix.prompt.careful]
system = "Answer, and check it twice."
`

  it('makes every combination a subject, all of them tiers', async () => {
    const { subjects, described, tiers, vary } = await loaded(MATRIX)
    expect(subjects).toEqual([
      'temperature=0 / plain',
      'temperature=0 / careful',
      'temperature=0.7 / plain',
      'temperature=0.7 / careful',
    ])
    expect(described['temperature=0.7 / careful']).toEqual({
      model: 'openai/small',
      temperature: 0.7,
      system: 'Answer, and check it twice.',
    })
    expect(tiers).toEqual([{ order: subjects, baseline: subjects[0] }])
    expect(vary).toEqual(['temperature', 'system'])
  })

  it('has tiers along one axis, with a baseline for each value of the others', async () => {
    const { tiers } = await loaded(`tiers = "prompt"\nbaseline = "careful"\n${MATRIX}`)
    expect(tiers).toEqual([
      {
        order: ['temperature=0 / plain', 'temperature=0 / careful'],
        baseline: 'temperature=0 / careful',
      },
      {
        order: ['temperature=0.7 / plain', 'temperature=0.7 / careful'],
        baseline: 'temperature=0.7 / careful',
      },
    ])
  })
})

describe('a mistake is told with its place and the nearest that is right', () => {
  it.each([
    ['a misspelt key', `suits = []\n${TIERS}`, /:1:1: suits: unknown key; did you mean suites\?/],
    [
      'a misspelt tier',
      `tiers = ["T0", "T3"]\n${TIERS}`,
      /:1:16: tiers\[1\]: expected one of T0, T1, found "T3"/,
    ],
    ['an unknown baseline', `baseline = "T9"\n${TIERS}`, /baseline: expected one of T0, T1/],
    ['nobody to compare', HEAD, /subjects, or a matrix/],
    ['both', `subjects = ["a/b"]\n${HEAD}[matrix]\nmodel = ["a/b"]\n`, /found subjects and matrix/],
    [
      'an axis that is not a setting',
      `${HEAD}[matrix]\ntemperatur = [0, 1]\n`,
      /did you mean temperature\?/,
    ],
    [
      'two axes for one setting',
      `${HEAD}[base]\nmodel = "a/b"\n[matrix]\nseed = [1]\n[matrix.more.x]\nseed = 2\n`,
      /second axis that sets seed/,
    ],
    ['a combination that is not a subject', `${HEAD}[matrix]\nseed = [1]\n`, /combination seed=1/],
    [
      'a text as an axis value',
      `${HEAD}[base]\nmodel = "a/b"\n[matrix]\nsystem = ["one, two"]\n`,
      /table of named values/,
    ],
    [
      'weights of nothing',
      `${TIERS}[composite]\npass = 0\nimpl = 0\n`,
      /weights that are not both 0/,
    ],
    ['a scale without an end', `${TIERS}[grades]\nA = 0.9\nB = 0.5\n`, /the lowest of them from 0/],
    [
      'a scale with a bound twice',
      `${TIERS}[grades]\nA = 0.9\nB = 0.9\nF = 0\n`,
      /a bound of its own/,
    ],
    [
      'providers',
      `${TIERS}[providers.x]\nbaseUrl = "http://127.0.0.1"\n`,
      /providers: unknown key/,
    ],
  ])('%s', async (_, text, message) => {
    await expect(load(text)).rejects.toThrow(message)
  })
})

describe('what may vary', () => {
  const named = async (text: string): Promise<() => string[]> => {
    const experiment = await loaded(text)
    return () => checkVary(experiment, experiment.described as Record<string, NamedSubject>)
  }

  it('is what is named; the settings that differ are returned', async () => {
    expect((await named(`vary = ["temperature"]\n${TIERS}`))()).toEqual(['temperature'])
  })

  it('is nothing else: the difference is named, with the line that allows it', async () => {
    const check = await named(`vary = ["system"]\n${TIERS}`)
    expect(check).toThrow(
      /the tiers differ in temperature, which may not vary: T0 has none, T1 has 0\.7\..* vary = \["system", "temperature"\]/,
    )
  })

  it('reaches into tables', async () => {
    const text = (vary: string) =>
      `vary = ["${vary}"]\n${HEAD}[subjects.a.simulated]\npass = 0.5\nseed = 1\n[subjects.b.simulated]\npass = 0.9\nseed = 1\n`
    expect((await named(text('simulated.pass')))()).toEqual(['simulated.pass'])
    expect((await named(text('simulated')))()).toEqual(['simulated.pass'])
    expect(await named(text('simulated.seed'))).toThrow(/differ in simulated\.pass/)
  })

  it('does not show what is in an environment', async () => {
    const check = await named(
      `${HEAD}[subjects.a]\ncommand = "cat"\nenv = { KEY = "sesame" }\n[subjects.b]\ncommand = "cat"\n`,
    )
    expect(check).toThrow(/env\.KEY/)
    expect(check).not.toThrow(/sesame/)
  })

  it('is a setting of a subject', async () => {
    expect(await named(`vary = ["temprature"]\n${TIERS}`)).toThrow(/did you mean temperature\?/)
  })
})
