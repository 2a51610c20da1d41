import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { keptOutput } from '../../../../test/output.ts'
import { suiteFolder } from '../../../../test/suite-folder.ts'
import { graders } from '../../../grade/graders.ts'
import { loadSuite } from '../../../suite/index.ts'
import { loadSettings } from '../../settings/settings.ts'
import { importCommand } from './import.ts'

const CONFIG = `# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json
description: Translations
prompts:
  - 'Translate to {{language}}: {{input}}'
  - file://prompts/polite.txt
  - label: chat
    raw: '[{"role": "system", "content": "You translate."}, {"role": "user", "content": "{{input}}"}]'
  - file://generate.js
providers:
  - openai:gpt-5-mini
  - id: anthropic:messages:claude-haiku-4-5
    label: careful
    config: { temperature: 0.2, max_tokens: 100, apiKey: x }
  - file://provider.py
defaultTest:
  vars: { style: plain }
  assert:
    - type: not-contains
      value: sorry
    - { type: latency, threshold: 5000 }
tests:
  - description: French greeting
    vars: { language: French, input: Hello }
    assert:
      - { type: icontains, value: bonjour }
      - { type: javascript, value: 'output.length > 3' }
  - vars: { language: [German, Dutch], input: file://input.txt }
    threshold: 0.5
    assert:
      - { type: contains-any, value: [hallo, guten], weight: 2, metric: greets }
      - { type: starts-with, value: '{{language}}:' }
      - type: assert-set
        threshold: 0.5
        assert: [{ type: equals, value: a }, { type: regex, value: 'b+' }]
  - file://more.csv
evaluateOptions: { repeat: 3, maxConcurrency: 2 }
scenarios: []
`
const FILES = {
  'promptfooconfig.yaml': CONFIG,
  'prompts/polite.txt':
    'Please translate to {{language}}: {{input}}\n---\nKindly: {{input}} ({{language}})\n',
  'input.txt': 'Good day\n',
  'more.csv':
    'language,input,__expected,__expected2,__description,__metric\nSpanish,Yes,icontains: sí,is-json,yes in Spanish,m\nItalian,No,No,,,\n',
}

async function imported(files: Readonly<Record<string, string>>) {
  const folder = await suiteFolder(files)
  let out = ''
  const output = {
    out: (text: string) => void (out += text),
    err: () => {},
    colors: pico.createColors(false),
  }
  const file = join(folder, 'promptfooconfig.yaml')
  expect(await importCommand({ file }, output)).toBe(0)
  return { folder, out: out.replaceAll(`${folder}/`, '') }
}

describe('assay import', () => {
  it('makes a suite and a run file that load, and lists what it could not carry over', async () => {
    const { folder, out } = await imported(FILES)
    const { suite } = await loadSuite(join(folder, 'suite.yaml'), { graders })
    expect(suite.prompts?.map(({ name }) => name)).toEqual([
      'prompt 1',
      'polite 1',
      'polite 2',
      'chat',
    ])
    expect(suite.cases.map(({ id }) => id)).toEqual([
      'french-greeting',
      'test-2',
      'test-2-2',
      'yes-in-spanish',
      'test-4',
    ])
    const [french, german, , spanish, italian] = suite.cases
    expect(french?.graders.map(({ type, negate }) => [type, negate])).toEqual([
      ['contains', true],
      ['time-budget', false],
      ['contains', false],
    ])
    expect(french?.tags).toEqual(['incomplete'])
    expect(german?.graders.find(({ type }) => type === 'matches')?.options).toMatchObject({
      pattern: '^German:',
    })
    expect(german?.graders.find(({ name }) => name === 'greets')).toMatchObject({ weight: 2 })
    expect(german?.graders.map(({ type }) => type)).toContain('any')
    expect([german?.threshold, french?.threshold]).toEqual([0.5, null])
    expect(german?.trials ?? suite.cases[0]?.trials).toBe(3)
    expect(spanish?.graders.map(({ type }) => type)).toEqual([
      'contains',
      'time-budget',
      'contains',
      'json',
    ])
    expect(italian?.graders.at(-1)).toMatchObject({ type: 'equals' })
    const { settings } = await loadSettings({ folder, file: join(folder, 'suite.run.toml') })
    expect(settings).toEqual({
      parallelism: 2,
      model: ['openai/gpt-5-mini', 'careful'],
      subjects: {
        careful: { model: 'anthropic/claude-haiku-4-5', temperature: 0.2, maxTokens: 100 },
      },
    })
    expect(out).toContain('wrote suite.yaml with 5 cases, and suite.run.toml')
    for (const lost of [
      'scenarios: Assay has no counterpart',
      'prompts[3]: file://generate.js: a program or a pattern',
      'providers[1]: config.apiKey',
      'providers[2]: file://provider.py',
      'tests[0]: the assertion javascript: it is a program',
      'more.csv:2: the column __metric',
    ])
      expect(out).toContain(`  ${lost}`)
    expect(out).toContain('1 case lost assertions')
    expect(await readFile(join(folder, 'suite.yaml'), 'utf8')).not.toContain('apiKey')
  })

  it('overwrites nothing, and reads nothing outside of the folder', async () => {
    await expect(imported({ ...FILES, 'suite.yaml': 'x' })).rejects.toThrow('nothing was written')
    const outside = {
      'promptfooconfig.yaml': 'prompts: [x]\ntests: [{ vars: { a: file:///etc/hostname } }]\n',
    }
    await expect(imported(outside)).rejects.toThrow('outside of the folder')
    const settings = {
      'promptfooconfig.yaml': 'prompts: [x]\ntests: [{ vars: { a: file://x/../.git/config } }]\n',
      '.git/config': 'url = https://key@example.com',
      'x/y': '',
    }
    await expect(imported(settings)).rejects.toThrow('a path in .git')
    const linked = await suiteFolder(FILES)
    await symlink('nowhere', join(linked, 'suite.yaml'))
    const file = join(linked, 'promptfooconfig.yaml')
    await expect(importCommand({ file }, keptOutput())).rejects.toThrow('nothing was written')
    await expect(imported({ 'promptfooconfig.yaml': 'prompts: [x]\ncases: []\n' })).rejects.toThrow(
      'A suite needs no import',
    )
    await expect(importCommand({ file: linked }, keptOutput())).rejects.toThrow(
      'a folder; expected the path of the promptfooconfig.yaml in it',
    )
    await expect(imported({ 'promptfooconfig.yaml': 'a: 1\n' })).rejects.toThrow(
      'not a promptfoo configuration',
    )
  })

  it.each(['nothing secret {', '5'])(
    'names a line that is no test, and does not quote it: %s',
    async (line) => {
      const files = {
        'promptfooconfig.yaml': 'prompts: [x]\ntests: tests.jsonl\n',
        'tests.jsonl': `{"vars": {"a": "b"}}\n\n${line}\n`,
      }
      await expect(imported(files)).rejects.toThrow(
        'tests.jsonl:3: no JSON object; expected a test on each line',
      )
    },
  )
})
