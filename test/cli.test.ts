/**
 * Tests the command with its exit codes, its two streams and its run folders. Each exit code, an interrupt and a key
 * are tested in a child process, as people start the command.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Trial } from 'assay'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  answerFromPrompt,
  startModelServer,
  type ModelServer,
} from '../packages/assay/test/model-server/index.ts'
import { AGENT_NAMES } from '../packages/assay/src/subject/agent/names.ts'
import { COMPARISON_FORMATS, METRICS } from '../packages/assay/src/compare/names.ts'
import { FORMAT_ENDINGS, FORMAT_NAMES } from '../packages/assay/src/report/formats/names.ts'
import { SUBJECT_FORMS } from '../packages/assay/src/subject/names.ts'
import { assayHere } from './assay-here.ts'
import { assayStarted, command, machine, type Ended } from './command.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Two cases, for which the simulated subject has right and wrong answers. */
const SUITE = {
  id: 'two',
  cases: [
    {
      id: 'yes',
      prompt: 'Answer with: yes',
      tags: ['first'],
      reference: 'yes',
      faulty: ['no'],
      graders: [{ type: 'equals', value: 'yes' }],
    },
    {
      id: 'no',
      prompt: 'Answer with: no',
      reference: 'no',
      faulty: ['yes'],
      graders: [{ type: 'equals', value: 'no' }],
    },
  ],
}

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-cli-'))
  await writeFile(join(folder, 'suite.json'), JSON.stringify(SUITE))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<Omit<Ended, 'said'>>
  /** Resolves when stdout has this many lines, or the process has ended. */
  readonly lines: (count: number) => Promise<void>
  /** Resolves when stderr contains this text, or the process has ended. */
  readonly said: (pattern: RegExp) => Promise<void>
}

/** Each test has its own configuration, including what it trusts. */
const options = (env: Record<string, string> = {}) => ({
  cwd: folder,
  env: { ...machine(), XDG_CONFIG_HOME: join(folder, 'config'), ...env },
})

/** For tests that look at the command before it has ended. */
function start(args: readonly string[]): Started {
  const child = spawn(process.execPath, [command, ...args], {
    ...options(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 50_000,
    killSignal: 'SIGKILL',
  })
  const text = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, ...text }))
  const until = async (isSo: () => boolean): Promise<void> => {
    while (child.exitCode === null && child.signalCode === null && !isSo()) await setTimeout(5)
  }
  return {
    child,
    ended,
    lines: (count) => until(() => text.stdout.split('\n').length > count),
    said: (pattern) => until(() => pattern.test(text.stderr)),
  }
}

const assay = (args: readonly string[], env?: Record<string, string>): Promise<Ended> =>
  assayHere(args, options(env))

const started = (args: readonly string[], env?: Record<string, string>): Promise<Ended> =>
  assayStarted(args, options(env))

const run = (...args: string[]): Promise<Ended> => assay(['run', 'suite.json', ...args])

it('says what to write instead of words that a command does not take', async () => {
  const compared = await assay(['compare', 'one', 'two'])
  expect(compared.code).toBe(2)
  expect(compared.stderr).toContain('assay compare --baseline RUN --current RUN')
  await writeFile(join(folder, 'suite.toml'), 'id = "s"\n[[cases]]\nid = "a"\n')
  const analyzed = await assay(['analyze', 'suite.toml'])
  expect(analyzed.code).toBe(2)
  expect(analyzed.stderr).toContain('If it is a suite, assay run runs it')
})

it('says that the port of the pages is in use, and which one is taken instead', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const { child, said, ended } = start(['view', '--port', String(port), '--no-open'])
  await said(/in use/)
  child.kill('SIGINT')
  const { stderr } = await ended
  other.close()
  expect(stderr).toContain(`Port ${port} is in use by another program`)
})

