/**
 * The `run` grader: runs a command in the sandbox. The command gets the answer's files, or a fresh copy of the
 * workspace that an agent left. The exit code and the output are compared with what the author of the case expects.
 * The answer's code may control what the command prints, so the output is used only for the checks that the author
 * wrote.
 */
import { z } from 'zod'
import { parseGraderDuration, plain } from '@assay/contract'
import { gradeFairly, SandboxError, type Sandbox } from '@assay/sandbox'
import { answerFiles, codeOf } from '../files/answer-files.ts'
import { pathSchema } from '../files/file-path.ts'
import type { GraderInput, Grader, GraderContext, GraderOutput } from '../grader.ts'
import { UnlaidError } from '../files/staged-files.ts'
import {
  checkPatterns,
  flagsSchema,
  patternSchema,
  search,
  shownPattern,
} from '../regex/pattern.ts'
import { quoted, shortened } from '../shown.ts'
import { limitOptions } from './limit-options.ts'
import {
  controlWorks,
  defaultLimits,
  lateness,
  runCommand,
  stageAnswer,
  stageWork,
  wordsOf,
  type CommandEnd,
  type CommandLimits,
} from './suite-command.ts'

const MIB = 1024 * 1024

const word = z.string().min(1).max(10_000)
const contained = (stream: string) =>
  z
    .union([word, z.array(word).min(1).max(100)], 'text, or a list of texts')
    .optional()
    .describe(`A text, or several, that must all stand in what it prints on ${stream}.`)
const matched = (stream: string) =>
  patternSchema
    .optional()
    .describe(`A regular expression that must match in what it prints on ${stream}.`)

const options = z
  .strictObject({
    command: z
      .union([word, z.array(word).min(1).max(100)], 'a command as text, or a list of words')
      .describe(
        'What is run: a list of words, ["python3", "main.py"], or a text for the shell. There are the system’s own programs and node.',
      ),
    answerFile: pathSchema
      .optional()
      .describe(
        'Where the answer’s code is put: its longest fenced block, else all of its text. Files that the answer has stand at their own paths. Not for cases with a workspace.',
      ),
    input: z.string().max(MIB).default('').describe('What it reads on stdin.'),
    env: z
      .record(z.string().regex(/^[A-Za-z_]\w*$/, 'the name of a variable'), z.string())
      .default({})
      .describe('Variables of its environment, in addition to PATH, HOME and LANG.'),
    exitCode: z.int().min(0).max(255).default(0).describe('The exit code that is right.'),
    stdoutContains: contained('stdout'),
    stderrContains: contained('stderr'),
    stdoutMatches: matched('stdout'),
    stderrMatches: matched('stderr'),
    flags: flagsSchema,
    ...limitOptions,
    memoryMb: z
      .int()
      .min(16)
      .max(65_536)
      .default(1024)
      .describe(
        'Memory of each process, in megabytes. In a workspace: of all processes together, and at least 4096.',
      ),
  })
  .superRefine((given, context) =>
    checkPatterns(given, ['stdoutMatches', 'stderrMatches'], context),
  )
  .describe(
    'A command, run in the sandbox with the answer’s files or in a copy of the workspace, ends and prints as it should.',
  )

type Options = z.infer<typeof options>

export const run: Grader<Options> = {
  type: 'run',
  summary:
    'a command in the sandbox, with the files of the answer or workspace, ends and prints as it should',
  options,
  keepsDeadline: true,
  needsSandbox: true,
  workspaceFault: ({ answerFile }) =>
    answerFile === undefined
      ? null
      : {
          path: ['answerFile'],
          at: 'key',
          found: 'answerFile in a case with a workspace',
          expected: 'no answerFile: the files are those of the workspace',
        },
  starts: ({ command }) => [wordsOf(command)],
  async grade(graded, given, context) {
    const { sandbox } = context
    if (sandbox === null) throw new SandboxError('a command is run in a sandbox, and there is none')
    const limits = limitsOf(given, graded.workspace !== null, context)
    try {
      const { result, again } = await gradeFairly<Judged>({
        grade: () => gradeOnce(graded, given, limits, sandbox, context),
        soundness: ({ output: { passed }, ended }) => {
          if (passed === true) return 'fine'
          if (ended.late !== null) return ended.late === 'wall' ? 'slow' : 'failed'
          return ended.code === given.exitCode ? 'failed' : 'broken'
        },
        starved: ({ ended }) => ended.starved ?? null,
        control: () => controlWorks(sandbox, limits, context.signal),
      })
      const { output } = result
      return again === undefined ? output : { ...output, reason: `${output.reason}; ${again}` }
    } catch (error) {
      if (!(error instanceof UnlaidError)) throw error
      return { score: 0, passed: false, final: true, reason: `the answer ${plain(error.message)}` }
    }
  },
}

