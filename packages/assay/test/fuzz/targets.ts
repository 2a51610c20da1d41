/** Each file that Assay reads from a folder: a valid example, and the commands that read it. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import pico from 'picocolors'
import { analyzeCommand } from '../../src/cli/commands/analyze/analyze.ts'
import { blessCommand } from '../../src/cli/commands/bless/bless.ts'
import { compareCommand } from '../../src/cli/commands/compare/compare.ts'
import { reportCommand } from '../../src/cli/commands/report/report.ts'
import { runCommand } from '../../src/cli/commands/run/run.ts'
import { showCommand } from '../../src/cli/commands/show/show.ts'
import { trustCommand } from '../../src/cli/commands/trust/trust.ts'
import { validateCommand } from '../../src/cli/commands/validate/validate.ts'
import type { Output } from '../../src/cli/output/output.ts'
import { Lock } from '../../src/log/lock/lock.ts'
import { COMMAND, type Format, type Seed } from './mutate.ts'

export interface Target {
  readonly file: string
  readonly seed: Seed
  /** The commands, each as words and as a function. They run in the folder. */
  readonly commands: readonly Reading[]
  /** Restores the folder. */
  readonly reset?: () => void
}

export interface Reading {
  readonly words: readonly string[]
  readonly call: (output: Output) => Promise<number>
}

/** The output is checked and then thrown away. */
export const quiet = (printed: (text: string) => void): Output => ({
  ...{ out: printed, err: printed, isTerminal: false, ready: () => null },
  ...{ outIsTerminal: false, width: 80, colors: pico.createColors(false) },
})

const SUITE = `id = "s"
name = "A suite"
[scoring]
threshold = 0.5
[defaults]
trials = 2
timeout = "1m"
[[graders]]
type = "equals"
value = "yes"
[[cases]]
id = "a"
prompt = "Say yes"
reference = "yes"
faulty = ["no"]
tags = ["t"]
files = { "a/b.txt" = "c" }
[[cases]]
id = "b"
turns = ["x", "y"]
reference = "yes"
graders = [{ type = "contains", value = "y", weight = 2 }, { type = "regex", pattern = "^y", required = true }]
[[cases]]
id = "p"
prompt = "p"
reference = "x"
graders = [{ type = "program", command = ["sh", "-c", "${COMMAND}"] }]
[[cases]]
id = "w"
prompt = "p"
reference = "x"
workspace = { folder = "files", setup = ["${COMMAND}"], ignore = ["*.o"] }
graders = [{ type = "run", command = "${COMMAND}" }]
`
const PLAIN = `id = "s"
[[cases]]
id = "a"
prompt = "Say yes"
reference = "yes"
faulty = ["no"]
graders = [{ type = "equals", value = "yes" }]
`
const EVAL_SET = `[eval_set]
id = "e"
name = "n"
default_language = "Python"
[[cases]]
id = "a"
name = "n"
prompt = "Write f"
reference = "def f(): return 1"
[[cases.tests]]
name = "t"
code = "assert f() == 1"
`
const STIMULI = `name: n
defaults: {runs: 2, timeout: 5s}
stimuli:
  - name: a
    prompt: p
    graders: [{type: output-contains, config: {substring: x}}]
scoring: {threshold: 1}
`
const ROWS = [
  { task_id: 'a', prompt: 'def f():\n', entry_point: 'f', test: 'def check(f): assert f()==1' },
  { task_id: 'HumanEval/1', prompt: 'p', canonical_solution: 'return 1', test: 't' },
  { name: 'n', language: 'rs', prompt: 'p', tests: 't', stop_tokens: ['x'] },
  { task_id: 3, text: 'p', code: 'c', test_list: ['assert 1'], test_setup_code: '' },
]
const SETTINGS = `model = ["nice", "simulated:pass=1"]
judges = "house/m"
trials = 2
passK = [1]
timeout = "5s"
prices = "prices.toml"
output = "runs"
[providers.house]
baseUrl = "https://models.example/v1"
apiKeyEnv = "HOUSE_API_KEY"
api = "chat"
[subjects.nice]
command = "${COMMAND}"
passEnv = ["X"]
env = { A = "b" }
[subjects.agent]
agent = "claude"
program = "./claude"
skills = ["skills"]
mcpServers = { m = { command = "sh", args = ["-c", "${COMMAND}"] } }
[subjects.old]
replay = "run"
`
const EXPERIMENT = `name = "e"
suites = ["plain.toml"]
trials = 2
impl = "score"
vary = ["simulated.pass"]
[composite]
pass = 1
impl = 3
[grades]
good = 0.5
bad = 0
[subjects.low.simulated]
pass = 0.4
price = 0.5
[subjects.high.simulated]
pass = 0.9
`
const PRICES = `source = "contract"
[models."openai/gpt-5"]
input = 5.0
output = 15.0
cacheRead = 2.5
aliases = ["openai/x"]
`
const GATES = `gates = [{ metric = "meanScore", margin = 0.03 }, { metric = "passRate", min = 0.8 }]\n`
const CSV = 'suite,case,model,trial,passed,score,cost\ns,a,m,0,true,1,0.1\ns,a,m,1,no,0.2,\n'
const TRIAL_RESULTS = [
  {
    ...{ type: 'trial-result', evalName: 'e', variant: 'v', stimulus: 's', model: 'm' },
    ...{ trialIndex: 0, status: 'success', durationMs: 5 },
    gradeResult: { score: 1, passed: true, details: [{ name: 'g', score: 1, passed: true }] },
  },
]
const FOREIGN = {
  ...{ eval_set: 'e', model: 'm', summary: { total_cases: 1 } },
  results: [{ case_id: 'a', passed: true, score: 1, attempts: [{ passed: true, latency_ms: 3 }] }],
}

