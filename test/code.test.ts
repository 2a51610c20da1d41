/** Tests code grading from the prompt to the report, with the command and the shipped suites. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSuite, summarize, type Suite, type Trial } from 'assay'
import { codeModelStats, type CodeTrial } from '@assay/metrics'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { languageByName } from '@assay/code'
import { inspectSandbox } from '@assay/sandbox'
import { isShipped } from '../packages/assay/src/suite/index.ts'
import { startModelServer, type ModelServer } from '../packages/assay/test/model-server/index.ts'
import { assayStarted, machine, type Ended } from './command.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const suites = (name: string): string => join(root, 'suites', `${name}.toml`)

const sandbox = await inspectSandbox()
const ready = async (name: string): Promise<boolean> =>
  ((await languageByName(name)?.inspect()) ?? []).every(({ how }) => how === undefined)
const rust = await ready('rust')

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-code-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const assay = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
  assayStarted(args, {
    cwd: folder,
    env: { ...machine(), XDG_CONFIG_HOME: join(folder, 'config'), ...env },
  })

async function trialsOf(run: string): Promise<Trial[]> {
  const text = await readFile(join(folder, run, 'trials.jsonl'), 'utf8')
  const lines = text.trimEnd().split('\n').slice(1)
  return lines.map((line) => JSON.parse(line) as Trial)
}

describe.skipIf(!sandbox.ready || !rust)('the commands of code-scoring', () => {
  let server: ModelServer
  let suite: Suite

  /** Fewer cases than the shipped suite has, because each trial costs a compiler and a linter. */
  const CASES = 4

  beforeEach(async () => {
    const [head = '', ...cases] = (await readFile(suites('rust-basics'), 'utf8')).split(
      /^(?=\[\[cases\]\])/m,
    )
    if (cases.length < CASES) throw new Error(`rust-basics has only ${cases.length} cases`)
    const file = join(folder, 'rust-basics.toml')
    await writeFile(file, [head, ...cases.slice(0, CASES)].join(''))
    suite = (await loadSuite(file)).suite
  })

  beforeAll(async () => {
    const asked = new Map<string, number>()
    server = await startModelServer({
      // Each case is right in two of five trials and wrong in different ways in the other three.
      answer: ({ prompt }) => {
        const one = suite.cases.find(({ turns }) => prompt.includes(turns[0] ?? ' '))
        const n = asked.get(prompt) ?? 0
        asked.set(prompt, n + 1)
        const quick = (one?.faulty ?? []).filter((answer) => !/loop \{|while true/.test(answer))
        const code = n % 5 < 2 ? one?.reference : quick[n % quick.length]
        return `Here it is:\n\n\`\`\`rust\n${code ?? ''}\n\`\`\`\n`
      },
    })
  })

  afterAll(() => server.close())

  it('run as they stand there, with every statistic that the document lists', async () => {
    const key = { OPENAI_API_KEY: 'sk-none', OPENAI_BASE_URL: `http://127.0.0.1:${server.port}/v1` }
    const set = ['--eval-set', 'rust-basics.toml', '--pass-k', '1,5', '--temperature', '0.8']
    const { code, stderr, stdout } = await assay(
      ['run', ...set, '--model', 'openai/gpt-4.1-mini', '-o', 'run'],
      key,
    )
    expect(code, stderr).toBe(0)
    for (const title of [
      'pass rate',
      'pass@5',
      'compiles',
      'tests pass',
      'lint',
      'answer',
      'score',
    ])
      expect(stdout + stderr).toContain(title)
    expect(server.requests.every(({ body }) => JSON.stringify(body).includes('0.8'))).toBe(true)

    const report = await summarize(join(folder, 'run'))
    const [row] = report.subjects
    const trials = await trialsOf('run')
    expect(report.counts).toMatchObject({
      planned: CASES * 5,
      errored: 0,
      unscored: 0,
      cancelled: 0,
    })
    // The figures are compared with the library's own statistics, computed from the log.
    const cases = suite.cases.map(({ id }) =>
      trials.filter((one) => one.case === id).map(codeTrial),
    )
    const expected = codeModelStats(cases, [1, 5])
    expect(row?.code?.compilationRate.value).toBeCloseTo(expected.compilationRate, 12)
    expect(row?.code?.testPassRate.value).toBeCloseTo(expected.testPassRate, 12)
    expect(row?.code?.lintScore.value).toBeCloseTo(expected.lintScore ?? -1, 12)
    expect(row?.meanScore.value).toBeCloseTo(expected.meanScore, 12)
    expect(row?.latency.meanMs).toBeCloseTo(expected.meanLatencyMs, 9)
    expect(row?.cost.totalUsd).toBeCloseTo(expected.totalCostUsd ?? -1, 9)
    for (const [i, { value }] of expected.passAtK.entries())
      expect(row?.passAtK[i]?.metric.value).toBeCloseTo(value ?? -1, 12)
    for (const one of row?.cases ?? []) {
      expect(one.passAtK.map(({ k }) => k)).toEqual([1, 5])
      expect(one.meanScore).not.toBeNull()
    }
    expect(row?.passRate.value).toBeCloseTo(0.4, 12)
    expect(trials.every((one) => one.sandbox === 'bubblewrap')).toBe(true)
    expect(Object.keys(report.provenance.toolchains)).toEqual(
      expect.arrayContaining(['bubblewrap', 'rustc']),
    )
  })
})

