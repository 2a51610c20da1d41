/**
 * Runs real agents from npm in whole trials: `assay run` starts them in the sandbox, and a scripted model on loopback
 * answers them. Checks what they did, what they used, their limits, how they end, and
 * that no process is left. Run it with `npm run test:agents`. The first run downloads the programs.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Trial, Usage } from 'assay'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  startScriptServer,
  type ScriptedApi,
  type ScriptServer,
} from '../../packages/assay/test/model-server/script-server.ts'
import { Blobs, readTrials } from '../../packages/assay/src/log/index.ts'
import { carrying, hasBubblewrap } from '../../packages/sandbox/test/sandboxed.ts'
import type { Trajectory } from '@assay/contract'
import { installAgents, type Programs } from './install.ts'
import { answersIn, PIPE, scriptFor, usageOf } from './scripts.ts'

/** A value that can be recognised wherever it appears. */
const KEY = 'planted-4f1c9a7be2d04c61'
const ASSAY = join(import.meta.dirname, '../../packages/assay/bin/assay.js')

interface Known {
  /** The subject's name. */
  readonly agent: string
  readonly model: string
  readonly api: ScriptedApi
  /** The provider whose prices the file contains. */
  readonly provider: string
  /** The names of the tools that the jobs use, in the words of this agent. */
  readonly calls: readonly string[]
  /** Prices in US dollars per million tokens. */
  readonly price: Omit<Usage, 'reasoning'>
  /** The lines of the subject, apart from its name. */
  readonly subject: (programs: Programs) => readonly string[]
  /** Whether the agent reports which files it changes. */
  readonly tellsChanges: boolean
  /** Whether the agent reports every request with its tokens. For the others, only the gateway knows them. */
  readonly tellsRequests: boolean
  /** The agent also asks its model for other things, such as a title. */
  readonly hasErrands: boolean
  /** The agent begins each turn anew, and so does its scripted model. */
  readonly forgets?: true
  /** Whether the agent is tried as a judge. */
  readonly judges: boolean
}

const byName =
  (agent: keyof Programs, model: string): Known['subject'] =>
  (programs) => [
    `agent = "${agent}"`,
    `model = "${model}"`,
    `program = ${JSON.stringify(programs[agent])}`,
  ]

const ANTHROPIC = { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 }
const OPENAI = { input: 5, cacheRead: 0.5, cacheWrite: 6.25, output: 30 }
const GOOGLE = { input: 0.3, cacheRead: 0.03, cacheWrite: 0, output: 2.5 }

const AGENTS: readonly Known[] = [
  {
    agent: 'claude',
    ...{ provider: 'anthropic', model: 'claude-sonnet-4-5', api: 'anthropic', price: ANTHROPIC },
    calls: ['Bash', 'Read', 'Edit', 'Bash'],
    subject: byName('claude', 'claude-sonnet-4-5'),
    ...{ tellsChanges: true, tellsRequests: true, hasErrands: false, judges: true },
  },
  {
    agent: 'codex',
    ...{ provider: 'openai', model: 'gpt-5.5', api: 'responses', price: OPENAI },
    calls: ['command_execution', 'command_execution', 'file_change', 'command_execution'],
    subject: byName('codex', 'gpt-5.5'),
    ...{ tellsChanges: true, tellsRequests: true, hasErrands: false, judges: true },
  },
  {
    agent: 'gemini',
    ...{ provider: 'google', model: 'gemini-2.5-flash', api: 'google', price: GOOGLE },
    calls: ['run_shell_command', 'read_file', 'replace', 'run_shell_command'],
    subject: byName('gemini', 'gemini-2.5-flash'),
    ...{ tellsChanges: true, tellsRequests: true, hasErrands: false, judges: true },
  },
  {
    agent: 'cline',
    ...{ provider: 'openai', model: 'gpt-5.5', api: 'chat', price: OPENAI },
    calls: ['run_commands', 'read_files', 'apply_patch', 'run_commands'],
    subject: byName('cline', 'gpt-5.5'),
    ...{
      tellsChanges: false,
      tellsRequests: false,
      forgets: true,
      hasErrands: false,
      judges: false,
    },
  },
  {
    agent: 'opencode',
    ...{ provider: 'openai', model: 'gpt-5.5', api: 'responses', price: OPENAI },
    calls: ['bash', 'read', 'apply_patch', 'bash'],
    subject: byName('opencode', 'openai/gpt-5.5'),
    ...{ tellsChanges: false, tellsRequests: false, hasErrands: false, judges: false },
  },
  {
    agent: 'copilot',
    ...{ provider: 'openai', model: 'gpt-4.1', api: 'chat', price: OPENAI },
    calls: ['bash', 'view', 'edit', 'bash'],
    subject: byName('copilot', 'gpt-4.1'),
    ...{ tellsChanges: true, tellsRequests: false, hasErrands: false, judges: false },
  },
  {
    agent: 'qwen',
    ...{ provider: 'openai', model: 'gpt-5.5', api: 'chat', price: OPENAI },
    calls: ['run_shell_command', 'read_file', 'edit', 'run_shell_command'],
    subject: byName('qwen', 'gpt-5.5'),
    ...{ tellsChanges: true, tellsRequests: true, hasErrands: false, judges: false },
  },
  {
    agent: 'gemini-acp',
    ...{ provider: 'google', model: 'gemini-2.5-flash', api: 'google', price: GOOGLE },
    calls: ['run_shell_command', 'read_file', 'replace', 'run_shell_command'],
    subject: ({ gemini }) => [
      'agent = "acp"',
      `command = ${JSON.stringify([gemini, '--acp', '--model', 'gemini-2.5-flash'])}`,
      'passEnv = ["GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"]',
      'env = { GEMINI_CLI_TRUST_WORKSPACE = "true" }',
    ],
    ...{ tellsChanges: true, tellsRequests: false, hasErrands: false, judges: false },
  },
  {
    agent: 'claude-acp',
    ...{ provider: 'anthropic', model: 'claude-sonnet-4-5', api: 'anthropic', price: ANTHROPIC },
    calls: ['Bash', 'Read', 'Edit', 'Bash'],
    subject: ({ claude, claudeAcp }) => [
      'agent = "acp"',
      `command = ${JSON.stringify(['env', `CLAUDE_CODE_EXECUTABLE=${claude}`, claudeAcp])}`,
      'passEnv = ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"]',
      'env = { ANTHROPIC_MODEL = "claude-sonnet-4-5", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC = "1" }',
    ],
    ...{ tellsChanges: true, tellsRequests: false, hasErrands: true, judges: false },
  },
]

