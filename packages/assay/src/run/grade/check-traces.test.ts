/**
 * A grader that needs a subject's trajectory or diff is refused, before the first trial, if the subject cannot
 * provide one. In earlier versions, such a grader gave no verdict, and the trial could pass because of its other
 * graders.
 *
 * The tests also cover: every grader that needs a trajectory or a diff, every kind of subject, `run()`,
 * `--dry-run`, regrading, replays with and without a trajectory, and experiments that are only validated.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pico from 'picocolors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeCase, fakeSuite } from '../../../test/fakes.ts'
import { runCommand } from '../../cli/commands/run/run.ts'
import type { RunFlags } from '../../cli/settings/run-flags.ts'
import { validateCommand } from '../../cli/commands/validate/validate.ts'
import type { GraderConfig, WorkspacePlan } from '@assay/contract'
import { graders } from '../../grade/index.ts'
import { makeSubjects, type NamedSubject } from '../../subject/index.ts'
import { checkTraces } from './check-traces.ts'
import { run } from '../run.ts'

const before = process.cwd()
const folder = mkdtempSync(join(tmpdir(), 'traces-'))
beforeAll(() => process.chdir(folder))
afterAll(() => {
  process.chdir(before)
  rmSync(folder, { recursive: true, force: true })
})

const grader = (type: string): GraderConfig => ({
  type,
  name: type,
  weight: 1,
  required: false,
  negate: false,
  options: type === 'tool-calls' ? { expected: ['search'] } : {},
})
const WORKSPACE: WorkspacePlan = {
  git: null,
  folder: null,
  setup: [],
  setupTimeoutMs: 1000,
  ignore: [],
  protect: [],
  hidden: {},
}
const suiteWith = (type: string, workspace: WorkspacePlan | null = null) =>
  fakeSuite([fakeCase('a', { graders: [grader(type)], workspace })], { id: 's' })

const TRAJECTORY = [
  'tool-calls',
  'skill-invocation',
  'turn-count',
  'tool-call-count',
  'error-count',
]
const DIFF = ['diff-contains', 'diff-empty', 'diff-size', 'files-touched']

async function refusal(
  described: NamedSubject,
  type: string,
  workspace: WorkspacePlan | null = null,
): Promise<string | null> {
  const subjects = await makeSubjects({ subjects: ['it'], named: { it: described } })
  try {
    checkTraces([suiteWith(type, workspace)], subjects)
    return null
  } catch (error) {
    return (error as Error).message
  } finally {
    for (const subject of subjects) await subject.close()
  }
}

describe('graders of what a subject did', () => {
  it('are these', () => {
    const needing = (what: string): string[] =>
      graders.flatMap(({ type, needs }) => (needs === what ? [type] : []))
    expect(needing('trajectory').toSorted()).toEqual(TRAJECTORY.toSorted())
    expect(needing('diff').toSorted()).toEqual(DIFF.toSorted())
  })

  it.each([...TRAJECTORY, ...DIFF])('%s is refused for a model', async (type) => {
    const message = await refusal({ model: 'ollama/x' }, type)
    expect(message).toContain('case s a')
    expect(message).toContain(`graded by ${type},`)
    expect(message).toContain('it answers with text alone')
    expect(await refusal({ simulated: 'pass=1' }, type, WORKSPACE)).not.toBe(null)
    expect(await refusal({ command: 'echo' }, type)).not.toBe(null)
    // The files that it changes are known, but not its steps.
    const asText = await refusal({ command: 'echo', events: 'text' }, type, WORKSPACE)
    expect(asText === null).toBe(DIFF.includes(type))
    const envelope = await refusal({ command: 'echo', answerAs: 'json' }, type, WORKSPACE)
    expect(envelope === null).toBe(DIFF.includes(type))
    const told = await refusal({ command: 'echo', events: 'assay' }, type)
    expect(told === null).toBe(TRAJECTORY.includes(type))
    expect(await refusal({ command: 'echo' }, type, WORKSPACE)).toBe(null)
  })

  it.each(['completed', 'equals', 'file-exists', 'token-budget'])('%s is not', async (type) => {
    expect(await refusal({ model: 'ollama/x' }, type)).toBe(null)
  })
})

const SUITE = `id = "s"
[[cases]]
id = "a"
prompt = "p"
reference = "Paris"
faulty = ["x"]
graders = [{ type = "equals", value = "Paris" }, { type = "tool-calls", expected = ["search"] }]
`

async function assay(flags: Partial<RunFlags>) {
  const told = { out: '', err: '' }
  const output = {
    out: (more: string) => void (told.out += more),
    err: (more: string) => void (told.err += more),
    isTerminal: false,
    outIsTerminal: false,
    ready: () => null,
    width: 200,
    colors: pico.createColors(false),
  }
  const code = await runCommand({ suites: ['s.toml'], trust: true, ...flags }, output)
  return { code, ...told }
}

describe('a run', () => {
  beforeAll(() => {
    writeFileSync('s.toml', SUITE)
    writeFileSync(
      'assay.toml',
      `[subjects.tells]\ncommand = ["sh", "-c", 'echo \\'{"type":"tool-call","id":"1","name":"search"}\\'; echo \\'{"type":"done","answer":"Paris"}\\'']\nevents = "assay"\n`.replaceAll(
        `'echo \\'{"type":"tool-call","id":"1","name":"search"}\\'; echo \\'{"type":"done","answer":"Paris"}\\''`,
        `"echo '{\\"type\\":\\"tool-call\\",\\"id\\":\\"1\\",\\"name\\":\\"search\\"}'; echo '{\\"type\\":\\"done\\",\\"answer\\":\\"Paris\\"}'"`,
      ),
    )
  })

  it('is refused before its first trial, and so is its plan', async () => {
    const refused = 'case s a is graded by tool-calls'
    for (const dryRun of [true, false])
      await expect(assay({ model: ['command:echo Paris'], dryRun })).rejects.toThrow(refused)
    await expect(assay({ model: ['simulated:pass=1'] })).rejects.toThrow(refused)
  })

  it('passes where the command tells its events', async () => {
    expect((await assay({ model: ['tells'], output: 'told' })).out).toContain('1 passed')
  })

  it('may replay what was told, and not what was not', async () => {
    expect((await assay({ model: ['replay:told'], output: 'again' })).out).toContain('1 passed')
    writeFileSync('samples.jsonl', '{"task_id": "a", "completion": "Paris"}\n')
    await expect(assay({ model: ['replay:samples.jsonl'] })).rejects.toThrow('graded by tool-calls')
  })

  it('that is graded again is refused too, where a model answered', async () => {
    writeFileSync('s.toml', SUITE.replace(/, \{ type = "tool-calls".*\}/, ''))
    await assay({ model: ['simulated:pass=1'], output: 'plain' })
    writeFileSync('s.toml', SUITE)
    await expect(assay({ regrade: 'plain', suites: [] })).rejects.toThrow('graded by tool-calls')
    expect((await assay({ regrade: 'told', suites: [], output: 'told-2' })).out).toContain(
      '1 passed',
    )
  })

  it('of the library is refused too', async () => {
    const subjects = await makeSubjects({ subjects: ['simulated:pass=1'] })
    const started = run({ suites: [suiteWith('tool-calls')], subjects, folder: 'library' })
    await expect(started).rejects.toThrow('case s a is graded by tool-calls')
  })
})

describe('validate', () => {
  const validate = async (path: string) => {
    const told = { out: '', err: '' }
    const code = await validateCommand(
      { paths: [path] },
      {
        out: (more) => void (told.out += more),
        err: (more) => void (told.err += more),
        colors: pico.createColors(false),
      },
    )
    return { code, ...told }
  }

  it('refuses an experiment whose subjects cannot show what its graders need', async () => {
    const experiment = (subject: string): string =>
      `suites = ["s.toml"]\nvary = ["simulated", "command"]\n[subjects.tells]\ncommand = "x"\nevents = "assay"\n[subjects.other]\n${subject}\n`
    writeFileSync('e.toml', experiment('command = "y"\nevents = "assay"'))
    expect(await validate('e.toml')).toMatchObject({ code: 0, err: '' })
    writeFileSync(
      'f.toml',
      'suites = ["s.toml"]\nsubjects = ["simulated:pass=1", "simulated:pass=1,seed=2"]\nvary = ["simulated"]\n',
    )
    const { code, err } = await validate('f.toml')
    expect(code).toBe(2)
    expect(err).toContain('case s a is graded by tool-calls')
    expect(err).toContain('simulated:pass=1')
  })

  it('accepts the suite alone: an agent may come', async () => {
    expect((await validate('s.toml')).code).toBe(0)
  })

  it('refuses a turn that the case has not', async () => {
    writeFileSync(
      'turn.toml',
      SUITE.replace('expected = ["search"]', 'expected = ["search"], turn = 2'),
    )
    const { code, err } = await validate('turn.toml')
    expect(code).toBe(2)
    expect(err).toContain('turn')
    expect(err).toContain('from 1 to 1')
  })
})
