/**
 * Tests that the format of a file is detected by its keys, whatever its name, its line endings and the order of its
 * keys.
 *
 * The tests cover every reader behind `loadSuite` (native, eval-set, eval YAML, rows, modules), the search of a folder
 * (`findSuites`), experiments (`loadExperiment` recognises its file with the same function), gzipped files, and first
 * lines that are longer than the part of a file that is read first.
 */
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { loadText, problemsOf, suiteFolder, testGraders } from '../../test/suite-folder.ts'
import { loadExperiment } from '../experiment/index.ts'
import { findSuites } from './find.ts'
import { loadSuite } from './load.ts'

/** Longer than the part of a file that is read first. */
const LONG = 'x'.repeat(100_000)

const GRADERS = [{ type: 'equals', value: 'x' }]
const CASES = [{ id: 'a', prompt: 'p' }]
const NATIVE = { id: 's', name: 'S', graders: GRADERS, cases: CASES }
const WITHOUT_SOLUTION = {
  task_id: 'T/0',
  prompt: 'def f():\n',
  entry_point: 'f',
  test: 'def check(c):\n    assert c() == 1\n',
}
const ROW = { ...WITHOUT_SOLUTION, canonical_solution: '    return 1\n' }
const NAMES = ['suite', 'suite.json', 'suite.jsonl', 'suite.ndjson', 'suite.txt', 'suite.yaml']

const formatOf = async (name: string, text: string): Promise<string> => {
  const { suite } = await loadText(name, text)
  return `${suite.format}: ${suite.cases.length}`
}

describe('a native suite on one line', () => {
  const shapes: [string, object][] = [
    ['id first', NATIVE],
    ['name first', { name: 'S', id: 's', graders: GRADERS, cases: CASES }],
    ['cases first', { cases: CASES, graders: GRADERS, id: 's' }],
    ['a long case', { name: 'S', id: 's', graders: GRADERS, cases: [{ id: 'a', prompt: LONG }] }],
    ['a long text before its cases', { description: LONG, ...NATIVE }],
    ['words of rows in its texts', { ...NATIVE, description: '{"task_id": 1, "prompt": 2}' }],
    ['an escaped quote before its cases', { description: '\\"{[\n', ...NATIVE }],
  ]
  it.each(shapes)('is a native suite under any name: %s', async (_, suite) => {
    for (const name of NAMES)
      expect(await formatOf(name, `${JSON.stringify(suite)}\n`)).toBe('assay: 1')
  })

  it('is one also below a byte order mark, and gzipped', async () => {
    expect(await formatOf('s.jsonl', `\uFEFF\n${JSON.stringify(NATIVE)}`)).toBe('assay: 1')
    const folder = await suiteFolder({ 's.jsonl.gz': gzipSync(JSON.stringify(NATIVE)) })
    const { suite } = await loadSuite(path.join(folder, 's.jsonl.gz'), { graders: testGraders })
    expect(suite.format).toBe('assay')
  })

  it('is not taken apart where two of them share a file', async () => {
    const line = JSON.stringify(NATIVE)
    expect(await problemsOf('s.jsonl', `${line}\n${line}\n`)).toEqual([
      '2:1: expected the end of the file, found "{"',
    ])
  })
})

describe('a file of another program on one line', () => {
  it.each(NAMES)('is read as what its keys say: %s', async (name) => {
    const evalSet = {
      eval_set: { id: 'e', name: 'E' },
      cases: [{ id: 'a', name: 'A', prompt: 'p' }],
    }
    expect(await formatOf(name, JSON.stringify(evalSet))).toBe('eval-set: 1')
    const stimuli = [{ name: 'a', prompt: LONG, graders: [] }]
    expect(await formatOf(name, JSON.stringify({ name: 'E', stimuli }))).toBe('eval-yaml: 1')
  })
})