const JUDGED = `id = "judged"
[[cases]]
id = "add"
prompt = "Make it add."
files = { "add.js" = "export const add = (a, b) => a - b\\n" }
workspace = {}
[[cases.graders]]
type = "judge"
rubric = ["It adds."]
limits = { toolCalls = 3 }
[[cases.graders]]
type = "file-contains"
path = "add.js"
value = "a + b"
`

const CASES = ['edit', 'talk', 'many-turns', 'many-calls', 'many-tokens', 'dear', 'late', 'refused']

const JUDGES = AGENTS.filter(({ judges }) => judges)

let folder: string
let server: ScriptServer
let trials: Trial[]
let blobs: Blobs

beforeAll(async () => {
  const programs = installAgents()
  folder = mkdtempSync(join(tmpdir(), 'real-agents-'))
  for (const name of ['suite.toml', 'project', 'skills', 'mcp-server.mjs'])
    cpSync(join(import.meta.dirname, name), join(folder, name), { recursive: true })
  const write = (name: string, more: (agent: string) => string): void =>
    writeFileSync(
      join(folder, name),
      [
        'suites = ["suite.toml"]\ntrials = 1\nvary = ["agent", "model", "program", "command", "env", "passEnv"]',
        ...AGENTS.map(({ agent, subject }) =>
          [`[subjects.${agent}]`, ...subject(programs), more(agent)].join('\n'),
        ),
      ].join('\n\n'),
    )
  mkdirSync(join(folder, 'judging'))
  writeFileSync(
    join(folder, 'judging', 'assay.toml'),
    JUDGES.map(({ agent, subject }) =>
      [`[subjects.${agent}]`, ...subject(programs)].join('\n'),
    ).join('\n\n'),
  )
  writeFileSync(join(folder, 'judging', 'suite.toml'), JUDGED)
  write('experiment.toml', () => '')
  const served =
    (script: string) =>
    (agent: string): string =>
      `[subjects.${agent}.mcpServers.words]\ncommand = "node"\nargs = ["${script}"]\n`
  write('served.toml', served('./mcp-server.mjs'))
  write('unserved.toml', served('./no-such-server.mjs'))
  write('skilled.toml', () => 'skills = ["skills/tidy"]\n')
  writeFileSync(
    join(folder, 'prices.toml'),
    [
      ...new Map(
        AGENTS.map(({ provider, model, price }) => [`${provider}/${model}`, price] as const),
      ),
    ]
      .map(([model, price]) =>
        [
          `[models."${model}"]`,
          ...Object.entries(price).map(([name, usd]) => `${name} = ${usd}`),
        ].join('\n'),
      )
      .join('\n\n'),
  )
  server = await startScriptServer(scriptFor)
  await assay('experiment.toml', 'run')
  trials = await trialsOf('run')
  blobs = new Blobs(join(folder, 'run', 'blobs'))
})