it('help and errors list the formats, agents and metrics that there are', async () => {
  const has = async (args: readonly string[], names: readonly string[]): Promise<void> => {
    const { stdout, stderr } = await assay(args)
    const words = `${stdout}${stderr}`.replaceAll(/\s+/g, ' ')
    for (const name of names) expect(words, args.join(' ')).toContain(name)
  }
  const [endings, names] = [FORMAT_ENDINGS.join(', '), FORMAT_NAMES.join(', ')]
  for (const name of ['run', 'report', 'analyze']) await has([name, '--help'], [endings])
  await has(['report', '--help'], [`print it as ${names}`])
  await has(['report', '--format', 'x'], [names])
  await has(
    ['run', '--help'],
    [
      ...SUBJECT_FORMS,
      // `acp` needs a command, which only a file can give.
      ...AGENT_NAMES.filter((name) => name !== 'acp'),
    ],
  )
  await has(['compare', '--help'], [METRICS, COMPARISON_FORMATS].flat())
})

async function trialsOf(name: string): Promise<Trial[]> {
  const lines = (await readFile(join(folder, name, 'trials.jsonl'), 'utf8')).trimEnd().split('\n')
  return lines
    .slice(1)
    .map((line) => JSON.parse(line) as Trial)
    .sort((a, b) => (identity(a) < identity(b) ? -1 : 1))
}

const identity = ({ suite, case: one, subject, index }: Trial): string =>
  [suite, one, subject, String(index).padStart(6, '0')].join(' ')

/** Returns the text of all files in a folder. */
async function everythingIn(path: string): Promise<string> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const texts = files.map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8'))
  return [...files.map(({ name }) => name), ...(await Promise.all(texts))].join('\n')
}

const planned = (stdout: string): string => /^.*planned = .*$/m.exec(stdout)?.[0] ?? ''

describe('exit codes', () => {
  it('is 0 for a run that is done, also where trials failed', async () => {
    const args = ['run', 'suite.json', '--model', 'simulated:pass=0', '-o', 'r']
    const { code, stdout } = await started(args)
    expect(planned(stdout)).toBe(
      '2 planned = 0 passed + 2 failed + 0 unscored + 0 errored + 0 cancelled',
    )
    expect(code).toBe(0)
  })

  it('is 2 for wrong usage, and nothing is started', async () => {
    const wrong = [
      ['run'],
      ['run', 'suite.json'],
      ['run', 'missing.json', '-m', 'simulated:'],
      ['run', 'suite.json', '-m', 'nobody'],
      ['run', 'suite.json', '-m', 'openai/gpt-5'],
      ['run', 'suite.json', '-m', 'simulated:', '--trials', '0'],
      ['run', 'suite.json', '-m', 'simulated:', '--trials', '1e9'],
      ['run', 'suite.json', '-m', 'simulated:', '--pass-k', '1,x'],
      ['run', 'suite.json', '-m', 'simulated:', '--timeout', 'soon'],
      ['run', 'suite.json', '-m', 'simulated:', '--case', 'yess'],
      ['run', 'suite.json', '-m', 'simulated:', '--budget', '1'],
      ['run', 'suite.json', '-m', 'simulated:', '--resume', 'nowhere'],
      ['run', 'suite.json', '-m', 'simulated:', '--output', 'suite.json'],
      ['run', 'suite.json', '-m', 'simulated:', '--output', ''],
      ['run', 'suite.json', '-m', 'simulated:', '--report', 'suite.json/a/x.md'],
      ['run', 'suite.json', '--modle', 'simulated:'],
      ['rnu'],
    ]
    const ended = await Promise.all(wrong.map((args) => assay(args)))
    for (const [i, { code, stdout, stderr }] of ended.entries()) {
      expect(code, wrong[i]?.join(' ')).toBe(2)
      expect(stdout).toBe('')
      expect(stderr).toMatch(/^error: /)
    }
    expect(await readdir(folder)).toEqual(['suite.json'])
  })

  it('is 2 for a broken suite, with the place and the nearest key', async () => {
    await writeFile(join(folder, 'broken.toml'), 'id = "x"\n[[cases]]\nid = "a"\npromt = "q"\n')
    const ended = await Promise.all([
      started(['validate', 'broken.toml']),
      started(['run', 'broken.toml', '-m', 'simulated:']),
    ])
    for (const { code, stderr } of ended) {
      expect(code).toBe(2)
      expect(stderr).toContain('broken.toml:4:1: cases[0].promt: unknown key; did you mean prompt?')
    }
  })

  it('is 3 where nothing was scored', async () => {
    const suite = { id: 'ungraded', cases: [{ id: 'a', prompt: 'q' }] }
    await writeFile(join(folder, 'ungraded.json'), JSON.stringify(suite))
    const { code, stdout, stderr } = await started(['run', 'ungraded.json', '-m', 'command:cat'])
    expect(planned(stdout)).toContain('1 unscored')
    expect(stderr).toContain('nothing was scored: the cases have no graders')
    expect(code).toBe(3)
  })

  it('is 3 where more trials errored than allowed, and says why they did', async () => {
    const { code, stdout, stderr } = await run('-m', 'command:no-such-program', '-o', 'r')
    expect(stdout).toContain('"no-such-program" on the PATH')
    expect(stderr).toContain('more than --max-errors allows')
    expect(stdout).toContain('continue    assay run --resume r\n')
    expect(code).toBe(3)
    const report = await assay(['report', 'r'])
    expect(report.stdout).toContain('"no-such-program" on the PATH')
  })

  it('is 3 where the budget stopped the run, 0 where that is allowed', async () => {
    const args = ['-m', 'simulated:price=0.1', '-n', '10', '--budget', '0.55']
    const [strict, lenient] = await Promise.all([
      run(...args, '-o', 'strict'),
      run(...args, '-o', 'lenient', '--allow-partial'),
    ])
    expect([strict.code, lenient.code]).toEqual([3, 0])
    for (const { stderr } of [strict, lenient])
      expect(stderr).toContain('the budget was reached with 15 trials not run')
    expect(strict.stdout).toContain('continue    assay run --resume strict --budget 1.1\n')

    const again = await assay(['run', '--resume', 'strict'])
    expect(again.code, 'continuing does not lift the budget').toBe(3)
    const more = await assay(['run', '--resume', 'strict', '--budget', '10'])
    expect(more.code).toBe(0)
    expect(planned(more.stdout)).toMatch(/^20 planned = .* 0 cancelled$/)
  })
})