/** What is recorded: the result of the code grader and the outcome of the trial. */
function codeTrial({ grades, outcome, cost, time }: Trial): CodeTrial {
  const [grade] = grades
  const facts = grade?.facts as unknown as Omit<CodeTrial, 'correct' | 'costUsd' | 'latencyMs'>
  return {
    compiled: facts.compiled,
    passed: facts.passed,
    failed: facts.failed,
    warnings: facts.warnings,
    correct: outcome === 'passed',
    costUsd: cost.answerUsd,
    latencyMs: time.answerMs,
  }
}

describe('the suites that ship', () => {
  // The suites with code are proven in shipped.long.test.ts.
  it('prove themselves in words', async () => {
    const { code, stdout, stderr } = await assay(['validate', '--prove', suites('short-answers')])
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/(\d+) of \1 references score 1, (\d+) of \2 faulty answers fail/)
  })

  it.each(['typescript-basics', 'python-basics', 'rust-basics', 'short-answers'])(
    '%s is known by its hashes (npm run shipped)',
    async (name) => {
      const { suite } = await loadSuite(suites(name))
      expect(suite.cases.filter((one) => !isShipped(one)).map(({ id }) => id)).toEqual([])
    },
  )

  it.each([
    ['typescript-basics', 25],
    ['python-basics', 15],
    ['rust-basics', 15],
  ])('%s has at least %i cases, each with a reference and two faults', async (name, least) => {
    const { suite } = await loadSuite(suites(name))
    expect(suite.cases.length).toBeGreaterThanOrEqual(least)
    for (const one of suite.cases) {
      expect(one.reference, one.id).not.toBeNull()
      expect(one.faulty.length, one.id).toBeGreaterThanOrEqual(2)
      expect(one.tags.length, one.id).toBeGreaterThanOrEqual(2)
    }
  })
})

