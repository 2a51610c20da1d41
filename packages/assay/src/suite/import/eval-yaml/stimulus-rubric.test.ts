import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { graders } from '../../../grade/index.ts'
import { loadSuite } from '../../load.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-rubric-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function load(stimulus: string, head = 'defaults: {judge_model: openai/gpt-5-mini}') {
  const file = join(folder, 'e.eval.yaml')
  writeFileSync(join(folder, 'gold.patch'), '+right')
  writeFileSync(
    file,
    `name: e\n${head}\nstimuli:\n  - name: a\n    prompt: p\n${stimulus.replaceAll(/^/gm, '    ')}\n`,
  )
  const { suite, warnings } = await loadSuite(file, { graders })
  const [one] = suite.cases
  return { graders: one?.graders ?? [], told: warnings.map(({ text }) => text) }
}

describe('a rubric of an eval YAML', () => {
  it('is a judge that the file names, beside the graders that decide the score', async () => {
    const { graders: read, told } = await load(`rubric:
  - is friendly
  - {name: short, description: is short, weight: 2}
graders: [{type: output-contains, config: {substring: x}}]`)
    expect(told).toEqual([])
    expect(read.map(({ name, type, weight }) => [name, type, weight])).toEqual([
      ['output-contains', 'contains', 1],
      ['rubric', 'judge', 0],
    ])
    expect(read[1]?.options).toMatchObject({
      judges: ['openai/gpt-5-mini'],
      rubric: [
        { id: 'c1', text: 'is friendly', weight: 1 },
        { id: 'c2', text: 'is short', weight: 2 },
      ],
    })
  })

  it('decides alone, and has the weight that the file gives it', async () => {
    expect((await load('rubric: [is friendly]')).graders).toMatchObject([{ weight: 1 }])
    const { graders: read, told } = await load(
      'rubric: [is friendly]\ngraders: [{type: output-contains, config: {substring: x}}]',
      'defaults: {judge_model: a/b}\nscoring: {weights: {rubric: 3}}',
    )
    expect(read.map(({ weight }) => weight)).toEqual([1, 3])
    expect(told).toEqual([])
  })

  it('is left out by name without a judge, and says who judges without a provider', async () => {
    const silent = await load('rubric: [is friendly]', '')
    expect(silent.graders).toEqual([])
    expect(silent.told.join()).toContain('defaults.judge_model names no judge')
    const { graders: read, told } = await load('rubric: [x]', 'defaults: {judge_model: gpt-5}')
    expect(read[0]?.options).toMatchObject({ judges: [] })
    expect(told.join()).toContain('"gpt-5", which names no provider: --judge says who judges')
  })

  it('is refused where it is not a list of sentences', async () => {
    await expect(load('rubric: [{weight: 2}]')).rejects.toThrow(/a table with a description/)
  })
})

describe('judge_model of an eval YAML', () => {
  it('judges where a grader names no model, and a panel may name a model several times', async () => {
    const { graders: read } = await load(`graders:
  - {type: prompt, config: {prompt: Is it right?}}
  - {type: panel, config: {prompt: Is it right?, models: [a/x, a/x, a/x]}}`)
    expect(read.map(({ options }) => (options as { judges: string[] }).judges)).toEqual([
      ['openai/gpt-5-mini'],
      ['a/x', 'a/x', 'a/x'],
    ])
  })
})

describe('golden_patch of an eval YAML', () => {
  it.each(['{inline: "+right"}', '{path: ./gold.patch}'])(
    'is shown to the judges of the stimulus: %s',
    async (patch) => {
      const { graders: read, told } = await load(`golden_patch: ${patch}
rubric: [is friendly]
graders:
  - {type: prompt, name: p, config: {prompt: Right?}}
  - {type: prompt, name: blind, config: {prompt: Right?, evidence: [repo]}}`)
      const shown = read.map(({ name, options }) => [
        name,
        (options as { instructions: string }).instructions.includes('+right'),
      ])
      expect(shown).toEqual([
        ['p', true],
        ['blind', false],
        ['rubric', true],
      ])
      expect(told.join()).toContain('evidence ("repo") is not acted on')
    },
  )

  it('is named where nobody sees it, and refused where it cannot be read', async () => {
    const { told } = await load('golden_patch: {inline: x}', '')
    expect(told.join()).toContain('golden_patch is not acted on: the stimulus has no judge')
    await expect(load('golden_patch: {path: ../other}')).rejects.toThrow(/golden_patch\.path/)
    await expect(load('golden_patch: {}')).rejects.toThrow(/either path or inline/)
  })
})

describe('min_count of an eval YAML', () => {
  it('is how often a required tool is called', async () => {
    const { graders: read, told } = await load(`graders:
  - {type: tool-calls, config: {required: [ls, {name: cat, min_count: 3}]}}
  - {type: tool-call-count, config: {min_count: 2}}
  - {type: output-contains, config: {substring: x, min_count: 1}}`)
    expect(read.map(({ options }) => options)).toMatchObject([
      { expected: ['ls', 'cat'], counts: { cat: { min: 3 } } },
      { min: 2 },
      { value: 'x' },
    ])
    expect(told.filter((text) => !text.includes('min_count is not acted on'))).toEqual([])
  })

  it.each([
    '{type: output-contains, config: {substring: x, min_count: 2}}',
    '{type: skill-invocation, config: {required: [a], min_count: 2}}',
    '{type: tool-calls, config: {sequence: [{name: a, min_count: 2}]}}',
  ])('is refused where nothing counts: %s', async (grader) => {
    await expect(load(`graders: [${grader}]`)).rejects.toThrow(/min_count/)
  })
})

it('custom-metrics of an eval YAML is left out by name', async () => {
  const { graders: read, told } = await load('graders: [{type: custom-metrics, config: {}}]')
  expect(read).toEqual([])
  expect(told.join()).toContain('("custom-metrics") is left out: the figures come from the program')
})