afterAll(async () => {
  await server.close()
  if (process.env['KEEP_FOLDER'] === undefined) rmSync(folder, { recursive: true, force: true })
  else process.stderr.write(`kept: ${folder}\n`)
})

/**
 * Some trials fail on purpose and some have no answer, so the exit code is 3. Only a run that could not start is an
 * error.
 */
async function assay(experiment: string, out: string, ...more: readonly string[]): Promise<void> {
  const prices = join(folder, 'prices.toml')
  const to = join(folder, out)
  const child = spawn(
    process.execPath,
    [
      ASSAY,
      'run',
      basename(experiment),
      '-o',
      to,
      '--prices',
      prices,
      '--max-errors',
      '1',
      // Each agent needs seconds of a processor to start, so one of a kind runs at a time.
      '--parallelism',
      '1',
      ...more,
    ],
    {
      cwd: dirname(join(folder, experiment)),
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: 1_500_000,
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        XDG_CONFIG_HOME: join(folder, 'config'),
        ASSAY_TRUST: '1',
        ANTHROPIC_API_KEY: KEY,
        OPENAI_API_KEY: KEY,
        GEMINI_API_KEY: KEY,
        ANTHROPIC_BASE_URL: server.origin,
        OPENAI_BASE_URL: `${server.origin}/v1`,
        GOOGLE_GEMINI_BASE_URL: server.origin,
      },
    },
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0 && code !== 1 && code !== 3) throw new Error(`assay run ended with ${code}`)
}

async function trialsOf(out: string): Promise<Trial[]> {
  const found: Trial[] = []
  await readTrials(join(folder, out), (trial) => found.push(trial))
  return found
}

function trialOf(agent: string, id: string): Trial {
  const found = trials.find((trial) => trial.subject === agent && trial.case === id)
  if (found === undefined) throw new Error(`there is no trial of ${agent} at ${id}`)
  return found
}

async function trajectoryOf({ trajectory }: Trial): Promise<Trajectory> {
  if (trajectory === undefined) throw new Error('there is no trajectory')
  return JSON.parse(await blobs.read(trajectory)) as Trajectory
}

function expectedUsage(api: ScriptedApi, job: string): Usage {
  return Array.from({ length: answersIn(job) }, (_, index) => usageOf(api, index)).reduce(
    (sum, one) => ({
      input: sum.input + one.input,
      cacheRead: sum.cacheRead + one.cacheRead,
      cacheWrite: sum.cacheWrite + one.cacheWrite,
      output: sum.output + one.output,
      reasoning: sum.reasoning + one.reasoning,
    }),
  )
}

const costOf = (usage: Usage, price: Known['price']): number =>
  (usage.input * price.input +
    usage.cacheRead * price.cacheRead +
    usage.cacheWrite * price.cacheWrite +
    usage.output * price.output) /
  1e6

describe.skipIf(!hasBubblewrap).each(AGENTS)('$agent', (known) => {
  const { agent, api, model, calls, price, tellsChanges, tellsRequests, hasErrands } = known

  it.each(['edit', 'talk'])('does the job: %s', async (id) => {
    const trial = trialOf(agent, id)
    expect(trial).toMatchObject({ outcome: 'passed', score: 1 })
    if (known.forgets === true && id === 'talk') return
    const { steps, complete, turns, requests } = await trajectoryOf(trial)
    const called = steps.filter((step) => step.kind === 'tool-call')
    expect(called.map(({ name }) => name)).toEqual(calls)
    expect(called.every(({ result, failed }) => result !== null && !failed)).toBe(true)
    expect(called.at(-1)?.result).toContain('a + b')
    const changed = steps.filter((step) => step.kind === 'file-change')
    expect(changed.map(({ path }) => path)).toEqual(tellsChanges ? ['add.js'] : [])
    expect(complete).toBe(true)
    if (tellsRequests) expect(turns).toBe(answersIn(id))
    const asked = requests?.filter(({ status }) => status === 200).length ?? 0
    if (hasErrands) expect(asked).toBeGreaterThanOrEqual(answersIn(id))
    else expect(asked).toBe(answersIn(id))
  })

  // The scripted replies to an agent that forgets are not those of `talk`, so their usage is not known here.
  it.each(known.forgets === true ? ['edit'] : ['edit', 'talk'])(
    'tells what it used to the token, and what that costs: %s',
    async (id) => {
      const trial = trialOf(agent, id)
      const usage = expectedUsage(api, id)
      if (hasErrands) {
        expect(trial.usage?.output).toBeGreaterThan(usage.output)
        return
      }
      expect(trial.usage).toEqual(usage)
      if (tellsRequests) expect((await trajectoryOf(trial)).usage).toEqual({ [model]: usage })
      expect(trial.cost.answerUsd).toBeCloseTo(costOf(usage, price), 9)
    },
  )

  it.each(['many-turns', 'many-calls', 'many-tokens', 'dear'])(
    'is held to its limits: %s',
    (id) => {
      const trial = trialOf(agent, id)
      expect(trial).toMatchObject({ outcome: 'failed', reason: { code: 'over-limit' } })
      // Usage until the stop is known. Gemini CLI is an exception: it reports the usage of an answer only after the
      // tool calls of that answer. If it is stopped in between, the cost is unknown.
      expect(trial.usage?.output).toBeGreaterThan(0)
      const isBetween = agent === 'gemini' && id === 'many-calls' && trial.cost.answerUsd === null
      if (!isBetween) expect(trial.cost.answerUsd).toBeGreaterThan(0)
    },
  )

  it('is ended when its time is over, while a tool runs', async () => {
    const trial = trialOf(agent, 'late')
    expect(trial).toMatchObject({ outcome: 'failed', reason: { code: 'answer-timeout' } })
    const { steps, complete } = await trajectoryOf(trial)
    expect(complete).toBe(false)
    expect(steps.findLast(({ kind }) => kind === 'tool-call')).toMatchObject({ result: null })
  })

  it('is errored where its provider refuses the key', () => {
    expect(trialOf(agent, 'refused')).toMatchObject({
      outcome: 'errored',
      reason: { code: 'request-refused' },
    })
  })
})

