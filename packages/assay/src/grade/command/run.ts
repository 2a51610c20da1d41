/**
 * The `run` grader: runs a command in the sandbox. Its working directory contains the answer's files, or is a
 * fresh copy of the workspace that an agent left. Its exit code and output are compared with what the author of
 * the case expects. The sandbox first signals that the folder is ready, and only then starts the command. So a
 * failure of the sandbox is never counted as a failure of the answer. The answer's code may control what the
 * command prints, so the output is used only for the checks that the author wrote.
 */
import { dirname } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { z } from 'zod'
import { parseGraderDuration, plain } from '@assay/contract'
import { timeSchema } from '@assay/code'
import {
  collect,
  commandTotal,
  gradeFairly,
  limitedAs,
  SandboxError,
  type Collected,
  type Program,
  type Sandbox,
} from '@assay/sandbox'
import { answerFiles, codeOf } from '../files/answer-files.ts'
import { pathSchema } from '../files/file-path.ts'
import type { GraderInput, Grader, GraderContext, GraderOutput } from '../grader.ts'
import { stageFiles, UnlaidError } from '../files/staged-files.ts'
import {
  checkPatterns,
  flagsSchema,
  patternSchema,
  search,
  shownPattern,
} from '../regex/pattern.ts'
import { quoted, shortened } from '../shown.ts'