interface Judged {
  readonly output: GraderOutput
  readonly ended: CommandEnd
}

/**
 * Runs the command once and grades the result. Each run gets a fresh copy of the files, because a command may
 * change them.
 */
async function gradeOnce(
  graded: GraderInput,
  given: Options,
  limits: CommandLimits,
  sandbox: Sandbox,
  context: GraderContext,
): Promise<Judged> {
  const { workspace } = graded
  const staged =
    workspace === null
      ? await stageAnswer(graded.case.files, filesOf(graded, given))
      : await stageWork(workspace, sandbox)
  try {
    const ended = await runCommand(sandbox, { ...given, limits }, staged, context.signal)
    return { output: await judge(ended, given, limits, context), ended }
  } finally {
    await staged.remove()
  }
}

function limitsOf(given: Options, isWork: boolean, context: GraderContext): CommandLimits {
  const usual = defaultLimits(isWork, context.timeoutMs)
  const cpuMs = parseGraderDuration(given.timeout ?? '') ?? usual.cpuMs
  return {
    cpuMs,
    idleMs: Math.min(parseGraderDuration(given.idleTimeout ?? '') ?? usual.idleMs, cpuMs),
    memoryMb: Math.max(given.memoryMb, usual.memoryMb),
    processes: given.processes ?? usual.processes,
    openFiles: given.openFiles ?? usual.openFiles,
  }
}

function filesOf(graded: GraderInput, { answerFile }: Options): Map<string, string> {
  const files = new Map(answerFiles(graded))
  if (answerFile !== undefined && !files.has(answerFile))
    files.set(answerFile, codeOf(graded.answer))
  return files
}

async function judge(
  ended: CommandEnd,
  given: Options,
  limits: CommandLimits,
  context: GraderContext,
): Promise<GraderOutput> {
  const stdout = ended.stdout.toString('utf8')
  const stderr = ended.stderr.toString('utf8')
  const facts = { exitCode: ended.code, signal: ended.signal, ended: ended.late ?? ended.how }
  const evidence = evidenceOf(stdout, stderr)
  const failed = (reason: string, cause?: GraderOutput['cause']): GraderOutput => ({
    score: 0,
    passed: false,
    reason,
    evidence,
    facts,
    ...(cause === undefined ? {} : { cause }),
  })
  if (ended.reached === 'disk')
    return failed('the command wrote more to the disk than it may', 'code-crashed')
  if (ended.reached === 'memory' && ended.code !== given.exitCode)
    return failed('the command and what it started needed more memory than they may', 'code-memory')
  const late = lateness(ended, limits)
  if (late !== null) return failed(late, 'code-timeout')
  if (ended.code === null)
    return failed(`the command was ended by ${ended.signal ?? 'a signal'}`, 'code-crashed')
  if (ended.code !== given.exitCode)
    return failed(`exit code ${ended.code}, expected ${given.exitCode}${lastWords(stderr)}`)
  const checks = [
    ['stdout', stdout, given.stdoutContains, given.stdoutMatches],
    ['stderr', stderr, given.stderrContains, given.stderrMatches],
  ] as const
  for (const [name, printed, wanted = [], pattern] of checks) {
    const missing = [wanted].flat().find((one) => !printed.includes(one))
    if (missing !== undefined) return failed(`${name} does not contain ${quoted(missing)}`)
    if (pattern === undefined) continue
    const wantedPattern = { pattern, flags: given.flags }
    if ((await search(printed, wantedPattern, context)) === null)
      return failed(`nothing in ${name} matches ${shownPattern(wantedPattern)}`)
  }
  return {
    score: 1,
    passed: true,
    reason: `exit code ${ended.code}, and it printed what it should`,
    facts,
  }
}

const FAULT = /^\s*(?:\w+[:.])*\w*(?:Error|Exception)\b/u

function lastWords(stderr: string): string {
  // The last line of stderr is often not the error. For example, Node prints its version last, and other programs
  // print a stack trace.
  const lines = stderr.trimEnd().split('\n')
  const told = lines.findLast((line) => FAULT.test(line.slice(0, 200)))
  const last = (told ?? lines.at(-1) ?? '').trim()
  return last === '' ? '' : `: ${plain(shortened(last, 120))}`
}

const EVIDENCE = 2000

function evidenceOf(stdout: string, stderr: string): string {
  const shown = (name: string, printed: string): string =>
    printed === '' ? `${name}: nothing` : `${name}:\n${shortened(printed, EVIDENCE)}`
  return `${shown('stdout', stdout)}\n${shown('stderr', stderr)}`
}