describe('an interrupt', () => {
  const slow = ['-m', 'simulated:pass=0.7,latency=20,realtime=true', '-n', '30', '-p', '1']

  it('saves the state, says how to go on, and the run can be completed', async () => {
    const undisturbed = started(['run', 'suite.json', ...slow, '-o', 'whole'])
    const { child, ended, lines } = start(['run', 'suite.json', ...slow, '-o', 'r', '--json'])
    await lines(5)
    child.kill('SIGINT')
    const { code, stderr } = await ended
    expect(code).toBe(130)
    expect(stderr).toContain('continue    assay run --resume r\n')
    expect(planned(stderr)).not.toMatch(/ 0 cancelled$/)
    const kept = await trialsOf('r')
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.length).toBeLessThan(60)

    const resumed = await assay(['run', '--resume', 'r'])
    expect(resumed.code).toBe(0)
    expect(resumed.stderr).toContain(`${kept.length} of 60 trials are already recorded`)
    expect(planned(resumed.stdout)).toBe(planned((await undisturbed).stdout))
    expect(await trialsOf('r')).toHaveLength(60)
  })

  it('leaves at once when it comes twice, with the log intact', async () => {
    const { child, ended, lines, said } = start([
      'run',
      'suite.json',
      '--model=simulated:pass=1,simulated:pass=1,latency=60000,realtime=true',
      '--trials=5',
      '--output=r',
      '--json',
    ])
    await lines(11)
    child.kill('SIGINT')
    await said(/stopping/)
    child.kill('SIGINT')
    const { code, stderr } = await ended
    expect(code).toBe(130)
    expect(stderr, 'no summary: it did not wait for what was under way').not.toContain('planned =')
    expect(await trialsOf('r')).toHaveLength(10)
    const report = await assay(['report', 'r'])
    expect(planned(report.stdout)).toBe(
      '20 planned = 10 passed + 0 failed + 0 unscored + 0 errored + 10 cancelled',
    )
    expect(report.stderr).toBe('')
  })
})

