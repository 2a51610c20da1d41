import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Ask, type Case, type Subject, type Suite, UsageError } from '@assay/contract'
import {
  checkSubjects,
  makeSubjects,
  modelInCommand,
  splitSubjects,
  type SubjectRequest,
} from './index.ts'
import { readSubject } from './subject-text.ts'
import { namedSubjectIn } from './subjects.ts'

let folder = ''
let made: Subject[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-subjects-'))
  made = []
})

afterEach(async () => {
  for (const subject of made) await subject.close()
  await rm(folder, { recursive: true, force: true })
})

const KEYS = { OPENAI_API_KEY: 'sk-test-0123456789' }

async function make(subjects: string[], more: Partial<SubjectRequest> = {}): Promise<Subject[]> {
  made = await makeSubjects({ subjects, env: KEYS, ...more })
  return made
}

describe('modelInCommand', () => {
  it('doubts a comma of a command behind which a model could begin', () => {
    expect(modelInCommand('command:a,b/c')).toBe('b/c')
    expect(modelInCommand('command+json:solve --x 1, openai/gpt-5')).toBe('openai/gpt-5')
    for (const sure of ['command:grep "a,b/c"', 'command:a,b', 'openai/gpt-5', 'command:a b/c'])
      expect(modelInCommand(sure)).toBeNull()
  })
})

describe('splitSubjects', () => {
  it.each([
    ['openai/gpt-5', ['openai/gpt-5']],
    ['openai/gpt-5,ollama/llama3.2:3b', ['openai/gpt-5', 'ollama/llama3.2:3b']],
    [' a/b , c/d ,', ['a/b', 'c/d']],
    ['', []],
    ['simulated:pass=0.8,seed=3', ['simulated:pass=0.8,seed=3']],
    ['simulated:pass=0.8,seed=3,openai/gpt-5', ['simulated:pass=0.8,seed=3', 'openai/gpt-5']],
    ['simulated:,simulated:pass=1', ['simulated:', 'simulated:pass=1']],
    ['simulated:pass=1,fast', ['simulated:pass=1', 'fast']],
    ['command:a x,y,b/c', ['command:a x,y,b/c']],
    ['command:a x,fast', ['command:a x', 'fast']],
    ['command:a x,other', ['command:a x,other']],
    ['command:a,replay:b', ['command:a', 'replay:b']],
    [`command:a "x,replay:b" 'y,fast'`, [`command:a "x,replay:b" 'y,fast'`]],
    [`command:it\\'s,replay:b`, [`command:it\\'s`, 'replay:b']],
    ['replay:runs/may#openai/x,fast,a/b', ['replay:runs/may#openai/x', 'fast', 'a/b']],
    ['fast,slow', ['fast', 'slow']],
  ])('%j', (list, subjects) => {
    expect(splitSubjects(list, ['fast'])).toEqual(subjects)
  })
})

describe('readSubject', () => {
  it('knows a scheme, a model and a name apart', () => {
    expect(readSubject('command: a b')).toEqual({ scheme: 'command', rest: 'a b' })
    expect(readSubject('command+json:a')).toEqual({ scheme: 'command+json', rest: 'a' })
    expect(readSubject('openrouter/a/b:free')).toEqual({
      scheme: 'model',
      rest: 'openrouter/a/b:free',
    })
    expect(readSubject('fast', ['fast'])).toEqual({ scheme: 'name', rest: 'fast' })
    // A subject that is defined by name takes precedence, even if its name looks like a model.
    expect(readSubject('openai/x', ['openai/x'])).toEqual({ scheme: 'name', rest: 'openai/x' })
  })

  it.each([
    ['comand:x', [], 'did you mean command:…?'],
    ['simulate:x', [], 'did you mean simulated:…?'],
    [
      'llama3:8b',
      [],
      'Write provider/model, command:…, command+json:…, agent:NAME (claude codex gemini cline opencode copilot qwen), replay:…, replay-agent:…, simulated:…',
    ],
    ['fsat', ['fast', 'slow'], 'did you mean fast?'],
    ['quick', ['fast'], 'or a name from assay.toml (fast)'],
    ['', [], 'there is no subject ""'],
  ])('refuses %j', (text, names, message) => {
    expect(() => readSubject(text, names)).toThrow(UsageError)
    expect(() => readSubject(text, names)).toThrow(message)
  })
})

