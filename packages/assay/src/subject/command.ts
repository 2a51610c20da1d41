/**
 * Any program as a subject: it gets the prompt on stdin or as an argument, and what it prints is the
 * answer. It runs with an environment of its own, so that neither keys nor whims of the user's session
 * reach it unless they are named. A program that fails or does not end has failed the trial; only one that
 * could not be started leaves it without an answer.
 */
import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { SubjectError, type Answer, type Ask, type Message, type Subject } from '../contract.ts'
import { UsageError } from '../errors.ts'
import { redactor } from '../log/index.ts'
import { readEnvelope } from './envelope.ts'
import { runProcess, type ProcessEnd } from '../process.ts'

export interface CommandOptions {
  /** Program and arguments; `{prompt}` in an argument stands for the prompt. */
  readonly argv: readonly string[]
  /** What records show. */
  readonly id: string
  /**
   * On stdin, as an argument (in place of `{prompt}`, else as the last one), or on stdin as JSON with all
   * messages, the case and the index. An argument where the words hold `{prompt}`, else stdin.
   */
  readonly promptAs?: 'stdin' | 'argument' | 'json'
  /** What is printed is the answer itself, or an envelope (envelope.ts). */
  readonly answerAs?: 'text' | 'json'
  /** Where it runs; where Assay runs unless given. */
  readonly cwd?: string
  /** Variables it gets, beside the few that every program needs. */
  readonly env?: Readonly<Record<string, string>>
  /** Variables of Assay's own environment that it gets too. */
  readonly passEnv?: readonly string[]
  /** For one answer; the smaller of this and the run's or case's own counts. */
  readonly timeoutMs?: number
  /** Processes at once; as many as there are cores unless given. */
  readonly concurrency?: number
  /** Most bytes of output. */
  readonly mostBytes?: number
}

const PLACEHOLDER = '{prompt}'
const MOST_BYTES = 8 * 1024 * 1024
/** What is kept of output that grew too large: enough to see what it was. */
const KEPT_OF_TOO_MUCH = 64 * 1024
const MOST_NOTED = 600

/** Without these most programs do not run. The last four are Windows's. */
const NEEDED = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'SystemRoot', 'TEMP', 'TMP', 'PATHEXT']
const SECRET_NAME = /key|token|secret|passw|credential|auth/i

export function commandSubject(options: CommandOptions): Subject {
  const { argv, id, answerAs = 'text', mostBytes = MOST_BYTES } = options
  const placed = argv.slice(1).some((word) => word.includes(PLACEHOLDER))
  const promptAs = options.promptAs ?? (placed ? 'argument' : 'stdin')
  if (argv[0] === undefined || argv[0].trim() === '')
    throw new UsageError(`${id}: the command names no program`)
  if (placed && promptAs !== 'argument')
    throw new UsageError(`${id}: the command has ${PLACEHOLDER}, but promptAs is "${promptAs}"`)
  const cwd = resolve(options.cwd ?? '.')
  if (!isFolder(cwd)) throw new UsageError(`${id}: the working directory ${cwd} does not exist`)
  const given = environment(options)
  const secrets = Object.entries({ ...options.env, ...passed(options) })
    .filter(([name]) => SECRET_NAME.test(name))
    .map(([, value]) => value)
  const redact = redactor(secrets)
  const most = options.concurrency ?? availableParallelism()
  const closing = new AbortController()

  return {
    id,
    kind: 'command',
    source: 'live',
    pool: `command ${id}`,
    concurrency: { start: most, most },
    config: {
      command: argv.map(redact),
      promptAs,
      answerAs,
      // As it was given: the same command on another machine is the same subject.
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
      env: [...Object.keys(options.env ?? {}), ...(options.passEnv ?? [])].sort(),
    },
    secrets,
    estimateUsd: () => null,

    async answer(ask) {
      const timeoutMs = Math.min(options.timeoutMs ?? Number.POSITIVE_INFINITY, ask.timeoutMs)
      const ended = await runProcess({
        argv: promptAs === 'argument' ? withPrompt(argv, promptOf(ask.messages)) : argv,
        input: inputFor(ask, promptAs),
        cwd,
        env: given,
        timeoutMs,
        mostBytes,
        signal: AbortSignal.any([ask.signal, closing.signal]),
      }).catch((error: unknown) => {
        if (ask.signal.aborted) throw ask.signal.reason
        throw notStarted(id, argv[0] ?? '', error)
      })
      const answer = answerFrom(ended, answerAs, { timeoutMs, mostBytes })
      return { ...answer, ...(answer.note === undefined ? {} : { note: redact(answer.note) }) }
    },

    async close() {
      closing.abort(new Error('the subject was closed'))
    },
  }
}