describe('flags', () => {
  it('--eval-set and --models are other names of the suite and --model', async () => {
    const { code, stdout } = await assay([
      'run',
      '--eval-set=suite.json',
      '--models=simulated:pass=1,simulated:pass=0',
      '--pass-k=1',
    ])
    expect(code).toBe(0)
    expect(planned(stdout)).toMatch(/^4 planned = 2 passed \+ 2 failed/)
  })

  it('--dry-run prints the plan and leaves nothing behind', async () => {
    const { code, stdout } = await run('-m', 'simulated:price=0.5', '-n', '3', '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toContain('6 trials planned; nothing was run')
    expect(stdout).toContain('≤ $3.00')
    expect(await readdir(folder)).toEqual(['suite.json'])
  })

  it('--filter and --case choose cases', async () => {
    const [tagged, named] = await Promise.all([
      run('-m', 'simulated:pass=1', '--filter', 'first', '-o', 'a'),
      run('-m', 'simulated:pass=1', '--case', 'no', '-o', 'b'),
    ])
    expect([tagged.code, named.code]).toEqual([0, 0])
    expect((await trialsOf('a')).map((trial) => trial.case)).toEqual(['yes'])
    expect((await trialsOf('b')).map((trial) => trial.case)).toEqual(['no'])
  })

  it('--output refuses a folder that is not empty and leaves it alone', async () => {
    await mkdir(join(folder, 'full'))
    await writeFile(join(folder, 'full', 'notes.txt'), 'mine')
    const { code, stderr } = await run('-m', 'simulated:', '-o', 'full')
    expect(code).toBe(2)
    expect(stderr).toContain('full is not empty')
    expect(await readdir(join(folder, 'full'))).toEqual(['notes.txt'])
  })

  it('--json prints one event per line; words for people go to stderr', async () => {
    const { code, stdout, stderr } = await run('-m', 'simulated:pass=0.5', '-n', '4', '--json')
    expect(code).toBe(0)
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; trial?: Trial })
    const types = events.map(({ type }) => type)
    expect(types).toEqual(['start', ...Array<string>(8).fill('trial'), 'end'])
    expect(planned(stderr)).toContain('8 planned')
    const [, first] = events
    expect(first?.trial).toMatchObject({ suite: 'two', index: 0, source: 'simulated' })
  })

  it('--version is that of the package', async () => {
    const manifest = await readFile(join(root, 'packages/assay/package.json'), 'utf8')
    const { version } = JSON.parse(manifest) as { version: string }
    const { VERSION } = await import('assay')
    expect(VERSION).toBe(version)
    const said = `${version}\n`
    expect(await started(['--version'])).toEqual({ code: 0, stdout: said, stderr: '', said })
  })
})

/** Control characters except tab and line feed, and the characters that change the direction of text. */
const ACTS_ON_TERMINAL = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

