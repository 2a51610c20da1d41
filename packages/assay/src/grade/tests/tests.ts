/**
 * The `tests` grader: runs a test command in the workspace that an agent left, and looks at the results of named
 * tests. Each named test must be reported exactly once and must pass. The score is the share of named tests that do
 * so. The command's exit code is ignored, because the work can end the command.
 */
import { readFile } from 'node:fs/promises'
import { lstatSync, lchownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parseGraderDuration, plain, type Integrity, type StagedWorkspace } from '@assay/contract'
import { gradeFairly, SandboxError, WORK_PLACE, type Sandbox } from '@assay/sandbox'
import { limitOptions } from '../command/limit-options.ts'
import {
  controlWorks,
  defaultLimits,
  lateness,
  runCommand,
  stageWork,
  wordsOf,
  type CommandEnd,
  type CommandLimits,
} from '../command/suite-command.ts'
import { pathSchema } from '../files/file-path.ts'
import type {
  GradedWorkspace,
  Grader,
  GraderContext,
  GraderInput,
  GraderOutput,
} from '../grader.ts'
import { shortened } from '../shown.ts'
import { plantCanaries, type Planted } from './canaries.ts'
import { openChannel, type Channel } from './channel.ts'
import type { Dialect, Reported } from './dialect.ts'
import { DIALECTS, dialectNamed } from './dialects.ts'
import { openProduct, type Product } from './product.ts'
import { failuresOf, shown, testsVerdict, type TestsVerdict } from './verdict.ts'

const word = z.string().min(1).max(10_000)
const names = z.array(z.string().min(1).max(1000)).max(10_000)
const [firstDialect = '', ...otherDialects] = DIALECTS.map(({ name }) => name)

const options = z
  .strictObject({
    command: z
      .union([word, z.array(word).min(1).max(100)], 'a command as text, or a list of words')
      .describe(
        'Runs the tests: a list of words, ["node", "--test", "tests/"], or a text for the shell. Words that the dialect needs replace {report}, or are added at the end.',
      ),
    dialect: z
      .enum([firstDialect, ...otherDialects])
      .describe('The test runner, or the form of its report.'),
    failToPass: names
      .default([])
      .describe(
        'Names of tests that fail before the work and must pass after it; * means any text.',
      ),
    passToPass: names
      .default([])
      .describe('Names of tests that pass before the work and must still pass after it.'),
    canaries: z
      .boolean()
      .default(true)
      .describe('Whether Assay adds tests with a known result to the hidden test files.'),
    canary: z
      .array(word)
      .max(20)
      .default([])
      .describe(
        'Expressions over the work’s own interface that are false if the work is right, such as "add(2, 2) === 5". They are evaluated in the first test file.',
      ),
    product: z
      .array(word)
      .min(1)
      .max(100)
      .optional()
      .describe(
        'The command of the work, as a list of words. The tests then run in another sandbox, without the work’s files, and start it as a program called product.',
      ),
    report: pathSchema.optional().describe('For junit: the file that the command writes.'),
    env: z
      .record(z.string().regex(/^[A-Za-z_]\w*$/, 'the name of a variable'), z.string())
      .default({})
      .describe('Variables of its environment, in addition to PATH, HOME and the like.'),
    ...limitOptions,
    memoryMb: z
      .int()
      .min(16)
      .max(65_536)
      .default(4096)
      .describe('Memory of all processes together, in megabytes.'),
  })
  .superRefine(({ failToPass, passToPass, dialect, report }, context) => {
    const all = [...failToPass, ...passToPass]
    if (all.length === 0)
      context.addIssue({ code: 'custom', path: ['failToPass'], message: 'at least one named test' })
    const twice = all.find((one, at) => all.indexOf(one) !== at)
    if (twice !== undefined)
      context.addIssue({ code: 'custom', path: ['passToPass'], message: 'each name once' })
    const needsFile = DIALECTS.find(({ name }) => name === dialect)?.read?.from === 'file'
    if (needsFile !== (report !== undefined))
      context.addIssue({
        code: 'custom',
        path: ['report'],
        message: needsFile ? 'the file that the command writes' : 'report only for junit',
      })
  })
  .describe('Named tests, run in the workspace, are each reported once and pass.')

type Options = z.infer<typeof options>

