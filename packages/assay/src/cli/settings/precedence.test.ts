/**
 * Tests which value of a setting counts if several places set it. The order is: flags, the recorded run, the run or
 * experiment file, the case, the suite, assay.toml, the defaults. A dry run shows where each value came from.
 *
 * The tests also cover: every setting of settings-table.ts in each place where it can be set; `-k` with and without
 * `-n`; `--config` in another folder; experiments; the `runs`, `timeout` and `max_duration` of eval YAML and the
 * `timeout_secs` of eval-set TOML; `--resume` and `--regrade`, with records of earlier versions; the options of the
 * library's `run()`; settings of subjects themselves.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pico from 'picocolors'
import { beforeEach, afterEach, describe, expect, it } from 'vitest'
import { lastRevision, readRecord, type RunRecord } from '../../log/index.ts'
import { rewriteRecord } from '../../../test/rewrite-run.ts'
import { graders } from '../../grade/index.ts'
import { run } from '../../run/index.ts'
import { makeSubjects } from '../../subject/index.ts'
import { loadSuite } from '../../suite/index.ts'
import { runCommand } from '../commands/run/run.ts'
import type { RunFlags } from './run-flags.ts'

const before = process.cwd()
let folder = ''
let next = 0
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-precedence-'))
  process.chdir(folder)
})
afterEach(() => {
  process.chdir(before)
  rmSync(folder, { recursive: true })
})

const write = (name: string, text: string): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}

const CASE = `prompt = "Say yes"\nreference = "yes"\nfaulty = ["no"]\ngraders = [{ type = "equals", value = "yes" }]\n`
/** A suite with one case that sets nothing itself, and one case with the settings `own`. */
const suite = (defaults: string, own = ''): string =>
  `id = "s"\n[defaults]\n${defaults}\n[[cases]]\nid = "plain"\n${CASE}[[cases]]\nid = "own"\n${own}\n${CASE}`

interface Told {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly folder: string
}

async function assay(flags: Partial<RunFlags>): Promise<Told> {
  const told = { out: '', err: '' }
  const output = `run-${next++}`
  const code = await runCommand(
    { suites: [], trust: true, ...(flags.resume === undefined ? { output } : {}), ...flags },
    {
      out: (more) => void (told.out += more),
      err: (more) => void (told.err += more),
      isTerminal: false,
      outIsTerminal: false,
      ready: () => null,
      width: 200,
      colors: pico.createColors(false),
    },
  )
  return { code, ...told, folder: flags.output ?? output }
}

const SIMULATED = { model: ['simulated:pass=1'] }

/** The lines of a dry run for one setting, without its name. */
async function shown(flags: Partial<RunFlags>, name: string): Promise<string[]> {
  const { code, out } = await assay({ suites: ['s.toml'], ...SIMULATED, ...flags, dryRun: true })
  expect(code).toBe(0)
  const lines = out.split('\n')
  const at = lines.findIndex((line) => line.trimStart().startsWith(`${name} `))
  expect(at, out).not.toBe(-1)
  const own = lines.slice(at + 1).findIndex((line) => !/^ {10}/.test(line))
  return lines
    .slice(at, at + 1 + own)
    .map((line, i) => (i === 0 ? line.replace(name, '') : line).trim())
}

const trialsIn = (at: string): Record<string, number> => {
  const { suites } = lastRevision(readRecord(at))
  return Object.fromEntries(suites.flatMap(({ cases }) => cases.map((one) => [one.id, one.trials])))
}