describe('what reaches the terminal', () => {
  it('has no escape sequences where there is no terminal, or with NO_COLOR', async () => {
    const args = ['run', 'suite.json', '-m', 'simulated:pass=0.5', '-n', '10', '-k', '1,10']
    const colorless = { NO_COLOR: '1', TERM: 'xterm' }
    const ended = await Promise.all([started(args), started(args, colorless)])
    for (const { code, stdout, stderr } of ended) {
      expect(code).toBe(0)
      expect(stderr).toContain('warning: ')
      expect(stdout + stderr).not.toMatch(ACTS_ON_TERMINAL)
    }
  })

  it('holds nothing of a hostile suite, answer or program that a terminal would act on', async () => {
    const evil = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u202Egnp.exe\u2066\r'
    const suite = {
      id: 'evil \u202E suite',
      name: evil,
      cases: [
        {
          id: 'a \u202E\u2066 b',
          name: evil,
          prompt: evil,
          tags: ['x\u202Ey'],
          reference: `right ${evil}`,
          faulty: [`wrong ${evil}`],
          graders: [{ type: 'equals', name: 'g \u202E', value: `right ${evil}` }],
        },
      ],
    }
    await writeFile(join(folder, 'evil.json'), JSON.stringify(suite))
    await writeFile(
      join(folder, 'evil.mjs'),
      `console.error(${JSON.stringify(evil)})\nprocess.exit(1)\n`,
    )
    const ended = await Promise.all([
      assay(['validate', 'evil.json']),
      assay(['run', 'evil.json', '-m', 'simulated:pass=0.5', '-n', '6', '-o', 'a']),
      assay(['run', 'evil.json', '-m', 'simulated:pass=0.5', '-n', '6', '-o', 'b', '--json']),
      assay(['run', 'evil.json', '-m', `command:"${process.execPath}" evil.mjs`, '-o', 'c']),
      assay(['run', 'evil.json', '-m', 'simulated:', '--case', evil]),
      assay(['run', 'evil.json', '-m', evil]),
      assay(['run', 'evil.json', `--${evil}`]),
      assay(['run', `evil${evil}.json`, '-m', 'simulated:']),
      assay(['report', `evil${evil}`]),
    ])
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 2, 2, 2, 2, 2])
    for (const { stdout, stderr } of ended) expect(stdout + stderr).not.toMatch(ACTS_ON_TERMINAL)
    const reports = await Promise.all([assay(['report', 'a', '--json']), assay(['report', 'c'])])
    for (const { stdout } of reports) expect(stdout).not.toMatch(ACTS_ON_TERMINAL)
  })

  it('is understood by whoever parses it: --json escapes, it does not change', async () => {
    const id = 'a \u202E b'
    const suite = { id: 's', cases: [{ ...SUITE.cases[0], id }] }
    await writeFile(join(folder, 'bidi.json'), JSON.stringify(suite))
    const { stdout } = await assay(['run', 'bidi.json', '-m', 'simulated:pass=1', '--json'])
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { trial?: Trial })
    expect(events[1]?.trial?.case).toBe(id)
  })
})

/** The parts of a trial that must not change when its answer is used again. */
function lasting({ suite, case: one, index, time, cost, ...rest }: Trial): string {
  const { caseHash, outcome, reason, score, grades, answer, usage } = rest
  const answered = { answer, usage, ms: time.answerMs, usd: cost.answerUsd }
  return JSON.stringify({ suite, one, index, caseHash, outcome, reason, score, grades, answered })
}

describe('answers from elsewhere', () => {
  it('a recorded run is repeated bit for bit, and spends nothing', async () => {
    const subject = 'simulated:pass=0.6,price=0.01~0.5,latency=900~0.5'
    const first = await run('-m', subject, '-n', '20', '-o', 'first')
    const again = await run('-m', 'replay:first', '-n', '20', '-o', 'again')
    expect([first.code, again.code]).toEqual([0, 0])
    const [recorded, replayed] = [await trialsOf('first'), await trialsOf('again')]
    expect(replayed.map(lasting)).toEqual(recorded.map(lasting))
    // A simulated answer is marked as simulated, however often it is replayed.
    const isPretended = ({ source, cost }: Trial): boolean =>
      source === 'simulated' && cost.spentUsd === 0
    expect(replayed.every(isPretended)).toBe(true)
    expect(again.stdout).toMatch(/^SIMULATED: [^]*^REPLAYED: /m)
    expect(planned(again.stdout)).toBe(planned(first.stdout))
  })

  it('replay:latest names the run it means, so that it can be continued', async () => {
    await run('-m', 'simulated:pass=1', '-n', '4')
    const replayed = await run('-m', 'replay:latest', '-n', '2', '-o', 'again')
    expect(replayed.code).toBe(0)
    await run('-m', 'simulated:pass=0', '-n', '4')
    const { code, stdout } = await assay(['run', '--resume', 'again', '-n', '4'])
    expect(code).toBe(0)
    expect(planned(stdout)).toContain('8 passed')
  })

  it('kept answers are used again with --cache, marked, and not asked for', async () => {
    await writeFile(join(folder, 'answer.sh'), 'echo asked >> asked.txt\necho yes\n')
    const args = ['-m', 'command:sh answer.sh', '-n', '3', '--cache', '-p', '1']
    const first = await run(...args, '-o', 'first')
    expect(first.stdout).not.toContain('CACHED')
    const again = await run(...args, '-o', 'again')
    expect(again.stdout).toContain('CACHED: 6 answers kept from an earlier run')
    expect((await assay(['report', 'again'])).stdout).toContain('CACHED: 6 answers')
    expect((await readFile(join(folder, 'asked.txt'), 'utf8')).split('\n')).toHaveLength(6 + 1)
    const trials = await trialsOf('again')
    expect(trials.map(lasting)).toEqual((await trialsOf('first')).map(lasting))
    expect(trials.every(({ source, cost }) => source === 'cache' && cost.spentUsd === 0)).toBe(true)
  })
})