export const tests: Grader<Options> = {
  type: 'tests',
  summary: 'named tests, run in the workspace, are each reported once and pass',
  options,
  keepsDeadline: true,
  needsSandbox: true,
  needsWorkspace: true,
  starts: ({ command, product }) => [wordsOf(command), ...(product === undefined ? [] : [product])],
  startFault({ facts, reason, cause }, { failToPass, passToPass }) {
    if (cause === 'tampered') return reason ?? 'the results were tampered with'
    const { tests: list = [] } = (facts ?? {}) as { tests?: readonly (readonly string[])[] }
    const results = new Map(list.map(([name = '', result = '']) => [name, result]))
    const early = failToPass.find((name) => results.get(name) === 'passed')
    if (early !== undefined) return `${shown(early)} of failToPass passes before the work`
    const broken = passToPass.find((name) => results.get(name) !== 'passed')
    return broken === undefined
      ? null
      : `${shown(broken)} of passToPass does not pass before the work: ${results.get(broken) ?? 'missing'}`
  },
  async grade(graded, given, context) {
    const { sandbox } = context
    const { workspace } = graded
    if (sandbox === null) throw new SandboxError('tests are run in a sandbox, and there is none')
    if (workspace === null)
      throw new SandboxError('tests are run in a workspace, and there is none')
    const limits = limitsOf(given, context)
    const { result, again } = await gradeFairly<Tested>({
      grade: () => testOnce({ graded, workspace, given, limits, sandbox, context }),
      soundness: ({ output: { passed }, ended }) => {
        if (passed === true) return 'fine'
        if (ended.late !== null) return ended.late === 'wall' ? 'slow' : 'failed'
        return ended.code === 0 || ended.code === 1 ? 'failed' : 'broken'
      },
      starved: ({ ended }) => ended.starved ?? null,
      control: () => controlWorks(sandbox, limits, context.signal),
    })
    const { output } = result
    return again === undefined ? output : { ...output, reason: `${output.reason}; ${again}` }
  },
}

function limitsOf(given: Options, context: GraderContext): CommandLimits {
  const usual = defaultLimits(true, context.timeoutMs)
  const cpuMs = parseGraderDuration(given.timeout ?? '') ?? usual.cpuMs
  return {
    cpuMs,
    idleMs: Math.min(parseGraderDuration(given.idleTimeout ?? '') ?? usual.idleMs, cpuMs),
    memoryMb: given.memoryMb,
    processes: given.processes ?? usual.processes,
    openFiles: given.openFiles ?? usual.openFiles,
  }
}

interface Tested {
  readonly output: GraderOutput
  readonly ended: CommandEnd
}

interface Testing {
  readonly graded: GraderInput
  readonly workspace: GradedWorkspace
  readonly given: Options
  readonly limits: CommandLimits
  readonly sandbox: Sandbox
  readonly context: GraderContext
}

async function testOnce(testing: Testing): Promise<Tested> {
  const { graded, workspace, given, limits, sandbox, context } = testing
  const dialect = dialectNamed(given.dialect)
  const named = [...given.failToPass, ...given.passToPass]
  const hidden = graded.case.workspace?.hidden ?? {}
  const planted: Planted = given.canaries
    ? plantCanaries(dialect, hidden, named, given.canary)
    : { files: {}, canaries: [] }
  let channel: Channel | null = null
  let product: Product | null = null
  let folder = ''
  const staged = await stageWork(workspace, sandbox, {
    what: given.product === undefined ? 'all' : 'tests',
    async prepare(laid) {
      folder = laid.folder
      plant(laid, planted.files)
      const seen = sandbox.moves ? WORK_PLACE.temporary : laid.temporary
      const silent = { files: {}, words: [], env: {} }
      channel = await openChannel(laid.temporary, seen, dialect.reporter ?? (() => silent))
      if (given.product === undefined) return
      const { at } = channel
      product = await openProduct({
        ...{ words: given.product, workspace, sandbox, limits, signal: context.signal },
        ...{ folder: at.folder, seen: at.seen },
      })
    },
  })
  try {
    const open = channel as unknown as Channel
    const ended = await runCommand(
      sandbox,
      {
        command: withWords(given.command, open.reporter.words),
        input: '',
        env: joined(given.env, open.reporter.env),
        limits,
        ...(given.product === undefined ? {} : { path: [open.at.seen] }),
      },
      staged,
      context.signal,
    )
    const report = await reportOf(dialect, open, ended, join(folder, given.report ?? ''))
    const verdict = testsVerdict(named, report.reported, planted.canaries, {
      separator: dialect.separator,
      foreign: report.foreign,
    })
    return { output: outputOf(verdict, { ...testing, ended, planted, dialect, report }), ended }
  } finally {
    await (product as Product | null)?.close()
    ;(channel as Channel | null)?.close()
    await staged.remove()
  }
}

/**
 * Replaces the hidden test files with versions that contain canaries (tests with a known result). No agent has seen
 * these files.
 */