describe('trials', () => {
  beforeEach(() => write('s.toml', suite('trials = 3', 'trials = 4')))

  it('of the command line win over the suite and the case', async () => {
    const { folder: at } = await assay({ suites: ['s.toml'], ...SIMULATED, trials: 10 })
    expect(trialsIn(at)).toEqual({ plain: 10, own: 10 })
    expect(await shown({ trials: 2 }, 'trials')).toEqual(['2 (--trials)'])
  })

  it('are enough for the k of the command line', async () => {
    const { folder: at, err } = await assay({ suites: ['s.toml'], ...SIMULATED, passK: [1, 5] })
    expect(trialsIn(at)).toEqual({ plain: 5, own: 5 })
    expect(err).not.toContain('will be missing')
    expect(await shown({ passK: [1, 5] }, 'trials')).toEqual(['5 (--pass-k)'])
  })

  it('of a suite stay where they are more than k', async () => {
    const { folder: at } = await assay({ suites: ['s.toml'], ...SIMULATED, passK: [2] })
    expect(trialsIn(at)).toEqual({ plain: 3, own: 4 })
  })

  it('of the command line win over its k, which is told', async () => {
    const { folder: at, err } = await assay({
      suites: ['s.toml'],
      ...SIMULATED,
      passK: [5],
      trials: 2,
    })
    expect(trialsIn(at)).toEqual({ plain: 2, own: 2 })
    expect(err).toContain('pass@5 needs at least 5 trials per case and there are 2')
  })

  it('of the suite and its case are told apart', async () => {
    expect(await shown({}, 'trials')).toEqual(['3 (suite s.toml)', '4 (case s own)'])
  })

  it('of a run file win over the suite, those of assay.toml do not', async () => {
    write('assay.toml', 'trials = 7\n')
    expect(await shown({}, 'trials')).toEqual(['3 (suite s.toml)', '4 (case s own)'])
    write('nightly.toml', 'trials = 6\n')
    expect(await shown({ config: 'nightly.toml' }, 'trials')).toEqual(['6 (nightly.toml)'])
    write('s.toml', suite('', 'trials = 4'))
    expect(await shown({}, 'trials')).toEqual(['7 (assay.toml)', '4 (case s own)'])
  })

  it('fewer than a weaker k stay, and the missing figure is told', async () => {
    write('assay.toml', 'passK = [5]\n')
    const { err, folder: at } = await assay({ suites: ['s.toml'], ...SIMULATED })
    expect(trialsIn(at)).toEqual({ plain: 3, own: 4 })
    expect(err).toContain('pass@5 needs at least 5 trials per case and there are 3')
    write('nightly.toml', 'passK = [5]\n')
    expect(await shown({ config: 'nightly.toml' }, 'trials')).toEqual(['5 (nightly.toml)'])
  })

  it('are by default the largest k', async () => {
    write('s.toml', suite('', ''))
    expect(await shown({}, 'trials')).toEqual(['1 (default)'])
    expect(await shown({ passK: [3] }, 'trials')).toEqual(['3 (--pass-k)'])
  })

  it('of an experiment win over its suites, its default does not', async () => {
    const experiment = (more: string): string =>
      `suites = ["s.toml"]\nvary = ["simulated.pass"]\n${more}\n[subjects.a]\nsimulated = { pass = 1 }\n[subjects.b]\nsimulated = { pass = 0.5 }\n`
    const of = async (more: string, flags: Partial<RunFlags> = {}): Promise<string[]> => {
      write('e.toml', experiment(more))
      return shown({ suites: ['e.toml'], model: undefined as never, ...flags }, 'trials')
    }
    expect(await of('trials = 8')).toEqual(['8 (e.toml)'])
    expect(await of('trials = 8', { trials: 2 })).toEqual(['2 (--trials)'])
    expect(await of('')).toEqual(['3 (suite s.toml)', '4 (case s own)'])
    write('s.toml', suite('', ''))
    expect(await of('')).toEqual(['10 (default)'])
    expect(await of('passK = [20]')).toEqual(['20 (e.toml)'])
  })

  it('of an eval YAML are the suite’s', async () => {
    write(
      'y.yaml',
      'defaults: { runs: 3, timeout: 30s }\nstimuli:\n- {name: a, prompt: p, constraints: {max_duration: 5s}}\n- {name: b, prompt: p}\n',
    )
    const flags = { suites: ['y.yaml'], model: ['command:echo x'] }
    expect(await shown(flags, 'trials')).toEqual(['3 (suite y.yaml)'])
    expect(await shown({ ...flags, trials: 4 }, 'trials')).toEqual(['4 (--trials)'])
    expect(await shown(flags, 'timeout')).toEqual(['5s (case y a)', '30s (suite y.yaml)'])
    expect(await shown({ ...flags, timeout: '9s' }, 'timeout')).toEqual(['9s (--timeout)'])
  })

  it('of the library’s run() win over the suite too', async () => {
    const loaded = await loadSuite('s.toml', { graders })
    const of = async (options: object): Promise<Record<string, number>> => {
      const subjects = await makeSubjects({ subjects: ['simulated:pass=1'] })
      const at = `lib-${next++}`
      await run({ suites: [loaded.suite], subjects, folder: at, ...options })
      return trialsIn(at)
    }
    expect(await of({ trials: 2 })).toEqual({ plain: 2, own: 2 })
    expect(await of({ passK: [5] })).toEqual({ plain: 5, own: 5 })
    expect(await of({ passK: [2] })).toEqual({ plain: 3, own: 4 })
    expect(await of({})).toEqual({ plain: 3, own: 4 })
    expect(await of({ defaults: { trials: 9, passK: [5] } })).toEqual({ plain: 3, own: 4 })
  })
})