// ── Before it runs ───────────────────────────────────────────────────────────────────────────────────

const passed = ({ passEnv = [] }: CommandOptions): Record<string, string> => fromOurs(passEnv)

function environment(options: CommandOptions): Record<string, string> {
  return { ...fromOurs(NEEDED), ...passed(options), ...options.env }
}

function fromOurs(names: readonly string[]): Record<string, string> {
  const entries = names.flatMap((name): [string, string][] => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** The turns as one text. */
const promptOf = (messages: readonly Message[]): string =>
  messages.map(({ content }) => content).join('\n\n')

function withPrompt(argv: readonly string[], prompt: string): string[] {
  const [program = '', ...words] = argv
  const placed = words.map((word) => word.replaceAll(PLACEHOLDER, () => prompt))
  const isPlaced = words.some((word) => word.includes(PLACEHOLDER))
  return [program, ...placed, ...(isPlaced ? [] : [prompt])]
}

function inputFor(ask: Ask, promptAs: CommandOptions['promptAs']): string {
  if (promptAs === 'stdin') return promptOf(ask.messages)
  if (promptAs !== 'json') return ''
  const { suite, case: one, index, messages, maxTokens } = ask
  const asked = { suite, case: one.id, index, messages, maxTokens, files: one.files }
  return `${JSON.stringify(asked)}\n`
}

// ── After it ended ───────────────────────────────────────────────────────────────────────────────────

function answerFrom(
  { how, code, signal, stdout, stderr }: ProcessEnd,
  answerAs: 'text' | 'json',
  limits: { readonly timeoutMs: number; readonly mostBytes: number },
): Answer {
  // Bytes that are no UTF-8 become replacement characters.
  // Programs end their last line; that newline is no part of what they say.
  const printed = stdout.toString('utf8').replace(/(?:\r?\n)+$/u, '')
  const plain = { text: printed, usage: null, usd: null }
  if (how === 'too-much') {
    const note = `printed more than ${limits.mostBytes} bytes and was stopped`
    const text = stdout.subarray(0, KEPT_OF_TOO_MUCH).toString('utf8')
    return { ...plain, text, stop: 'exit', note }
  }
  if (how === 'timeout') {
    const note = noted(`did not end within ${limits.timeoutMs / 1000} s`, stderr)
    return { ...plain, stop: 'timeout', note }
  }
  const envelope = answerAs === 'json' ? readEnvelope(printed) : { ...plain, stop: 'end' as const }
  const failed =
    code === 0
      ? null
      : noted(code === null ? `was ended by ${String(signal)}` : `exit code ${code}`, stderr)
  if ('wrong' in envelope)
    return {
      ...plain,
      stop: 'exit',
      note: failed ?? noted(`printed an envelope that cannot be read: ${envelope.wrong}`, stderr),
    }
  // Even a program that failed may have said what it spent.
  return failed === null ? envelope : { ...envelope, stop: 'exit', note: failed }
}

/** The sentence, with the end of what was printed on stderr. */
function noted(sentence: string, stderr: Buffer): string {
  const said = stderr.toString('utf8').trim()
  if (said === '') return sentence
  return `${sentence}; stderr: ${said.length > MOST_NOTED ? '…' : ''}${said.slice(-MOST_NOTED)}`
}

/** Machines run out of processes or memory for a moment; a program that is not there stays away. */
const PASSING = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])

function notStarted(id: string, program: string, error: unknown): SubjectError {
  const { code = '', message } = error as NodeJS.ErrnoException
  const why: Readonly<Record<string, string>> = {
    ENOENT: `there is no program "${program}"${program.includes('/') ? '' : ' on the PATH'}`,
    EACCES: `"${program}" may not be executed`,
    E2BIG: 'the prompt is too long for an argument: let the command read it from stdin',
    ERR_INVALID_ARG_VALUE: 'the prompt holds a zero byte: let the command read it from stdin',
  }
  return new SubjectError(`${id} could not be started: ${why[code] ?? message}`, {
    reason: 'not-started',
    retry: PASSING.has(code),
    cause: error,
  })
}
