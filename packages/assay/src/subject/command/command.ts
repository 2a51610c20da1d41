/**
 * A program of the user as a subject. It gets the prompt on stdin or as an argument, and its output is the answer. It
 * gets only a few environment variables, so that it has the user's keys and settings only if the subject names them. If
 * the program fails or does not end, the trial has failed. There is no answer only if the program could not be started.
 *
 * In a case with a workspace, the program works there like an agent (agent/own-command/command-in-workspace.ts). If the
 * subject declares events, the output is read as events (agent/own-command/command-with-events.ts).
 */
import { isUtf8 } from 'node:buffer'
import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import {
  SubjectError,
  type Answer,
  type Ask,
  type Message,
  type Subject,
  UsageError,
} from '@assay/contract'
import { secretsIn } from '../../environment/index.ts'
import { redactor, type Redact } from '../../log/index.ts'
import { commandPath, runProcess, type ProcessEnd } from '@assay/sandbox'
import { asJson, PROMPT, withPrompt } from '../agent/own-command/command-words.ts'
import { checkStaged, type Staged } from '../agent/staged-files.ts'
import type { EventFormat } from '../agent/names.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { FAMILIES, requestPools, upstreamsOf } from '../gateway/route.ts'
import { readEnvelope } from './envelope.ts'
import { fromOurs } from './given-env.ts'
import { namedContent } from './named-content.ts'
import { noted, notStarted } from './not-started.ts'
import type { Prices } from '../model/prices.ts'
import type { RecordedTraffic } from '../replay/recorded-traffic.ts'
import { withReplayedKeys } from '../replay/replayed-keys.ts'
import { commandTraces } from '../traces.ts'
import { INVALID_UTF8 } from '../utf8.ts'

export interface CommandOptions {
  /** The program and its arguments. `{prompt}` in an argument is replaced by the prompt. */
  readonly argv: readonly string[]
  /** The subject's id in records. */
  readonly id: string
  /**
   * How the program gets the prompt: on stdin, as an argument, or on stdin as JSON with all messages, the case and the
   * index. An argument with `{prompt}` gets the prompt in its place. If there is none, the prompt becomes the last
   * argument. Default: as an argument if one contains `{prompt}`, otherwise on stdin.
   */
  readonly promptAs?: 'stdin' | 'argument' | 'json'
  /** Whether the output is the answer itself (`text`) or an envelope (`json`, see envelope.ts). */
  readonly answerAs?: 'text' | 'json'
  /** The working directory. Default: Assay's own. In a case with a workspace, the program runs there instead. */
  readonly cwd?: string
  /** The working directory if `cwd` is not set. It is not recorded. Default: Assay's own. */
  readonly workFolder?: string
  /** Variables that the program gets, in addition to the few that every program needs. */
  readonly env?: Readonly<Record<string, string>>
  /** Names of variables of Assay's own environment that the program gets too. */
  readonly passEnv?: readonly string[]
  /** The time limit for one answer. If the run or the case has a smaller limit, that one applies. */
  readonly timeoutMs?: number
  /** How many processes of the program may run at the same time. Default: the number of cores. */
  readonly concurrency?: number
  /** The most bytes of output. */
  readonly mostBytes?: number

  /**
   * The format of the events in the output. Default: plain text. In a workspace, it is detected from the first line.
   */
  readonly events?: EventFormat

  // The fields from here to `folder` are for cases with a workspace.
  readonly skills?: Staged['skills']
  readonly files?: Staged['files']
  readonly homeFiles?: Staged['homeFiles']
  /** The folder to which arguments with ./ or ../ are relative. Default: Assay's working directory. */
  readonly folder?: string
  /** If true, the command is only inspected and may be untrusted. So no file outside of its repository is read. */
  readonly lookOnly?: boolean
  /** Returns prices for events that report tokens but no cost. They are loaded when they are first needed. */
  readonly prices?: () => Promise<Prices>
  /**
   * Whether requests from a workspace go through Assay's gateway. This is possible if the command gets a key that the
   * gateway can replace.
   */
  readonly gateway?: boolean
  /** Recorded traffic that answers the requests from a workspace instead of a provider. */
  readonly traffic?: RecordedTraffic
}

const MOST_BYTES = 8 * 1024 * 1024
/** How many bytes are kept of an output that is too large. They are enough for the user to recognize the output. */
const KEPT_OF_TOO_MUCH = 64 * 1024

/** Environment variables that most programs need to run. The last four are for Windows. */
const NEEDED = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'SystemRoot', 'TEMP', 'TMP', 'PATHEXT']

