import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadText, problemsOf, suiteFolder, testGraders } from '../../test/suite-folder.ts'
import { findSuites } from './find.ts'
import { loadSuite, loadSuites } from './load.ts'
import { SuiteError } from '../documents/problem.ts'

const graders = testGraders
const GRADED = { graders: [{ type: 'equals', value: 'x' }] }
const SUITE = { id: 's', cases: [{ id: 'a', prompt: 'p', ...GRADED }] }

describe('the syntax', () => {
  it.each([
    ['suite', 'id = "s"\n[[cases]]\nid = "a"\nprompt = "p"'],
    ['suite', '# note\n"id" = "s"\ncases = [{ id = "a", prompt = "p" }]'],
    ['suite', 'id: s\ncases:\n- {id: a, prompt: p}'],
    ['suite', JSON.stringify({ id: 's', cases: [{ id: 'a', prompt: 'p' }] })],
    ['suite.json', JSON.stringify({ id: 's', cases: [{ id: 'a', prompt: 'p' }] }, null, 2)],
    ['suite.yaml', '{id: s, cases: [{id: a, prompt: p}]}'],
    ['suite.txt', '\uFEFF{"id": "s",\n"cases": [{"id": "a", "prompt": "p"}]}'],
  ])('of a file called %s is told by %j', async (name, text) => {
    expect((await loadText(name, text)).suite).toMatchObject({ id: 's', format: 'assay' })
  })

  it('is strict where the name says JSON', async () => {
    expect(await problemsOf('s.json', '{id: s}')).toEqual([
      '1:2: expected a key in double quotes, found "id"',
    ])
  })
})

const loadModule = async (name: string, text: string, allowModules = true) => {
  const folder = await suiteFolder({ [name]: text, 't.txt': 'tests' })
  return await loadSuite(path.join(folder, name), { graders, allowModules })
}

describe('a key that is given twice', () => {
  it.each([
    ['s.json', '{"id": "s", "id": "t", "cases": []}', '1:13: '],
    ['s.yaml', 'id: s\nid: t\ncases: []', '2:1: '],
    [
      's.jsonl',
      '{"task_id": "a", "prompt": "p", "prompt": "q", "canonical_solution": "", "test": "", "entry_point": "f"}',
      '1:33: ',
    ],
  ])('is refused with its place in %s', async (name, text, place) => {
    const [first] = await problemsOf(name, text)
    expect(first).toContain(place)
    expect(first).toContain('a second time')
  })
})

describe('a suite that is a program', () => {
  it.each([
    ['s.ts', `const suite: object = ${JSON.stringify(SUITE)}\nexport default suite`],
    ['s.mjs', `export default () => (${JSON.stringify(SUITE)})`],
    ['s.mts', `export default async (): Promise<object> => (${JSON.stringify(SUITE)})`],
  ])('runs (%s) and is the same suite as its data', async (name, text) => {
    const { suite } = await loadModule(name, text)
    const { suite: data } = await loadText('s.json', JSON.stringify(SUITE))
    expect(suite.hash).toBe(data.hash)
  })

  it('does not run unless the user named it', async () => {
    const text = 'globalThis.assayRan = true\nexport default {}'
    await expect(loadModule('s.mjs', text, false)).rejects.toThrow('a suite that is a program')
    expect(globalThis).not.toHaveProperty('assayRan')
  })

  it.each([
    ['export default { id: "s" }', 'the key cases is missing'],
    ['export const suite = {}', 'no default export'],
    ['throw new Error("broken \\u001b[2J")', String.raw`a module that fails: broken \u001b[2J`],
    ['export default { id: new Date() }', 'id: expected text, a number'],
    ['const a = []; a.push(a); export default { a }', 'at most 100 levels'],
    ['export default () => { throw 1 }', 'a module that fails: 1'],
    ['export default {', 'a module that fails'],
    ...[
      'null',
      '[]',
      '{"kind":"failed","reason":{"toString":1}}',
      '{"kind":"value","value":{},"faults":[null]}',
      '{"kind":"value","value":{},"faults":[{"path":{},"found":1,"expected":[]}]}',
      '{"kind":"value","value":{}}',
      '{"kind":"other"}',
    ].map((reply) => [
      `import { writeSync } from 'node:fs'; writeSync(1, ${JSON.stringify(`${reply}\n`)}); process.exit()`,
      'before it exported anything',
    ]),
  ])('is refused when it is %j', async (text, message) => {
    await expect(loadModule('s.mjs', text)).rejects.toThrow(SuiteError)
    await expect(loadModule('s.mjs', text)).rejects.toThrow(message)
  })

  it('stops waiting when the run is stopped', async () => {
    const folder = await suiteFolder({ 's.mjs': 'export default () => new Promise(() => {})' })
    const stop = new AbortController()
    const loading = loadSuite(path.join(folder, 's.mjs'), {
      graders,
      allowModules: true,
      signal: stop.signal,
    })
    setImmediate(() => stop.abort(new Error('stopped')))
    await expect(loading).rejects.toThrow('stopped')
  })
})

describe('several suites', () => {
  it('report all their problems at once', async () => {
    const folder = await suiteFolder({ 'a.yaml': 'id: 1', 'b.toml': 'x = ' })
    const files = ['a.yaml', 'b.toml'].map((name) => path.join(folder, name))
    await expect(loadSuites(files, { graders })).rejects.toThrow(
      /a\.yaml:1:1: .*cases is missing.*\n.*a\.yaml:1:5: id: expected text.*\n.*b\.toml:1:5: expected/,
    )
  })

  it('must have different ids', async () => {
    const text = JSON.stringify(SUITE)
    const folder = await suiteFolder({ 'a.json': text, 'b.json': text })
    const files = ['a.json', 'b.json'].map((name) => path.join(folder, name))
    await expect(loadSuites(files, { graders })).rejects.toThrow(
      /b\.json: expected an id that no other suite of the run has \(.*a\.json has it too\)/,
    )
  })
})

describe('suites in a folder', () => {
  it('are found by what they look like, sound or broken, and nothing else is', async () => {
    const folder = await suiteFolder({
      'a.toml': 'id = "a"\n[[cases]]\n',
      'broken.yaml': 'cases: [',
      'deep/er/c.json': '{\n  "cases": []\n}',
      'deep/rows.jsonl': '{"task_id": 1, "text": "t", "test_list": []}\n',
      'flow.yml': '{id: s, cases: [{}]}',
      'minified.json': '{"id":"s","cases":[]}',
      'assay.toml': 'trials = 3',
      'package.json': '{"name": "x"}',
      'assay.schema.json': '{\n  "properties": {"cases": {}}, "required": ["cases"]\n}',
      'program.ts': 'export default {}',
      'node_modules/x/a.toml': '[[cases]]',
      '.hidden/a.toml': '[[cases]]',
      'samples.jsonl': '{"task_id": 1, "completion": "t"}\n',
    })
    const found = await findSuites(folder)
    expect(found.map((file) => path.relative(folder, file))).toEqual([
      'a.toml',
      'broken.yaml',
      'deep/er/c.json',
      'deep/rows.jsonl',
      'flow.yml',
      'minified.json',
    ])
  })

  it('are missed when there are none', async () => {
    const folder = await suiteFolder({ 'x.txt': 'x' })
    await expect(findSuites(folder)).rejects.toThrow('a folder without suites')
    await expect(findSuites(path.join(folder, 'nowhere'))).rejects.toThrow('there is no such file')
  })
})