function plant({ folder }: StagedWorkspace, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const at = join(folder, path)
    const { uid, gid } = lstatSync(at)
    writeFileSync(at, text)
    lchownSync(at, uid, gid)
  }
}

const PLACEHOLDER = '{report}'

function withWords(command: Options['command'], words: readonly string[]): Options['command'] {
  if (typeof command === 'string') {
    const text = words.map((one) => `'${one}'`).join(' ')
    return command.includes(PLACEHOLDER)
      ? command.replaceAll(PLACEHOLDER, text)
      : `${command}${text === '' ? '' : ` ${text}`}`
  }
  return command.includes(PLACEHOLDER)
    ? command.flatMap((one) => (one === PLACEHOLDER ? words : [one]))
    : [...command, ...words]
}

/**
 * Adds the reporter's environment variables. If a variable is a list, its values are joined, so that the suite's own
 * values are kept.
 */
function joined(
  own: Readonly<Record<string, string>>,
  added: Readonly<Record<string, string>>,
): Record<string, string> {
  const separators: Readonly<Record<string, string>> = {
    NODE_OPTIONS: ' ',
    PYTHONPATH: ':',
    PYTEST_PLUGINS: ',',
  }
  const all: Record<string, string> = { ...own }
  for (const [name, value] of Object.entries(added)) {
    const mine = own[name]
    all[name] = mine === undefined ? value : `${value}${separators[name] ?? ' '}${mine}`
  }
  return all
}

interface Report {
  readonly reported: readonly Reported[]
  readonly foreign: number
  /** The reason why there is no report at all. Null if there is a report. */
  readonly absent: string | null
}

async function reportOf(
  { read }: Dialect,
  channel: Channel,
  ended: CommandEnd,
  path: string,
): Promise<Report> {
  if (read === undefined) {
    const { isOpened, ...report } = channel.read()
    const absent = isOpened ? null : 'no test runner of this dialect was started'
    return { ...report, absent }
  }
  const text =
    read.from === 'printed'
      ? ended.stdout.toString('utf8')
      : await readFile(path, 'utf8').catch(() => null)
  return text === null
    ? { reported: [], foreign: 0, absent: 'the command wrote no report' }
    : { reported: read.parse(text), foreign: 0, absent: null }
}

interface Outcome extends Testing {
  readonly ended: CommandEnd
  readonly planted: Planted
  readonly dialect: Dialect
  readonly report: Report
}

function outputOf(
  { results, score, tampered }: TestsVerdict,
  { given, limits, ended, planted, report }: Outcome,
): GraderOutput {
  const count = results.filter(({ result }) => result === 'passed').length
  const integrity: Integrity = given.product === undefined ? 'in-process' : 'isolated'
  const how =
    integrity === 'isolated'
      ? 'isolated: the tests ran in another sandbox than the work'
      : `in-process, ${planted.canaries.length === 0 ? 'without canaries' : `with ${planted.canaries.length} canaries`}`
  const about = {
    integrity,
    facts: {
      tests: results.map(({ name, result }) => [name, result]),
      canaries: planted.canaries.length,
      copies: planted.canaries.filter(({ of }) => of !== undefined).length,
      exitCode: ended.code,
      ended: ended.late ?? ended.how,
    },
    evidence: evidenceOf(ended, planted),
  } as const
  if (tampered !== null)
    return {
      ...about,
      score: 0,
      passed: false,
      final: true,
      cause: 'tampered',
      reason: `${tampered} (${how})`,
    }
  const passed = count === results.length
  const told = `${count} of ${results.length} named tests passed (${how})`
  if (passed) return { ...about, score, passed, reason: told }
  const late = lateness(ended, limits)
  const end =
    late ??
    (report.absent === null
      ? `the command ended with ${ended.code === null ? String(ended.signal) : `exit code ${ended.code}`}`
      : report.absent)
  return {
    ...about,
    score,
    passed,
    cause: late === null ? 'tests-failed' : 'code-timeout',
    reason: `${told}; ${failuresOf(results)}; ${plain(end)}`,
  }
}

const EVIDENCE = 2000

/**
 * Returns the output of the command as evidence, without the names of canaries. These names are new in each trial,
 * and the same work must give the same record.
 */
function evidenceOf({ stdout, stderr }: CommandEnd, { canaries }: Planted): string {
  const shownOf = (printed: Buffer): string =>
    shortened(
      canaries.reduce(
        (text, { name }) => text.replaceAll(name, 'canary'),
        printed.toString('utf8'),
      ),
      EVIDENCE,
    )
  return `stdout:\n${shownOf(stdout)}\nstderr:\n${shownOf(stderr)}`
}