describe('a provider that asks to wait for an hour', () => {
  it('is given up: the run ends partial, says why, and prints the command that resumes it', async () => {
    const reply = {
      status: 429,
      headers: { 'retry-after': '3600' },
      body: '{"error":{"message":"quota of the day"}}',
    }
    await using server = await startModelServer({
      answer: answerFromPrompt(),
      script: ({ number }) => (number === 2 ? { kind: 'raw', reply } : null),
    })
    const env = { VLLM_BASE_URL: `${server.origin}/v1` }
    const args = ['run', 'suite.json', '-m', 'vllm/m,simulated:pass=1', '-n', '3']
    const first = await assay([...args, '-o', 'r', '-p', '1', '--max-wait', '5m'], env)
    expect(first.code).toBe(3)
    expect(planned(first.stdout)).toBe(
      '12 planned = 7 passed + 0 failed + 0 unscored + 5 errored + 0 cancelled',
    )
    expect(first.stderr).toMatch(
      /asks to be left alone until \S+Z, longer than the 5 min of --max-wait: vllm\/m answered 429 Too Many Requests: quota of the day \(5 trials errored\)/,
    )
    expect(first.stderr).toContain('partial: a provider was given up, 5 trials errored')
    expect(first.stdout).toContain('continue    assay run --resume r\n')

    const again = await assay(['run', '--resume', 'r', '--json'], env)
    expect(again.code).toBe(0)
    const events = again.stdout.trim().split('\n')
    expect(JSON.parse(events[0] ?? '')).toMatchObject({
      type: 'start',
      parallelism: { [`vllm ${server.origin}/v1`]: { start: 1, most: 1 } },
    })
    expect(JSON.parse(events.at(-1) ?? '')).toEqual({ type: 'end', how: 'complete' })
  })
})

describe('a key', () => {
  const key = 'sk-test-5Kq8ZvR2mN7xW3tY9pL1'
  let server: ModelServer

  beforeAll(async () => {
    // The first case always fails with the key in its error. The second one is first an error with the key, then an
    // answer that repeats the key.
    server = await startModelServer({
      script: ({ prompt, attempt }) => {
        if (prompt.endsWith('yes')) return 'echo-key'
        return attempt === 1 ? 'echo-key-200' : null
      },
      answer: () => `no; your key is ${key}, in base64 ${Buffer.from(key).toString('base64')}`,
    })
  })

  afterAll(() => server.close())

  it('appears nowhere: not in the run folder, the cache or the output', async () => {
    const env = { OPENAI_API_KEY: key, OPENAI_BASE_URL: `http://127.0.0.1:${server.port}/v1` }
    const args = ['run', 'suite.json', '-m', 'openai/gpt-5-mini', '--max-errors', '1', '--cache']
    const ended = [
      await started([...args, '-o', 'a', '--json'], env),
      await started(['report', 'a'], env),
      await started(['models'], env),
    ]
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(server.requests.every(({ headers }) => headers.authorization === `Bearer ${key}`)).toBe(
      true,
    )
    const trials = await trialsOf('a')
    expect(trials.map(({ outcome }) => outcome)).toEqual(['failed', 'errored'])
    expect(trials[0]?.attempts).toHaveLength(2)
    const everything = [await everythingIn(folder), ...ended.map((one) => one.stdout + one.stderr)]
    for (const form of [key, Buffer.from(key).toString('base64'), key.slice(3, 16)])
      expect(everything.join('\n')).not.toContain(form)
  })
})