describe.skipIf(!hasBubblewrap)('real agents', () => {
  it('have one trial each for every case', () => {
    expect(trials).toHaveLength(AGENTS.length * CASES.length)
  })

  it('see the skill that they are given, and only then', async () => {
    const before = server.requests.length
    const seen = (from: number, api: ScriptedApi): boolean =>
      server.requests.slice(from).some((one) => one.api === api && one.text.includes('tidy-sums'))
    for (const { api } of AGENTS) expect(seen(0, api)).toBe(false)
    await assay('skilled.toml', 'skilled', '--case', 'edit', '--keep')
    const skilled = await trialsOf('skilled')
    expect(skilled.map(({ outcome }) => outcome)).toEqual(AGENTS.map(() => 'passed'))
    for (const { api } of AGENTS) expect(seen(before, api)).toBe(true)
  })

  it('can use the tools of an MCP server', async () => {
    const before = server.requests.length
    await assay('served.toml', 'served', '--case', 'edit')
    const served = await trialsOf('served')
    expect(served.map(({ outcome }) => outcome)).toEqual(AGENTS.map(() => 'passed'))
    const offered = server.requests.slice(before).filter(({ text }) => text.includes('secret_word'))
    expect(new Set(offered.map(({ api }) => api))).toEqual(new Set(AGENTS.map(({ api }) => api)))
  })

  it('are errored where an MCP server does not start', async () => {
    await assay('unserved.toml', 'unserved', '--case', 'edit')
    const unserved = await trialsOf('unserved')
    expect(unserved).toHaveLength(AGENTS.length)
    for (const { outcome, reason } of unserved)
      expect({ outcome, ...reason }).toMatchObject({
        ...{ outcome: 'errored', code: 'not-started' },
        text: expect.stringContaining('the MCP server words'),
      })
  })

  it('were given the key, and left it nowhere', () => {
    const keys = server.requests.map(({ headers }) => JSON.stringify(headers))
    expect(keys.every((text) => text.includes(KEY))).toBe(true)
    const written = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
    expect(written.some((path) => path.endsWith('seen.txt'))).toBe(true)
    expect(written.filter((path) => readFileSync(path).includes(KEY))).toEqual([])
  })

  it('left nothing running', () => {
    expect(carrying('agents-under-test-')).toEqual([])
    expect(carrying(PIPE)).toEqual([])
  })
})

describe.skipIf(!hasBubblewrap)('agents as judges', () => {
  it('look at a copy of the work, reply by the rubric, and change nothing', async () => {
    const worker = `command:sed -i "s/a - b/a + b/" add.js`
    const judges = JUDGES.map(({ agent }) => agent).join(',')
    await assay('judging/suite.toml', 'judged', '--model', worker, '--judge', judges)
    const [trial] = await trialsOf('judged')
    expect(trial?.reason).toBeUndefined()
    expect(trial).toMatchObject({ outcome: 'passed', score: 1, implRate: 1 })
    const [judged] = trial?.grades ?? []
    expect(judged?.details?.map(({ name, score }) => [name, score])).toEqual(
      JUDGES.map(({ agent }) => [agent, 1]),
    )
    for (const detail of judged?.details ?? []) {
      expect(detail.reason, detail.name).toMatch(/explored with 1 tool call.*strengths: short/)
      expect(JSON.stringify(detail.facts), detail.name).toContain('a + b')
    }
    expect(trial?.cost.judgeUsd).toBeGreaterThan(0)
    expect(JSON.stringify(trial?.diff)).not.toContain('forged')
  })
})