const toml = (text: string): Seed => ({ format: 'toml', value: parseToml(text) })
const json = (file: string): Seed => ({ format: 'json', value: parsed(file) })
const parsed = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
const linesOf = (file: string): unknown[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))

const SIMULATED = { model: ['simulated:pass=1'] }

const reading = (words: string, call: Reading['call']): Reading => ({
  words: words.split(' '),
  call,
})

const validate = (file: string): Reading =>
  reading(`validate ${file}`, (output) => validateCommand({ paths: [file] }, output))
const trust = (file: string): Reading =>
  reading(`trust ${file}`, (output) => trustCommand({ paths: [file] }, output))
const plan = (file: string): Reading =>
  reading(`run ${file} --model simulated:pass=1 --dry-run`, (output) =>
    runCommand({ suites: [file], ...SIMULATED, dryRun: true }, output),
  )
const planned = (file: string): Reading =>
  reading(`run ${file} --dry-run`, (output) => runCommand({ suites: [file], dryRun: true }, output))
const compare = (baseline: string, current: string): Reading =>
  reading(`compare --baseline ${baseline} --current ${current} --gate statistical`, (output) =>
    compareCommand({ baseline, current, gate: 'statistical' }, output),
  )
const analyze = (file: string): Reading =>
  reading(`analyze ${file}`, (output) => analyzeCommand({ files: [file] }, output))

const readRun = (run: string): Reading[] => [
  ...['json', 'markdown', 'junit', 'csv'].map((format) =>
    reading(`report ${run} --format ${format}`, (output) => reportCommand({ run, format }, output)),
  ),
  reading(`report ${run} --report r.html`, (output) =>
    reportCommand({ run, report: ['r.html'] }, output),
  ),
  reading(`report ${run} --accept-edited`, (output) =>
    reportCommand({ run, acceptEdited: true }, output),
  ),
  reading(`show ${run}`, (output) => showCommand({ run }, output)),
  reading(`show ${run} a --full`, (output) => showCommand({ run, case: 'a', full: true }, output)),
  compare(run, run),
  trust(run),
]