describe('on resume', () => {
  it('a flag wins over the record, and the record over the files', async () => {
    write('s.toml', suite('trials = 3', 'timeout = "20s"'))
    const first = await assay({ suites: ['s.toml'], ...SIMULATED, trials: 2, timeout: '9s' })
    const resumed = { resume: first.folder, suites: [], model: undefined as never }
    expect(await shown(resumed, 'trials')).toEqual(['2 (the run as it was started)'])
    expect(await shown(resumed, 'timeout')).toEqual(['9s (the run as it was started)'])
    expect(await shown({ ...resumed, timeout: '5s' }, 'timeout')).toEqual(['5s (--timeout)'])
    await assay({ resume: first.folder, trials: 5 })
    expect(trialsIn(first.folder)).toEqual({ plain: 5, own: 5 })
    await assay({ resume: first.folder })
    expect(trialsIn(first.folder)).toEqual({ plain: 5, own: 5 })
  })

  it('what assay.toml said at the start still counts, and the suite is asked again', async () => {
    write('assay.toml', 'trials = 2\ntimeout = "8s"\nbudget = 5\n')
    write('s.toml', suite('', 'trials = 3'))
    const first = await assay({ suites: ['s.toml'], model: ['simulated:pass=1,price=0.01'] })
    write('assay.toml', 'trials = 9\ntimeout = "1s"\nbudget = 1\n')
    const resumed = { resume: first.folder, suites: [], model: undefined as never }
    expect(await shown(resumed, 'trials')).toEqual([
      '2 (the run as it was started)',
      '3 (case s own)',
    ])
    expect(await shown(resumed, 'timeout')).toEqual(['8s (the run as it was started)'])
    expect(await shown(resumed, 'budget')).toEqual(['$5.00 (the run as it was started)'])
    write('s.toml', suite('', 'trials = 4'))
    await assay({ resume: first.folder })
    expect(trialsIn(first.folder)).toEqual({ plain: 2, own: 4 })
  })

  it('a record of an earlier version has the trials that it planned', async () => {
    write('s.toml', suite('', 'trials = 3'))
    const { folder: at } = await assay({ suites: ['s.toml'], ...SIMULATED, trials: 2 })
    rewriteRecord(at, (record) => {
      const text = structuredClone(record) as unknown as {
        revisions: { request: Record<string, unknown>; suites: { cases: { trials: number }[] }[] }[]
      }
      for (const revision of text.revisions) {
        delete revision.request['asked']
        // In the earlier version, the case's own number of trials overrode the flag.
        const own = revision.suites[0]?.cases[1]
        if (own !== undefined) own.trials = 3
      }
      return text as unknown as RunRecord
    })
    expect((await assay({ resume: at })).code).toBe(0)
    expect(trialsIn(at)).toEqual({ plain: 2, own: 3 })
  })

  it('a resumed run keeps -p, whatever assay.toml says now; a new flag wins', async () => {
    write('s.toml', suite('', ''))
    const { folder: at } = await assay({ suites: ['s.toml'], ...SIMULATED, parallelism: 5000 })
    write('assay.toml', 'parallelism = 7\n')
    expect(await shown({ resume: at }, 'parallelism')).toEqual(['5000 (the run as it was started)'])
    expect(await shown({ resume: at, parallelism: 9 }, 'parallelism')).toEqual([
      '9 (--parallelism)',
    ])
  })

  it('a dry run needs no key', async () => {
    write('s.toml', suite('', ''))
    write(
      'assay.toml',
      '[providers.mine]\nbaseUrl = "https://example.com/v1"\napiKeyEnv = "NO_SUCH_KEY"\n',
    )
    const flags = { suites: ['s.toml'], model: ['mine/m'] }
    const { code, out } = await assay({ ...flags, dryRun: true })
    expect(code).toBe(0)
    expect(out).toContain('2 trials planned; nothing was run')
    await expect(assay({ ...flags, trust: true })).rejects.toThrow('needs a key')
  })

  it('a regrading has as many trials as there are answers', async () => {
    write('s.toml', suite('trials = 3', 'trials = 4'))
    const first = await assay({ suites: ['s.toml'], ...SIMULATED, trials: 2 })
    const again = await assay({ regrade: first.folder, passK: [5] })
    expect(trialsIn(again.folder)).toEqual({ plain: 2, own: 2 })
    const flags = { regrade: first.folder, suites: [], model: undefined as never }
    expect(await shown(flags, 'trials')).toEqual(['2 (the run that is graded again)'])
  })
})