const MIB = 1024 * 1024
/** The limit on bytes of each output stream. Output beyond it is ignored. */
const MOST_OUTPUT = MIB
/** Extra time to start the sandbox, in addition to the command's own time. */
const START_MS = 2000

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
      .describe('Variables of its environment, beside PATH, HOME and LANG.'),
    exitCode: z.int().min(0).max(255).default(0).describe('The exit code that is right.'),
    stdoutContains: contained('stdout'),
    stderrContains: contained('stderr'),
    stdoutMatches: matched('stdout'),
    stderrMatches: matched('stderr'),
    flags: flagsSchema,
    timeout: timeSchema
      .optional()
      .describe('For the command, such as "30s". The run’s grade timeout unless given.'),
    memoryMb: z.int().min(16).max(65_536).default(1024).describe('Memory, in megabytes.'),
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
  starts: ({ command }) => [lineOf(command)],
  async grade(graded, given, context) {
    const { sandbox } = context
    if (sandbox === null) throw new SandboxError('a command is run in a sandbox, and there is none')
    const timeoutMs = parseGraderDuration(given.timeout ?? '') ?? context.timeoutMs
    try {
      const { result, again } = await gradeFairly<Judged>({
        grade: () => gradeOnce(graded, given, sandbox, timeoutMs, context),
        soundness: ({ output: { passed }, ended }) => {
          if (passed === true) return 'fine'
          return ended.how === 'wall' ? 'late' : ended.code === given.exitCode ? 'failed' : 'broken'
        },
        starved: ({ ended }) => ended.starved ?? null,
        control: () => controlWorks(given, sandbox, timeoutMs, context),
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
  readonly ended: Collected
}

/**
 * Runs the command once and grades the result. Each run gets a fresh copy of the files, because a command may
 * change them.
 */
async function gradeOnce(
  graded: GraderInput,
  given: Options,
  sandbox: Sandbox,
  timeoutMs: number,
  context: GraderContext,
): Promise<Judged> {
  const laid = await lay(graded, given, sandbox)
  try {
    const ended = await runIn(sandbox, programOf(given, laid, timeoutMs), given, context)
    return { output: await judge(ended, given, timeoutMs, context), ended }
  } finally {
    await laid.remove()
  }
}

/**
 * A shell command that starts nested processes, each of which waits for the next one. It succeeds only if the
 * machine can start this many processes at once, which is what a test runner with its helpers needs. If it fails,
 * the machine has too few processes. A graded command that fails for lack of processes is then an error of the
 * trial, not a failure of the answer.
 */
const CONTROL = 'start() { [ "$1" = 0 ] || ( start $(($1 - 1)) ) || exit 1; }; start 14'

/** The size of a file that is copied for the control command, so that a full disk is noticed too. */
const CONTROL_BYTES = 65_536

/**
 * Whether the control command works in the sandbox, with the same limits and without the answer's files. If not,
 * the machine lacks resources, and the answer is not at fault.
 */
async function controlWorks(
  given: Options,
  sandbox: Sandbox,
  timeoutMs: number,
  context: GraderContext,
): Promise<boolean> {
  const laid = await stageFiles({ control: 'x'.repeat(CONTROL_BYTES) }, new Map()).catch(() => null)
  if (laid === null) return false
  try {
    const program = programOf(
      { ...given, command: CONTROL, env: {} },
      { words: ['copy', laid.folder], shown: { reads: [laid.folder] } },
      timeoutMs,
    )
    const ended = await runIn(sandbox, program, { command: CONTROL, input: '' }, context)
    return ended.code === 0 && ended.starved === undefined
  } finally {
    await laid.remove()
  }
}

/** The folder in which the command starts, with its path inside the sandbox. */
interface Laid {
  /**
   * The first two arguments of the script: either the folder to copy into the working directory, or the folder
   * to enter.
   */
  readonly words: readonly [how: 'copy' | 'enter', folder: string]
  readonly shown: Pick<Program, 'reads' | 'folders'>
  remove(): Promise<void>
}

/**
 * The path of a workspace inside the sandbox, if the sandbox can mount it elsewhere. The agent saw it at the
 * same path.
 */
const WORKSPACE = '/workspace'

/** Prepares the files for the command. Throws an `UnlaidError` if the answer’s files cannot be written. */
async function lay(graded: GraderInput, given: Options, sandbox: Sandbox): Promise<Laid> {
  const { workspace } = graded
  if (workspace !== null) {
    const copy = await workspace.lay()
    return {
      words: ['enter', sandbox.moves ? WORKSPACE : copy.folder],
      shown: { reads: [], folders: [{ from: copy.folder, at: WORKSPACE }] },
      remove: () => copy.remove(),
    }
  }
  const laid = await stageFiles(graded.case.files, filesOf(graded, given))
  return {
    words: ['copy', laid.folder],
    shown: { reads: [laid.folder] },
    remove: () => laid.remove(),
  }
}

function filesOf(graded: GraderInput, { answerFile }: Options): Map<string, string> {
  const files = new Map(answerFiles(graded))
  if (answerFile !== undefined && !files.has(answerFile))
    files.set(answerFile, codeOf(graded.answer))
  return files
}

/**
 * A shell script that copies the files or enters the workspace, then writes `ready` to a pipe, and then executes
 * the command. The command does not inherit the pipe. HOME is a private folder of the command, not part of the
 * workspace.
 */
const SCRIPT = `HOME=$PWD TMPDIR=$PWD
export HOME TMPDIR
case $1 in
copy) cp -R "$2"/. . || exit 1 ;;
*) cd "$2" || exit 1 ;;
esac
shift 2
case $1 in
*/*) ;;
*) command -v "$1" >/dev/null || { echo missing >&3; exit 1; } ;;
esac
echo ready >&3
exec 3>&-
exec "$@"`

/** Returns the command as a list of words. A command that is one text is run by the shell. */
const lineOf = (command: Options['command']): readonly string[] =>
  typeof command === 'string' ? ['/bin/sh', '-c', command] : command

function programOf(
  given: Options,
  { words, shown }: Pick<Laid, 'words' | 'shown'>,
  timeoutMs: number,
): Program {
  const { command, env, memoryMb } = given
  return {
    argv: ['/bin/sh', '-c', SCRIPT, 'sh', ...words, ...lineOf(command)],
    ...shown,
    reads: [...shown.reads, process.execPath],
    env: { LANG: 'C.UTF-8', ...env, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
    ...limitedAs('command', {
      cpuMs: timeoutMs,
      wallMs: timeoutMs + START_MS,
      memoryBytes: memoryMb * MIB,
      total: commandTotal(memoryMb * MIB),
    }),
    pipes: 1,
    system: true,
  }
}

async function runIn(
  sandbox: Sandbox,
  program: Program,
  { command, input }: Pick<Options, 'command' | 'input'>,
  { signal }: GraderContext,
): Promise<Collected> {
  signal.throwIfAborted()
  const started = sandbox.start(program)
  const stop = (): void => void started.kill()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const [pipe] = started.pipes
    const saying = pipe === undefined ? Promise.resolve('') : textOf(pipe).catch(() => '')
    const ended = await collect(started, input, MOST_OUTPUT)
    signal.throwIfAborted()
    const said = await saying
    if (said.includes('missing'))
      throw new SandboxError(
        `there is no program ${quoted([command].flat()[0] ?? '', 60)} in the sandbox`,
      )
    if (!said.includes('ready')) {
      const words = plain(shortened(ended.stderr.toString('utf8').trim(), 300))
      throw new SandboxError(
        `the command could not be prepared in the sandbox: ${words}`,
        ended.starved === undefined ? {} : { starved: ended.starved },
      )
    }
    return ended
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function judge(
  ended: Collected,
  given: Options,
  timeoutMs: number,
  context: GraderContext,
): Promise<GraderOutput> {
  const stdout = ended.stdout.toString('utf8')
  const stderr = ended.stderr.toString('utf8')
  const facts = { exitCode: ended.code, signal: ended.signal, ended: ended.how }
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
  if (ended.how === 'wall' || ended.how === 'cpu')
    return failed(`the command did not end within ${timeoutMs / 1000} s`, 'code-timeout')
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
  // The last line of stderr is often not the error. Node prints its version last, and other programs print a
  // stack trace.
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