const goOn = (run: string): Reading[] => [
  reading(`run --resume ${run}`, (output) => runCommand({ suites: [], resume: run }, output)),
  reading(`run --resume ${run} --accept-edited --allow-changed`, (output) =>
    runCommand({ suites: [], resume: run, acceptEdited: true, allowChanged: true }, output),
  ),
  reading(`run --regrade ${run} -o again`, (output) =>
    runCommand({ suites: [], regrade: run, output: 'again' }, output),
  ),
]

/**
 * Only the lock is changed here. Resuming the run would wait for a minute if the lock names a process on another
 * machine.
 */
const takeLock = reading('report killed', async () => {
  Lock.take('killed').release()
  return 0
})

/** A run of version 1 has no checksums, so changes in it are not detected and are read. */
function unchecked(run: string): void {
  const { crc: _crc, ...record } = parsed(`${run}/run.json`) as Record<string, unknown>
  writeFileSync(`${run}/run.json`, JSON.stringify({ ...record, version: 1 }))
  const lines = linesOf(`${run}/trials.jsonl`).map((line, i) => {
    const { crc: _, ...rest } = line as Record<string, unknown>
    return `${JSON.stringify(i === 0 ? { ...rest, version: 1 } : rest)}\n`
  })
  writeFileSync(`${run}/trials.jsonl`, lines.join(''))
}

/** A run that was killed. One trial is finished, and one answer waits for its grade. */
function killed(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
  const record = parsed(`${to}/run.json`) as object
  writeFileSync(`${to}/run.json`, JSON.stringify({ ...record, ended: null }))
  const [head, first, second] = linesOf(`${to}/trials.jsonl`) as Record<string, unknown>[]
  const lines = [head, first].map((line) => JSON.stringify(line))
  writeFileSync(`${to}/trials.jsonl`, `${lines.join('\n')}\n`)
  const { suite, case: id, subject, index, caseHash } = second ?? {}
  const answer = { text: 'yes', stop: 'end', usage: null, usd: null, ms: 1 }
  const times = { startedAt: '2026-01-01T00:00:00.000Z', answerMs: 1, waitMs: 0 }
  const pending = {
    ...{ suite, case: id, subject, index, caseHash, answer, attempts: [], ...times },
    ...{ answerUsd: null, spentUsd: 0, source: 'simulated' },
  }
  writeFileSync(`${to}/pending.jsonl`, `${JSON.stringify(pending)}\n`)
}

