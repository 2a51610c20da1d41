/** Suites and experiments with prompts, against a model on loopback: what is asked, recorded, compared and graded. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pico from 'picocolors'
import { beforeAll, afterAll, describe, expect, it } from 'vitest'
import type { Message, Trial } from '@assay/contract'
import { startModelServer, type ModelServer } from '../../../../test/model-server/index.ts'
import { suiteFolder } from '../../../../test/suite-folder.ts'
import { lastRevision, parseMessages, readRecord, readTrials } from '../../../log/index.ts'
import { readRun, summarize } from '../../../report/index.ts'
import type { RunFlags } from '../../settings/run-flags.ts'
import { showCommand } from '../show/show.ts'
import { runCommand } from './run.ts'

const SUITE = `id = "support"
data = "tickets.csv"

[prompts.terse]
user = "Classify: {{ text }}"

[prompts.shots]
system = "One word, about {{ area }}."
messages = [
  { role = "user", content = "It crashed" },
  { role = "assistant", content = "bug" },
  { role = "user", content = "{{ text }}" },
]

[template]
graders = [{ type = "equals", value = "{{ label }}" }]
`
const CSV = 'id,text,label,area\na,wrong invoice,billing,shop\nb,app down,bug,app\n'

let server: ModelServer
beforeAll(async () => {
  server = await startModelServer({
    answer: ({ prompt, system, body }) => {
      if (prompt.startsWith('Say')) return `${prompt.slice(4)}${system === '' ? '' : ` ${system}`}`
      if (prompt.startsWith('Again')) return JSON.stringify(body).includes('first') ? 'twice' : '?'
      // With examples the model also knows bugs.
      return prompt.includes('invoice') ? 'billing' : system === '' ? 'unknown' : 'bug'
    },
  })
})
afterAll(() => server.close())

async function assay(folder: string, flags: Partial<RunFlags>) {
  const said = { out: '', err: '' }
  const output = join(folder, `run-${Math.random()}`)
  const code = await runCommand(
    { suites: [], output, model: ['local/small'], config: join(folder, 'run.toml'), ...flags },
    {
      out: (more) => void (said.out += more),
      err: (more) => void (said.err += more),
      isTerminal: false,
      ready: () => null,
      outIsTerminal: false,
      width: 80,
      colors: pico.createColors(false),
    },
  )
  return { code, ...said, folder: output }
}

const project = (files: Readonly<Record<string, string>>) =>
  suiteFolder({
    'run.toml': `[providers.local]\nbaseUrl = "http://127.0.0.1:${server.port}/v1"\n`,
    ...files,
  })

async function trialsOf(folder: string): Promise<Trial[]> {
  const trials: Trial[] = []
  await readTrials(folder, (trial) => void trials.push(trial))
  return trials
}

const messagesOf = ({ messages }: Trial): Message[] =>
  typeof messages === 'string' ? parseMessages(messages) : []

describe('prompts of a suite', () => {
  it('are subjects of their own, with the same cases, and record what was asked', async () => {
    const folder = await project({ 's.toml': SUITE, 'tickets.csv': CSV })
    const run = await assay(folder, { suites: [join(folder, 's.toml')] })
    expect(run.code).toBe(0)
    const report = await summarize(run.folder)
    expect(
      Object.fromEntries(report.subjects.map(({ subject, counts }) => [subject, counts.passed])),
    ).toEqual({ 'local/small · shots': 2, 'local/small · terse': 1 })
    expect(report.headline?.suites).toHaveLength(1)
    const trials = await trialsOf(run.folder)
    expect(new Set(trials.map(({ case: id, caseHash }) => `${id} ${caseHash}`)).size).toBe(2)
    const shots = trials.find(({ case: id, subject }) => id === 'b' && subject.endsWith('shots'))
    expect(messagesOf(shots as Trial)).toEqual([
      { role: 'system', content: 'One word, about app.' },
      { role: 'user', content: 'It crashed' },
      { role: 'assistant', content: 'bug' },
      { role: 'user', content: 'app down' },
    ])
    const again = await assay(folder, {
      regrade: run.folder,
      suites: [join(folder, 's.toml')],
      model: undefined as never,
    })
    expect(
      (await summarize(again.folder)).subjects
        .map(({ counts }) => counts.passed)
        .toSorted((a, b) => a - b),
    ).toEqual([1, 2])
  })

  it('that change keep the hashes of the cases, and change the subject', async () => {
    const folder = await project({ 's.toml': SUITE, 'tickets.csv': CSV })
    const suites = [join(folder, 's.toml')]
    const one = lastRevision(readRecord((await assay(folder, { suites })).folder))
    writeFileSync(join(folder, 's.toml'), SUITE.replace('Classify: ', 'In {{ area }}, what is '))
    const two = lastRevision(readRecord((await assay(folder, { suites })).folder))
    expect(two.suites[0]?.hash).toBe(one.suites[0]?.hash)
    expect(two.subjects.map(({ id }) => id)).toEqual(one.subjects.map(({ id }) => id))
    expect(two.subjects[0]?.hash).not.toBe(one.subjects[0]?.hash)
    expect(two.subjects[1]?.hash).toBe(one.subjects[1]?.hash)
    writeFileSync(join(folder, 'tickets.csv'), CSV.replace('app down', 'app up'))
    const three = lastRevision(readRecord((await assay(folder, { suites })).folder))
    expect(three.suites[0]?.hash).not.toBe(two.suites[0]?.hash)
  })

  it('apply only to their own suite', async () => {
    const folder = await project({
      's.toml': SUITE,
      'tickets.csv': CSV,
      'plain.json': JSON.stringify({
        id: 'plain',
        cases: [
          { id: 'x', prompt: 'Say {{ hi }}', graders: [{ type: 'equals', value: '{{ hi }}' }] },
        ],
      }),
    })
    const run = await assay(folder, {
      suites: [join(folder, 's.toml'), join(folder, 'plain.json')],
    })
    const { report } = await readRun(run.folder)
    expect(report.subjects.map(({ suite, subject }) => `${suite}: ${subject}`).sort()).toEqual([
      'plain: local/small',
      'support: local/small · shots',
      'support: local/small · terse',
    ])
    expect(report.counts).toMatchObject({ planned: 5, passed: 4, failed: 1 })
  })

  it('refuse a case that lacks a variable, with the nearest column and the place', async () => {
    const folder = await project({
      's.toml': SUITE.replaceAll('{{ text }}', '{{ txet }}'),
      'tickets.csv': CSV,
    })
    await expect(assay(folder, { suites: [join(folder, 's.toml')] })).rejects.toThrow(
      /s\.toml:\d+:\d+: prompts\.terse: \S*tickets\.csv has no column "txet" \(did you mean text\?\)/,
    )
  })
})

it('compares prompts as the tiers of each model of an experiment', async () => {
  const folder = await project({
    'tickets.csv': CSV,
    's.toml': SUITE.replace(/\[prompts[^]*?(?=\[template\])/, '').replace(
      '[template]',
      '[template]\nprompt = "{{ text }}"',
    ),
    'prompts/plain.md': '{{ prompt }}\n',
    'prompts/wise.yaml': 'system: You know bugs.\n',
    'e.toml':
      'suites = ["s.toml"]\nsubjects = ["local/small", "local/big"]\nprompts = "prompts/*"\ntiers = "prompt"\nbaseline = "plain"\ntrials = 1\n',
  })
  const run = await assay(folder, { suites: [join(folder, 'e.toml')], model: undefined as never })
  expect(run.code).toBe(0)
  const { tiers } = await summarize(run.folder)
  expect(tiers.map(({ baseline, order }) => [baseline, order])).toEqual([
    ['local/small · plain', ['local/small · plain', 'local/small · wise']],
    ['local/big · plain', ['local/big · plain', 'local/big · wise']],
  ])
  expect(lastRevision(readRecord(run.folder)).experiment?.varies).toEqual(['prompt'])
})

describe('turns', () => {
  const TURNS = (turn: string) => `id = "talk"
[[cases]]
id = "two"
system = "!"
turns = ["Say first", "Again"]
reference = "twice"
faulty = ["?"]
graders = [
  { type = "equals", name = "early", value = "first !"${turn} },
  { type = "equals", name = "late", value = "twice" },
]
`
  it('in the middle are graded, recorded and shown', async () => {
    const folder = await project({ 's.toml': TURNS(', turn = 1') })
    const run = await assay(folder, { suites: [join(folder, 's.toml')] })
    expect((await summarize(run.folder)).counts.passed).toBe(1)
    const said = { out: '' }
    await showCommand(
      { run: run.folder, case: 'two', index: '0' },
      {
        out: (more) => void (said.out += more),
        err: () => {},
        isTerminal: false,
        ready: () => null,
        outIsTerminal: false,
        width: 80,
        colors: pico.createColors(false),
      },
    )
    expect(said.out.replaceAll(/\n+/g, '\n')).toContain(
      'system\n  !\nuser\n  Say first\nassistant\n  first !\nprompt\n  Again\nanswer\n  twice\n',
    )
    const other = await project({ 's.toml': TURNS('') })
    const wrong = await assay(other, { suites: [join(other, 's.toml')] })
    expect((await summarize(wrong.folder)).counts.failed).toBe(1)
  })

  it('that a case does not have are refused, as are subjects without answers between turns', async () => {
    const folder = await project({ 's.toml': TURNS(', turn = 3') })
    await expect(assay(folder, { suites: [join(folder, 's.toml')] })).rejects.toThrow(
      'turn 3 in a case of 2 turns',
    )
    const other = await project({ 's.toml': TURNS(', turn = 1') })
    await expect(
      assay(other, { suites: [join(other, 's.toml')], model: ['simulated'] }),
    ).rejects.toThrow('answers only the last turn')
  })
})