describe('rows', () => {
  const MULTIPL = { name: 'm', language: 'py', prompt: 'p', tests: 'assert True' }
  it.each(NAMES)('are rows under any name: %s', async (name) => {
    const lines = (...rows: object[]): string =>
      rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    expect(await formatOf(name, lines(ROW))).toBe('humaneval: 1')
    expect(await formatOf(name, lines(ROW, { ...ROW, task_id: 'T/1' }))).toBe('humaneval: 2')
    expect(await formatOf(name, JSON.stringify(ROW, null, 2))).toBe('humaneval: 1')
    expect(await formatOf(name, lines({ ...ROW, cases: [] }))).toBe('humaneval: 1')
    expect(await formatOf(name, lines(MULTIPL))).toBe('multipl-e: 1')
    expect(await formatOf(name, lines({ ...MULTIPL, prompt: LONG }))).toBe('multipl-e: 1')
    const long = { canonical_solution: `    return 1\n#${LONG}`, ...WITHOUT_SOLUTION }
    expect(await formatOf(name, lines(long, { ...ROW, task_id: 'T/1' }))).toBe('humaneval: 2')
  })

  it.each(['s', 's.json', 's.jsonl', 's.yaml'])('are rows as one list: %s', async (name) => {
    const list = [ROW, { ...ROW, task_id: 'T/1' }]
    expect(await formatOf(name, JSON.stringify(list))).toBe('humaneval: 2')
    expect(await formatOf(name, JSON.stringify(list, null, 1))).toBe('humaneval: 2')
  })

  it('of a list are refused one by one', async () => {
    expect(await problemsOf('s.json', JSON.stringify([{}, ROW]))).toEqual([
      expect.stringContaining('found another kind of row'),
    ])
  })

  it('with a broken line are told by that line', async () => {
    const lines = [JSON.stringify(ROW), '{"task_id": "T/1", "prompt": "x', JSON.stringify(ROW)]
    expect(await problemsOf('s.jsonl', lines.toReversed().join('\n'))).toContainEqual(
      expect.stringMatching(/^2:/),
    )
  })
})

describe('in a folder', () => {
  it('each of these is found, and other data is not', async () => {
    const line = (value: unknown): string => `${JSON.stringify(value)}\n`
    const folder = await suiteFolder({
      'a.jsonl': line(NATIVE),
      'b.json': line({ name: 'S', id: 's', description: LONG, graders: GRADERS, cases: CASES }),
      'c.json': JSON.stringify(ROW, null, 2),
      'd.json': line({ canonical_solution: LONG, ...WITHOUT_SOLUTION }),
      'e.json': line([ROW]),
      'package.json': line({ name: 'p', version: '1', description: LONG }),
      'data.json': line({ points: [LONG] }),
      'answers.jsonl': line({ task_id: 'T/0', completion: LONG }),
      'prompts.jsonl': line({ role: 'user', content: 'x' }),
    })
    const found = (await findSuites(folder)).map((file) => path.basename(file))
    expect(found).toEqual(['a.jsonl', 'b.json', 'c.json', 'd.json', 'e.json'])
  })
})

describe('an experiment on one line', () => {
  it.each(['e.json', 'e.jsonl', 'e'])('is an experiment: %s', async (name) => {
    const file = {
      name: 'E',
      description: LONG,
      suites: ['s.toml'],
      subjects: ['simulated:pass=1'],
    }
    const folder = await suiteFolder({ [name]: JSON.stringify(file) })
    expect(await loadExperiment(path.join(folder, name))).toMatchObject({ name: 'E' })
  })
})

describe('a native suite without an id', () => {
  it.each([
    ['sums.toml', 'sums'],
    ['sums.v2.json', 'sums.v2'],
    ['two words.yaml', 'two words'],
    ['sums', 'sums'],
    ['.toml', 'suite'],
    ['line\nbreak.json', 'line break'],
  ])('has the name of its file: %j', async (name, id) => {
    const { id: _, ...rest } = NATIVE
    const { suite } = await loadText(name, JSON.stringify(rest))
    expect(suite).toMatchObject({ id, name: 'S', format: 'assay' })
  })

  it('has the name of a program too', async () => {
    const { id: _, name: __, ...rest } = NATIVE
    const folder = await suiteFolder({ 'sums.mts': `export default ${JSON.stringify(rest)}` })
    const file = path.join(folder, 'sums.mts')
    const { suite } = await loadSuite(file, { graders: testGraders, allowModules: true })
    expect(suite).toMatchObject({ id: 'sums', name: 'sums' })
  })

  it('is not one whose id is wrong', async () => {
    expect(await problemsOf('s.json', JSON.stringify({ ...NATIVE, id: '' }))).not.toEqual([])
    expect(await problemsOf('s.json', JSON.stringify({ ...NATIVE, id: null }))).toHaveLength(1)
  })
})