describe('other settings', () => {
  beforeEach(() => {
    write(
      's.toml',
      suite('timeout = "20s"\nmaxTokens = 50', 'timeout = "30s"\nscoring = { threshold = 0.5 }'),
    )
  })

  it.each([
    ['passK', 'passK = [2]', { passK: [3] }, '1 (default)', '2', '3 (--pass-k)'],
    [
      'gradeTimeout',
      'gradeTimeout = "3s"',
      { gradeTimeout: '90s' },
      '10s (default)',
      '3s',
      '90s (--grade-timeout)',
    ],
    ['budget', 'budget = 2', { budget: 3 }, 'none (default)', '$2.00', '$3.00 (--budget)'],
    ['seed', 'seed = 2', { seed: 3 }, '1 (default)', '2', '3 (--seed)'],
    [
      'maxErrors',
      'maxErrors = 0.2',
      { maxErrors: 0.3 },
      '0.05 (default)',
      '0.2',
      '0.3 (--max-errors)',
    ],
    [
      'parallelism',
      'parallelism = 2',
      { parallelism: 3 },
      '64, growing to 256 (default)',
      '2',
      '3 (--parallelism)',
    ],
    ['maxWait', 'maxWait = "2m"', { maxWait: '90s' }, '10m (default)', '2m', '90s (--max-wait)'],
    [
      'output',
      'output = "there"',
      { output: 'here' },
      '.assay/runs (default)',
      'there',
      'here (--output)',
    ],
    [
      'model',
      'model = "simulated:pass=0.5,price=0"',
      { model: ['simulated:pass=0,price=0'] },
      'simulated:pass=1,price=0 (--model)',
      'simulated:pass=0.5,price=0',
      'simulated:pass=0,price=0 (--model)',
    ],
  ] as const)(
    '%s: flag, run file, assay.toml, default',
    async (name, toml, flag, none, value, flagged) => {
      const PRICED = { model: ['simulated:pass=1,price=0'] }
      const model = name === 'model' ? (undefined as never) : PRICED.model
      const base = { ...(name === 'output' ? { output: undefined as never } : {}), model }
      expect(await shown({ ...base, ...PRICED }, name)).toEqual([none])
      write('assay.toml', `${toml}\n`)
      expect(await shown(base, name)).toEqual([`${value} (assay.toml)`])
      write('assay.toml', name === 'seed' ? 'seed = 9\n' : '')
      write('run.toml', `${toml}\n`)
      expect(await shown({ ...base, config: 'run.toml' }, name)).toEqual([`${value} (run.toml)`])
      expect(await shown({ ...base, config: 'run.toml', ...flag }, name)).toEqual([flagged])
    },
  )

  it.each(['500ms', '90s', '10m', '1h30m', '1.5s'])(
    'a duration: flags, files and graders’ options all take %s',
    async (time) => {
      write('assay.toml', `timeout = "${time}"\ngradeTimeout = "${time}"\n`)
      const caseOf = (id: string, rest: string): string =>
        `[[cases]]\nid = "${id}"\nprompt = "p"\nreference = "r"\nfaulty = ["f"]\ntimeout = "${time}"\n${rest}\n`
      const withTimeout = (type: string): string =>
        `{ type = "${type}", command = ["true"], timeout = "${time}" }`
      const coded = 'language = "python"\ntests = "assert f() == 1"'
      write(
        's.toml',
        [
          `defaults = { timeout = "${time}" }`,
          caseOf('budget', `graders = [{ type = "time-budget", max = "${time}" }]`),
          caseOf('program', `graders = [${withTimeout('program')}]`),
          caseOf('code', `${coded}\ngraders = [{ type = "code", timeout = "${time}" }]`),
          caseOf(
            'run',
            `workspace = { setup = "true", setupTimeout = "${time}" }\ngraders = [${withTimeout('run')}]`,
          ),
        ].join('\n'),
      )
      expect(await shown({ timeout: time, gradeTimeout: time }, 'timeout')).toEqual([
        `${time === '1h30m' ? '90m' : time === '1.5s' ? '1500ms' : time} (--timeout)`,
      ])
    },
  )

  it('a duration that is none: the flag names the forms', async () => {
    await expect(assay({ suites: ['s.toml'], ...SIMULATED, timeout: '3 days' })).rejects.toThrow(
      '--timeout takes a duration such as 30 (seconds), "500ms", "90s", "10m" or "1h30m", up to 7 days, got "3 days"',
    )
  })

  it('the timeout: also of the suite and of its case', async () => {
    const flags = { model: ['command:echo yes'] }
    expect(await shown(flags, 'timeout')).toEqual(['20s (suite s.toml)', '30s (case s own)'])
    write('assay.toml', 'timeout = "3m"\n')
    expect(await shown(flags, 'timeout')).toEqual(['20s (suite s.toml)', '30s (case s own)'])
    write('run.toml', 'timeout = "4m"\n')
    expect(await shown({ ...flags, config: 'run.toml' }, 'timeout')).toEqual(['4m (run.toml)'])
    write('s.toml', suite('', ''))
    expect(await shown(flags, 'timeout')).toEqual(['3m (assay.toml)'])
    write('assay.toml', '')
    expect(await shown(flags, 'timeout')).toEqual(['2m (default)'])
  })

  it('the timeout of the run file is what the subject gets', async () => {
    write('run.toml', 'timeout = "30s"\n')
    write('s.toml', suite('timeout = 0.05', ''))
    write('slow.sh', 'sleep 0.4; echo yes')
    const flags = { suites: ['s.toml'], model: ['command:sh slow.sh'] }
    expect((await assay({ ...flags, config: 'run.toml' })).out).toContain('2 passed')
    expect((await assay({ ...flags, timeout: '30s' })).out).toContain('2 passed')
    expect((await assay(flags)).out).toContain('0 passed')
  })

  it('what only suites say is shown as theirs', async () => {
    expect(await shown({}, 'maxTokens')).toEqual(['50 (suite s.toml)'])
    expect(await shown({}, 'threshold')).toEqual(['none (default)', '0.5 (case s own)'])
  })

  it('what a subject sets for itself is shown as its own, and a flag that it limits is told', async () => {
    write(
      'assay.toml',
      'temperature = 0.2\n[subjects.slow]\ncommand = "echo yes"\ntimeout = "5s"\n[subjects.warm]\nmodel = "ollama/x"\ntemperature = 0.9\n',
    )
    const flags = { model: ['slow', 'warm'], timeout: '1m' }
    expect(await shown(flags, 'timeout')).toEqual(['1m (--timeout)', 'at most 5s (subject slow)'])
    expect(await shown(flags, 'temperature')).toEqual(['0.2 (assay.toml)', '0.9 (subject warm)'])
    expect(await shown({ ...flags, temperature: 1 }, 'temperature')).toEqual(['1 (--temperature)'])
    const { err } = await assay({ suites: ['s.toml'], ...flags, dryRun: true })
    expect(err).toContain('slow has a timeout of 5s itself: --timeout 1m does not lengthen it')
  })

  it('graders with a timeout of their own are told where the flag gives another', async () => {
    write(
      's.toml',
      `id = "s"\n[[cases]]\nid = "a"\nprompt = "p"\ngraders = [{ type = "run", command = "true", timeout = "2s" }]\n`,
    )
    const flags = { model: ['command:echo yes'] }
    expect(await shown(flags, 'gradeTimeout')).toEqual(['10s (default)', '2s (grader run of s a)'])
    const { err } = await assay({ suites: ['s.toml'], ...flags, gradeTimeout: '9s', dryRun: true })
    expect(err).toContain(
      '1 grader has a timeout of its own, which --grade-timeout does not change',
    )
  })

  it('paths of assay.toml stay its own next to a run file elsewhere', async () => {
    write(
      'assay.toml',
      'prices = "prices.toml"\n[subjects.here]\ncommand = "sh say.sh"\ncwd = "sub"\n',
    )
    write('prices.toml', '[models."x/y"]\ninput = 1\noutput = 1\n')
    write('sub/say.sh', 'echo yes')
    write('runs.d/run.toml', 'trials = 2\n')
    const flags = { suites: ['s.toml'], model: ['here'], config: 'runs.d/run.toml' }
    expect(await shown(flags, 'prices')).toEqual(['prices.toml (assay.toml)'])
    const absolute = join(process.cwd(), 'prices.toml')
    write('absolute/assay.toml', `prices = ${JSON.stringify(absolute)}\n`)
    const elsewhere = { ...flags, config: 'absolute/assay.toml' }
    expect(await shown(elsewhere, 'prices')).toEqual([`${absolute} (absolute/assay.toml)`])
    expect((await assay(flags)).out).toContain('4 passed')
  })

  it('judges of assay.toml replace those of suites, and a flag replaces both', async () => {
    write(
      's.toml',
      `id = "s"\n[[cases]]\nid = "a"\nprompt = "p"\ngraders = [{ type = "judge", rubric = ["good"], judges = ["ollama/x"] }]\n`,
    )
    const flags = { model: ['command:echo yes'] }
    expect(await shown(flags, 'judges')).toEqual(['ollama/x (suite s.toml)'])
    write('assay.toml', 'judges = "ollama/y"\n')
    expect(await shown(flags, 'judges')).toEqual(['ollama/y (assay.toml)'])
    expect(await shown({ ...flags, judge: ['ollama/z'] }, 'judges')).toEqual(['ollama/z (--judge)'])
  })
})