export function commandSubject(options: CommandOptions): Subject {
  const { argv, id, answerAs = 'text', mostBytes = MOST_BYTES } = options
  const [program = '', ...words] = argv
  const placed = words.some((word) => word.includes(PROMPT))
  const promptAs = options.promptAs ?? (placed ? 'argument' : 'stdin')
  if (program.trim() === '') throw new UsageError(`${id}: the command names no program`)
  if (answerAs === 'json' && options.events !== undefined && options.events !== 'text')
    throw new UsageError(
      `${id}: answerAs = "json" and events = "${options.events}" are two ways to read its output: leave one of them out`,
    )
  if (placed && promptAs !== 'argument')
    throw new UsageError(`${id}: the command has ${PROMPT}, but promptAs is "${promptAs}"`)
  const cwd = resolve(options.cwd ?? options.workFolder ?? '.')
  if (!isFolder(cwd)) throw new UsageError(`${id}: the working directory ${cwd} does not exist`)
  const given = environment(options)
  const laid = {
    skills: options.skills ?? [],
    files: options.files ?? {},
    homeFiles: options.homeFiles ?? {},
  }
  const laidRecord = checkStaged(id, laid)
  const secrets = secretsIn({ ...passed(options), ...options.env })
  const redact = redactor(secrets)
  const content =
    options.folder === undefined
      ? {}
      : contentOf(argv, resolve(options.folder), options.lookOnly ?? false, redact)
  const most = options.concurrency ?? availableParallelism()
  const closing = new AbortController()

  const { traffic = null } = options
  const ownKeys = { ...passed(options), ...options.env }
  const keyed = traffic === null ? ownKeys : withReplayedKeys(ownKeys, traffic.variables)
  const upstreams =
    options.gateway === false && traffic === null ? [] : upstreamsOf(FAMILIES, keyed)
  let gateway: Promise<Gateway | null> | null = null

  async function atWork(ask: Ask): Promise<Answer> {
    const { commandGateway, commandInWorkspace } =
      await import('../agent/own-command/command-in-workspace.ts')
    if (upstreams.length > 0 && options.prices !== undefined)
      gateway ??= commandGateway(keyed, options.prices)
    return commandInWorkspace(
      {
        id,
        program,
        words,
        promptAs,
        answerAs,
        events: options.events ?? null,
        folder: resolve(options.folder ?? '.'),
        laid,
        ...(traffic === null
          ? { env: options.env ?? {}, passEnv: options.passEnv ?? [] }
          : { env: keyed, passEnv: [] }),
        prices: options.prices ?? null,
        timeoutMs: options.timeoutMs ?? null,
        gateway: await gateway,
        traffic,
      },
      ask,
      AbortSignal.any([ask.signal, closing.signal]),
    )
  }

  /** The format of the events, with or without a workspace. Null if the output is plain text. */
  const events = options.events === undefined || options.events === 'text' ? null : options.events

  async function withEvents(ask: Ask, format: EventFormat): Promise<Answer> {
    const { commandWithEvents } = await import('../agent/own-command/command-with-events.ts')
    return commandWithEvents(
      {
        id,
        program,
        words,
        promptAs,
        answerAs,
        events: format,
        cwd,
        env: given,
        secrets,
        prices: options.prices ?? null,
        timeoutMs: options.timeoutMs ?? null,
      },
      ask,
      AbortSignal.any([ask.signal, closing.signal]),
    )
  }

  return {
    id,
    kind: 'command',
    source: traffic === null ? 'live' : 'replay',
    pool: `command ${id}`,
    concurrency: { start: most, most },
    ...(upstreams.length === 0 || traffic !== null
      ? {}
      : { requestPools: requestPools(upstreams) }),
    config: {
      command: argv.map(redact),
      promptAs,
      answerAs,
      // The path is recorded as the user wrote it. So the same command on another machine counts as the same subject.
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
      ...(options.events === undefined ? {} : { events: options.events }),
      ...(laid.skills.length === 0 ? {} : { skills: laidRecord.skills }),
      ...(Object.keys(laid.files).length === 0 ? {} : { files: laidRecord.files }),
      ...(Object.keys(content).length === 0 ? {} : { content }),
      env: [...Object.keys(options.env ?? {}), ...(options.passEnv ?? [])].sort(),
      ...(options.gateway === false ? { gateway: false } : {}),
      ...(traffic === null ? {} : { traffic: traffic.config }),
    },
    secrets,
    ...unheldLimits(options, upstreams.length > 0),
    ...(events === null ? {} : { takesAllTurns: true as const }),
    traces: (one) =>
      commandTraces(
        { events: options.events ?? null, answerAs, isGated: upstreams.length > 0 },
        one,
      ),
    // The cost limit of a case is an upper estimate only for commands that run like agents. Assay cannot stop other
    // commands at a limit.
    estimateUsd: ({ workspace, limits }) =>
      traffic !== null ? 0 : workspace === null && events === null ? null : (limits?.usd ?? null),

    async answer(ask) {
      if (ask.openWorkspace !== undefined) return atWork(ask)
      if (traffic !== null)
        throw new SubjectError(`${id}: only cases with a workspace have recorded traffic`, {
          reason: 'no-answer',
          retry: false,
        })
      if (events !== null) return withEvents(ask, events)
      const timeoutMs = Math.min(options.timeoutMs ?? Number.POSITIVE_INFINITY, ask.timeoutMs)
      const ended = await runProcess({
        argv:
          promptAs === 'argument' ? [program, ...withPrompt(words, promptOf(ask.messages))] : argv,
        input: inputFor(ask, promptAs),
        cwd,
        env: given,
        timeoutMs,
        mostBytes,
        signal: AbortSignal.any([ask.signal, closing.signal]),
      }).catch((error: unknown) => {
        if (ask.signal.aborted) throw ask.signal.reason
        throw notStarted(id, program, error)
      })
      const answer = answerFrom(ended, answerAs, { timeoutMs, mostBytes })
      return { ...answer, ...(answer.note === undefined ? {} : { note: redact(answer.note) }) }
    },

    async close() {
      closing.abort(new Error('the subject was closed'))
      await (await gateway)?.close()
    },
  }
}