describe.skipIf(!sandbox.ready)('an answer of several files', () => {
  it('cannot replace a file that the case brings', async () => {
    const suite = {
      id: 'files',
      cases: [
        {
          id: 'one',
          language: 'javascript',
          prompt: 'Write one(), which returns 1.',
          files: {
            'same.js': 'export const same = (a, b) => { if (a !== b) throw Error(`${a}`) }',
          },
          tests:
            "import { test } from 'node:test'\nimport { same } from './same.js'\nimport { one } from './solution.js'\ntest('one', () => same(one(), 1))",
        },
      ],
    }
    await writeFile(join(folder, 'files.json'), JSON.stringify(suite))
    const answer = (one: string): string =>
      `\`\`\`js same.js\nexport const same = () => {}\n\`\`\`\n\`\`\`js solution.js\nexport const one = () => ${one}\n\`\`\`\n`
    await writeFile(join(folder, 'right.md'), answer('1'))
    await writeFile(join(folder, 'wrong.md'), answer('2'))
    const models = ['-m', 'command:cat right.md', '-m', 'command:cat wrong.md']
    const { code, stderr } = await assay(['run', 'files.json', ...models, '-o', 'run'])
    expect(code, stderr).toBe(0)
    const outcomes = (await trialsOf('run')).map(({ subject, outcome }) => [subject, outcome])
    expect(Object.fromEntries(outcomes)).toEqual({
      'command:cat right.md': 'passed',
      'command:cat wrong.md': 'failed',
    })
  })
})

describe('without a sandbox', () => {
  let broken: { PATH: string }

  beforeEach(async () => {
    // As on Ubuntu: bubblewrap is installed but may not be used.
    const script = '#!/bin/sh\n[ "$1" = --version ] && echo "bubblewrap 0.9.0" && exit\n'
    const fails = 'echo "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n'
    await writeFile(join(folder, 'bwrap'), script + fails)
    await chmod(join(folder, 'bwrap'), 0o755)
    broken = { PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` }
    await writeFile(
      join(folder, 'own.toml'),
      `id = "own"
[[cases]]
id = "one"
language = "javascript"
prompt = "Write one(), which returns 1."
entryPoint = "one"
calls = [{ args = [], returns = 1 }]
reference = "export const one = () => 1"
faulty = ["export const one = () => 2"]
`,
    )
  })

  it('code is refused before anything starts, with what to do', async () => {
    const { code, stderr } = await assay(['run', 'own.toml', '-m', 'simulated:pass=1'], broken)
    expect(code).toBe(2)
    expect(stderr).toMatch(/namespace/i)
    expect(stderr).toContain('--sandbox none')
  })

  it('code runs where the user says so, and the run is stamped', async () => {
    const args = [
      'run',
      'own.toml',
      '-m',
      'simulated:pass=1',
      '--trust',
      '--sandbox',
      'none',
      '-o',
      'run',
    ]
    const { code, stdout, stderr } = await assay(args, broken)
    expect(code, stderr).toBe(0)
    expect(stdout + stderr).toContain('NO SANDBOX')
    const trials = await trialsOf('run')
    expect(trials).toMatchObject([{ outcome: 'passed', sandbox: 'none', score: 1 }])
  })

  it('the suites that ship still run on their own answers, and the run is stamped', async () => {
    const only = ['--filter', 'easy', '--trials', '1', '-o', 'run']
    const { code, stdout, stderr } = await assay(
      ['run', suites('typescript-basics'), '-m', 'simulated:pass=1', ...only],
      broken,
    )
    expect(code, stderr).toBe(0)
    expect(stdout + stderr).toContain('NO SANDBOX HERE')
    const trials = await trialsOf('run')
    expect(trials.every((one) => one.sandbox === 'process' && one.outcome === 'passed')).toBe(true)
  })

  it('but not once they are edited, nor with answers from elsewhere', async () => {
    const text = await readFile(suites('typescript-basics'), 'utf8')
    await writeFile(join(folder, 'edited.toml'), text.replace(/test\('/, "test(' "))
    const edited = await assay(['run', 'edited.toml', '-m', 'simulated:pass=1'], broken)
    expect(edited.code, edited.stderr).toBe(2)
    const other = await assay(['run', suites('typescript-basics'), '-m', 'command:cat'], broken)
    expect(other.code, other.stderr).toBe(2)
  })
})