/** Fills the working directory, which is a repository that is not trusted, and returns all targets. */
export async function makeTargets(): Promise<Target[]> {
  mkdirSync('.git')
  mkdirSync('files')
  for (const [name, text] of Object.entries({
    ...{ 'plain.toml': PLAIN, 'prices.toml': PRICES, 'files/x.txt': 'x' },
  }))
    writeFileSync(name, text)
  const output = quiet(() => {})
  const made = { suites: ['plain.toml'], model: ['simulated:pass=0.5'], trials: 3, output: 'run' }
  await runCommand(made, output)
  await reportCommand({ run: 'run', report: ['report.json'] }, output)
  await blessCommand({ run: 'run', output: 'baseline.json' }, output)
  unchecked('run')
  killed('run', 'killed')
  const list = '.assay/runs.jsonl'
  const again = (): void => {
    for (const name of ['killed', 'again']) rmSync(name, { recursive: true, force: true })
    killed('run', 'killed')
  }
  const suite = (file: string, seed: Seed): Target => ({
    ...{ file, seed, commands: [validate(file), plan(file), trust(file)] },
  })
  const results = (file: string, format: Format, value: unknown): Target => ({
    ...{ file, seed: { format, value }, commands: [analyze(file)] },
  })
  return [
    suite('suite.toml', toml(SUITE)),
    suite('suite.yaml', { format: 'yaml', value: parseToml(SUITE) }),
    suite('suite.json', { format: 'json', value: parseToml(SUITE) }),
    suite('eval-set.toml', toml(EVAL_SET)),
    suite('stimuli.yaml', { format: 'yaml', value: parseYaml(STIMULI) as unknown }),
    suite('rows.jsonl', { format: 'jsonl', value: ROWS }),
    {
      ...{ file: 'assay.toml', seed: toml(SETTINGS), reset: () => rmSync('assay.toml') },
      commands: [
        ...[validate('assay.toml'), planned('plain.toml'), trust('assay.toml')],
        reading('show latest', (to) => showCommand({ run: 'latest' }, to)),
      ],
    },
    {
      ...{ file: 'ci.toml', seed: toml(SETTINGS) },
      commands: [
        reading('run plain.toml --config ci.toml --dry-run', (to) =>
          runCommand({ suites: ['plain.toml'], config: 'ci.toml', dryRun: true }, to),
        ),
      ],
    },
    {
      ...{ file: 'experiment.toml', seed: toml(EXPERIMENT) },
      commands: [validate('experiment.toml'), planned('experiment.toml'), trust('experiment.toml')],
    },
    {
      ...{ file: 'other-prices.toml', seed: toml(PRICES) },
      commands: [
        reading('run plain.toml --model openai/gpt-5 --prices other-prices.toml --dry-run', (to) =>
          runCommand(
            {
              ...{ suites: ['plain.toml'], model: ['openai/gpt-5'], dryRun: true },
              prices: 'other-prices.toml',
            },
            to,
          ),
        ),
      ],
    },
    {
      ...{
        file: 'keys.env',
        seed: { format: 'text', value: 'A_KEY="x"\nB=\'y\' # c\nexport C=1\n' },
      },
      commands: [
        reading('run plain.toml --model simulated:pass=1 --env-file keys.env --dry-run', (to) =>
          runCommand(
            { ...SIMULATED, suites: ['plain.toml'], envFile: 'keys.env', dryRun: true },
            to,
          ),
        ),
      ],
    },
    {
      ...{
        file: 'answers.jsonl',
        seed: { format: 'jsonl', value: [{ task_id: 'a', completion: 'yes' }] },
      },
      commands: [
        reading('run plain.toml --model replay:answers.jsonl --output again', (to) =>
          runCommand(
            { suites: ['plain.toml'], model: ['replay:answers.jsonl'], output: 'again' },
            to,
          ),
        ),
      ],
      reset: again,
    },
    { file: 'run/run.json', seed: json('run/run.json'), commands: readRun('run') },
    {
      ...{ file: 'run/trials.jsonl', commands: readRun('run') },
      seed: { format: 'jsonl', value: linesOf('run/trials.jsonl') },
    },
    ...['run.json', 'trials.jsonl', 'pending.jsonl'].map((name): Target => {
      const file = `killed/${name}`
      const seed: Seed =
        name === 'run.json' ? json(file) : { format: 'jsonl', value: linesOf(file) }
      return { file, seed, commands: goOn('killed'), reset: again }
    }),
    {
      ...{ file: 'killed/lock', commands: [takeLock], reset: again },
      seed: { format: 'json', value: { id: 'x', pid: 2 ** 22 + 1, host: 'h', started: '1' } },
    },
    {
      ...{ file: list, seed: { format: 'jsonl', value: linesOf(list) } },
      commands: [reading('show latest', (to) => showCommand({ run: 'latest' }, to))],
    },
    {
      ...{ file: 'baseline.json', seed: json('baseline.json') },
      commands: [compare('baseline.json', 'run'), compare('run', 'baseline.json')],
    },
    {
      ...{ file: 'report.json', seed: json('report.json') },
      commands: [compare('report.json', 'run'), compare('run', 'report.json')],
    },
    {
      ...{ file: 'gates.toml', seed: toml(GATES) },
      commands: [
        reading('compare --baseline run --current run --gates gates.toml', (to) =>
          compareCommand({ baseline: 'run', current: 'run', gates: 'gates.toml' }, to),
        ),
      ],
    },
    results('results.csv', 'text', CSV),
    results('results.jsonl', 'jsonl', TRIAL_RESULTS),
    results('judgments.json', 'json', [{ case: 'a', model: 'm', passed: true, impl_rate: 0.5 }]),
    results('foreign.json', 'json', FOREIGN),
    results('own.jsonl', 'jsonl', linesOf('run/trials.jsonl')),
  ]
}