/**
 * Returns the limits of a case that cannot be checked while the command works. Without events and without the gateway,
 * the command reports nothing until it ends.
 */
function unheldLimits(
  { events, answerAs }: CommandOptions,
  isGated: boolean,
): Pick<Subject, 'unheldLimits'> {
  if (isGated || (events === undefined && answerAs !== 'json')) return {}
  if (events === 'text' || answerAs === 'json')
    return { unheldLimits: ['turns', 'toolCalls', 'tokens', 'usd'] }
  return events === 'codex' || events === 'gemini'
    ? { unheldLimits: ['turns', 'tokens', 'usd'] }
    : {}
}

/** Returns the hashes of the files that arguments name. The keys are the arguments, with secrets masked. */
const contentOf = (
  argv: readonly string[],
  folder: string,
  lookOnly: boolean,
  redact: Redact,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(namedContent(argv, folder, lookOnly)).map(([word, hash]) => [
      redact(word),
      hash,
    ]),
  )

// ── Before it runs ───────────────────────────────────────────────────────────────────────────────────

const passed = ({ passEnv = [] }: CommandOptions): Record<string, string> => fromOurs(passEnv)

function environment(options: CommandOptions): Record<string, string> {
  const { PATH, ...needed } = fromOurs(NEEDED)
  const path = PATH === undefined ? {} : { PATH: commandPath(PATH) }
  return { ...needed, ...path, ...passed(options), ...options.env }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Returns all messages as one text. */
const promptOf = (messages: readonly Message[]): string =>
  messages.map(({ content }) => content).join('\n\n')

function inputFor(ask: Ask, promptAs: CommandOptions['promptAs']): string {
  if (promptAs === 'stdin') return promptOf(ask.messages)
  return promptAs === 'json' ? asJson(ask, ask.messages) : ''
}

// ── After it ended ───────────────────────────────────────────────────────────────────────────────────

function answerFrom(
  { how, code, signal, stdout, stderr }: ProcessEnd,
  answerAs: 'text' | 'json',
  limits: { readonly timeoutMs: number; readonly mostBytes: number },
): Answer {
  // The line break at the end of the output is not part of the answer.
  const complaint = stderr.toString('utf8')
  const printed = stdout.toString('utf8').replace(/(?:\r?\n)+$/u, '')
  // UTF-8 is checked only if the program ended by itself. A program that was stopped may have written only a part of
  // its last character.
  const remarks = how === 'ended' && !isUtf8(stdout) ? { remarks: [INVALID_UTF8] } : {}
  const plain = { text: printed, usage: null, usd: null, ...remarks }
  if (how === 'too-much') {
    const note = `printed more than ${limits.mostBytes} bytes and was stopped`
    const text = stdout.subarray(0, KEPT_OF_TOO_MUCH).toString('utf8')
    return { ...plain, text, stop: 'exit', note }
  }
  if (how === 'timeout') {
    const note = noted(`did not end within ${limits.timeoutMs / 1000} s`, complaint)
    return { ...plain, stop: 'timeout', note }
  }
  const envelope = answerAs === 'json' ? readEnvelope(printed) : { ...plain, stop: 'end' as const }
  const failed =
    code === 0
      ? null
      : noted(code === null ? `was ended by ${String(signal)}` : `exit code ${code}`, complaint)
  if ('wrong' in envelope)
    return {
      ...plain,
      stop: 'exit',
      note:
        failed ?? noted(`printed an envelope that cannot be read: ${envelope.wrong}`, complaint),
    }
  // A program that failed may still have reported its cost. So the rest of the envelope is kept.
  const answer = { ...envelope, ...remarks }
  return failed === null ? answer : { ...answer, stop: 'exit', note: failed }
}