describe('makeSubjects', () => {
  it('makes each kind under the text or the name the user gave it', async () => {
    await writeFile(join(folder, 's.jsonl'), '{"task_id": "a", "completion": "x"}\n')
    const samples = `replay:${join(folder, 's.jsonl')}`
    const subjects = await make(
      ['openai/gpt-5', `command:echo hi`, samples, 'simulated:pass=1', 'mine'],
      {
        named: { mine: { simulated: true } },
      },
    )
    expect(subjects.map(({ id, kind }) => [id, kind])).toEqual([
      ['openai/gpt-5', 'model'],
      ['command:echo hi', 'command'],
      [samples, 'replay'],
      ['simulated:pass=1', 'simulated'],
      ['mine', 'simulated'],
    ])
    expect(subjects[0]?.secrets).toEqual([KEYS.OPENAI_API_KEY])
  })

  it('gives a model its own parameters, those of all, and lets the command line win', async () => {
    const model = 'openai/gpt-5'
    const [own, plain] = await make(['careful', model], {
      named: { careful: { model, temperature: 0.2, system: 'Think.', reasoningEffort: 'low' } },
      defaults: { temperature: 1, topP: 0.9 },
    })
    expect(own?.config).toMatchObject({
      parameters: { temperature: 0.2, topP: 0.9, system: 'Think.', effort: 'low' },
    })
    expect(plain?.config).toMatchObject({ parameters: { temperature: 1, topP: 0.9 } })
    const [flagged] = await make(['careful'], {
      named: { careful: { model, temperature: 0.2 } },
      parameters: { temperature: 0.7 },
    })
    expect(flagged?.config).toMatchObject({ parameters: { temperature: 0.7 } })
  })

  it('reads a command as a line or as words, and an envelope where it is asked for', async () => {
    const asked = {
      suite: 's',
      case: { id: 'c' } as Case,
      index: 0,
      messages: [{ role: 'user', content: 'q' }],
      maxTokens: null,
      timeoutMs: 20_000,
      random: () => 0,
      signal: new AbortController().signal,
    } satisfies Ask
    const print = `process.stdout.write(JSON.stringify({ text: process.argv[1] }))`
    const [line, words] = await make(
      [`command+json:'${process.execPath}' -e '${print}' "a b"`, 'words'],
      {
        named: { words: { command: [process.execPath, '-p', 'process.cwd()'], cwd: 'sub' } },
        folder: await mkdir(join(folder, 'sub'), { recursive: true }).then(() => folder),
      },
    )
    expect(await line?.answer(asked)).toMatchObject({ text: 'a b', stop: 'end' })
    expect((await words?.answer(asked))?.text).toContain(`assay-subjects-`)
    expect((await words?.answer(asked))?.text.trimEnd().endsWith('sub')).toBe(true)
  })

  it('finds a recording by path, by path and subject, and by what runs are called', async () => {
    const run = join(folder, 'a#b')
    await mkdir(run)
    await writeFile(join(run, 'run.json'), '{}')
    const trial = {
      suite: 's',
      case: 'c',
      subject: 'm/x#1',
      index: 0,
      outcome: 'passed',
      score: 1,
      grades: [],
      answer: 'hi',
      usage: null,
      cost: { answerUsd: null, spentUsd: 0 },
      time: { answerMs: 1 },
      source: 'live',
    }
    await writeFile(
      join(run, 'trials.jsonl'),
      `{"assay":"trials","version":1}\n${JSON.stringify(trial)}\n`,
    )
    const [whole, one] = await make([`replay:${run}`, `replay:${run}#m/x#1`])
    expect(whole?.config).toMatchObject({ run, subject: 'm/x#1' })
    expect(one?.config).toMatchObject({ run, subject: 'm/x#1' })
    const [latest] = await make(['replay:latest#m/x#1'], { findRun: () => run })
    expect(latest?.config).toMatchObject({ run, subject: 'm/x#1' })
    const [named] = await make(['r'], { named: { r: { replay: 'a#b' } }, folder })
    expect(named?.kind).toBe('replay')
  })

  it.each([
    [['nobody/x'], {}, 'there is no provider "nobody"'],
    [['anthropic/x'], {}, 'needs a key'],
    [['replay:nowhere'], {}, 'there is no run folder or file nowhere'],
    [['replay:'], {}, 'names no run folder or file'],
    [['command:'], {}, 'the command is empty'],
    [['simulated:pass=2'], {}, 'pass must be'],
    [['simulated:', 'simulated:'], {}, 'simulated: is there twice'],
    [['x'], { named: { x: {} } }, 'x must be one of agent, model, command, replay, simulated'],
    [['x'], { named: { x: { model: 'a/b', simulated: true } } }, 'and only one'],
    [['x'], { named: { x: { command: 'a', temperature: 1 } } }, 'temperature is not for a command'],
    [['x'], { named: { x: { command: 'a', mcpServers: {} } } }, 'lay it with files or homeFiles'],
    [['x'], { named: { x: { simulated: true, cwd: '.' } } }, 'which takes no settings'],
  ] as [string[], Partial<SubjectRequest>, string][])(
    'refuses %j %j',
    async (subjects, more, message) => {
      await expect(make(subjects, more)).rejects.toThrow(UsageError)
      await expect(make(subjects, more)).rejects.toThrow(message)
    },
  )

  it('holds a model to a deadline of its own', async () => {
    const [slow] = await make(['x'], { named: { x: { model: 'openai/gpt-5', timeoutMs: 5000 } } })
    expect(slow).toMatchObject({ id: 'x', kind: 'model', config: { timeoutMs: 5000 } })
  })
})

describe('checkSubjects', () => {
  it('asks those that can tell whether they can answer', async () => {
    const bare = { id: 'c', reference: null, faulty: [] } as unknown as Case
    const suites = [{ id: 's', cases: [bare] } as unknown as Suite]
    const subjects = await make(['openai/gpt-5', 'simulated:pass=0.5'])
    expect(() => checkSubjects(subjects, suites)).toThrow('s/c has no reference answer')
    expect(() => checkSubjects(subjects.slice(0, 1), suites)).not.toThrow()
  })
})

describe('the name of a subject of the file inside of replay-agent', () => {
  it.each(['evil', ' evil', 'evil ', '\tevil'])('is found however it is written: %j', (written) => {
    const named = { evil: { command: './evil.sh' } }
    expect(namedSubjectIn(`replay-agent:run#${written}`, named)).toBe('evil')
  })
})
