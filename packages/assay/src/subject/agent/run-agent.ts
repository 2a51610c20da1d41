/**
 * Runs one trial of an agent, from its workspace to its answer. It copies the subject's files into the workspace and
 * starts the program once for each of the user's turns. It reads the agent's events as they arrive, and checks the
 * limits of the case after every line. At the end it takes a diff of the workspace. The agent may end by itself, at a
 * limit, at its deadline or with an error. In each case, its work until then is the answer. There is no answer only if
 * the agent could not start or could not reach its provider. The workspace is always closed.
 */
import { performance } from 'node:perf_hooks'
import {
  BudgetUsedUp,
  SubjectError,
  WorkspaceTooLarge,
  type AgentLimits,
  type Answer,
  type Ask,
  type Message,
  type Network,
  type TrialWorkspace,
  type WorkspaceDiff,
  type WorkspaceEnd,
} from '@assay/contract'
import { redactor } from '../../log/index.ts'
import { noted, notStarted } from '../command/not-started.ts'
import { INVALID_UTF8 } from '../utf8.ts'
import { checkServers } from './check-servers.ts'
import { AcpClient } from './acp/acp-client.ts'
import type { AgentKind, AgentSettings, LostEnd, TurnStart } from './agent-kind.ts'
import type { FoundProgram } from './find-agent.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { ReplayedTrial } from '../gateway/traffic/replayed-trial.ts'
import type { RecordedTraffic } from '../replay/recorded-traffic.ts'
import { openGate, type Gate } from './gate.ts'
import { stageIn, type Staged } from './staged-files.ts'
import { STOPS, type Stopped } from './stopped.ts'
import { overLimit, REACHED, starvedBy } from './over-limit.ts'
import { readNotes } from './trajectory/read-notes.ts'
import type { PriceOf } from './trajectory/spent.ts'
import { streamLines } from './trajectory/stream-lines.ts'
import { withEvidence } from './trajectory/with-evidence.ts'
import type { Surroundings } from './surroundings.ts'
import { TrajectoryBuilder } from './trajectory/trajectory-builder.ts'

export interface AgentRun {
  readonly id: string
  readonly kind: AgentKind
  readonly found: FoundProgram
  readonly around: Surroundings
  readonly settings: AgentSettings
  readonly laid: Staged
  readonly price: PriceOf
  /** The gateway through which the agent's requests go. Null if they go directly to its provider. */
  readonly gateway: Gateway | null
  /** Recorded traffic that answers the requests. Null if the provider is asked. */
  readonly traffic?: RecordedTraffic | null
  /**
   * True for a program that Assay does not know by name. Its exit code says whether it failed, and it may end without
   * printing anything.
   */
  readonly isCommand: boolean
  /** If true, the program runs as a plain process, not in a workspace. */
  readonly isDirect?: boolean
  /**
   * If true, each turn continues the session of the previous turn, so a turn without a session fails the trial. If
   * false, the program starts anew in each turn.
   */
  readonly needsSession: boolean
  readonly timeoutMs: number | null
}

/**
 * The most bytes of stdout in one start of the program. The limit is large, because most of the output is partial lines
 * that later lines repeat.
 */
const MOST_BYTES = 512 * 1024 * 1024
/** The exit code with which a user's own command reports that it lost its provider (EX_TEMPFAIL of sysexits.h). */
const PROVIDER_LOST = 75
/** The most characters of the raw stream that are stored. */
const MOST_STREAM = 64 * 1024 * 1024

/** Describes the network of a trial for the record. */
const networkWords = (network: Network): string =>
  typeof network === 'string' ? network : network.join(', ')

/** The end of a program that Assay stopped because its requests exceeded a limit. */
const HALTED: WorkspaceEnd = { how: 'stopped', code: null, signal: 'SIGKILL', stderr: '' }
const NO_MONEY = 'the budget of the run is used up'

/** An ACP agent is started without a prompt. It gets its prompts later, on its stdin. */
const NO_PROMPT = { prompt: '', messages: [], session: null }

/** A conversation with an ACP agent. `finished` aborts when the agent has nothing left to do. */
interface Talk {
  readonly client: AcpClient
  readonly finished: AbortSignal
}

type Figured = Pick<TrajectoryBuilder, 'usage' | 'usd' | 'atLeastUsd'>

/** The folder in which a program works. It is a workspace, or an ordinary working directory without a diff. */
export interface WorkPlace extends Pick<TrialWorkspace, 'folder' | 'home' | 'run'> {
  /** The network of the workspace. Absent for an ordinary working directory, which has the network of this machine. */
  readonly network?: Network
  diff(): Promise<WorkspaceDiff | null>
}

/** One of the user's turns, and the messages before it that already have an answer. */
export interface AskedTurn {
  readonly before: readonly Message[]
  readonly prompt: string
}

/** Runs the user's turns in `place` and returns the answer. The caller must close `place`. */
export async function runTurns(
  driven: AgentRun,
  ask: Ask,
  turns: readonly AskedTurn[],
  place: WorkPlace,
  signal: AbortSignal,
  gate: Gate | null = null,
): Promise<Answer> {
  const trial = new AgentTrial(driven, ask, turns, place, signal, gate)
  try {
    const stopped = await trial.run()
    return await trial.answer(stopped)
  } catch (error) {
    throw signal.aborted ? trial.stopped() : error
  }
}

/**
 * Runs one trial of an agent. Rejects with a `SubjectError` if there is no answer. Also rejects when the signal aborts.
 */
export async function runAgent(driven: AgentRun, ask: Ask, signal: AbortSignal): Promise<Answer> {
  const { openWorkspace } = ask
  if (openWorkspace === undefined)
    throw new SubjectError(`${driven.id} needs a workspace to work in, and this case has none`, {
      reason: 'not-started',
      retry: false,
    })
  signal.throwIfAborted()
  const recorded = (await driven.traffic?.trial(ask.suite, ask.case.id, ask.index)) ?? null
  const given = await openWorkspace()
  // A recording may come from somebody else, and its replies tell the agent what to do. So the agent gets no network.
  const workspace = recorded === null ? given : given.offline()
  const { network } = workspace
  if (network !== 'open' && driven.gateway === null && !driven.isCommand) {
    await workspace.close()
    throw new SubjectError(
      `${driven.id} cannot reach its model: the case does not allow an open network, and its requests do not go through the gateway`,
      { reason: 'not-started', retry: false },
    )
  }
  const replayed = recorded === null ? null : new ReplayedTrial(recorded.traffic)
  const gate =
    driven.gateway === null
      ? null
      : await openGate(driven.gateway, ask, { network, skills: driven.laid.skills, replayed })
  const gated = gate === null ? driven : { ...driven, around: gate.around(driven.around) }
  try {
    await stageIn(workspace, gated)
    await checkServers(workspace, { ...gated, servers: driven.settings.mcpServers }, signal)
    const turns = promptsOf(ask.messages).map((prompt) => ({ before: [], prompt }))
    const answer = await runTurns(gated, ask, turns, workspace, signal, gate)
    return recorded === null ? answer : { ...answer, ms: recorded.ms, spentUsd: 0 }
  } finally {
    await gate?.close()
    await workspace.close()
  }
}

class AgentTrial {
  readonly #driven: AgentRun
  readonly #workspace: WorkPlace
  readonly #signal: AbortSignal
  readonly #turns: readonly AskedTurn[]
  readonly #limits: AgentLimits | null
  readonly #timeoutMs: number
  readonly #from = performance.now()
  readonly #builder: TrajectoryBuilder
  readonly #reader: ReturnType<AgentKind['reader']>
  readonly #gate: Gate | null
  readonly #stream: string[] = []
  #streamLength = 0
  #overLimit: string | null = null

  constructor(
    driven: AgentRun,
    ask: Ask,
    turns: readonly AskedTurn[],
    workspace: WorkPlace,
    signal: AbortSignal,
    gate: Gate | null,
  ) {
    this.#gate = gate
    this.#driven = driven
    this.#workspace = workspace
    this.#signal = signal
    this.#turns = turns
    this.#limits = ask.case.limits
    this.#timeoutMs = Math.min(driven.timeoutMs ?? Number.POSITIVE_INFINITY, ask.timeoutMs)
    this.#builder = new TrajectoryBuilder({
      now: () => this.#elapsed(),
      price: driven.price,
      folder: workspace.folder,
    })
    this.#reader = driven.kind.reader(this.#builder, driven.settings)
  }

  async run(): Promise<Stopped> {
    if (this.#driven.kind.speaks === 'acp') return this.#converse()
    const said: Message[] = []
    for (const [turn, { before, prompt }] of this.#turns.entries()) {
      const session = turn === 0 ? null : this.#builder.sessionId
      if (turn > 0 && session === null && this.#driven.needsSession)
        return {
          stop: 'exit',
          note: `told no session to go on with, so turn ${turn + 1} of ${this.#turns.length} could not be asked`,
        }
      said.push(...before, { role: 'user', content: prompt })
      const stopped = await this.#turn(turn, { prompt, messages: [...said], session })
      if (stopped.stop !== 'end') return stopped
      said.push({ role: 'assistant', content: this.#builder.answerText })
    }
    return { stop: 'end' }
  }

  async #turn(
    turn: number,
    asked: Pick<TurnStart, 'prompt' | 'messages' | 'session'>,
  ): Promise<Stopped> {
    const left = this.#timeoutMs - this.#elapsed()
    if (left <= 0) return this.#late('')
    this.#builder.beginTurn(turn, asked.prompt)
    const end = await this.#start(asked, left)
    await this.#gate?.idle()
    await this.#notes()
    const lost = this.#lostBy(end)
    this.#reader.turnEnded()
    this.#checkLimits()
    return this.#stopped(end, lost)
  }

  /** Runs all turns of an ACP agent in one process. */
  async #converse(): Promise<Stopped> {
    const finished = new AbortController()
    const { kind, settings } = this.#driven
    const client = new AcpClient({
      settings: kind.startsModel === true ? { ...settings, model: null } : settings,
      folder: this.#workspace.folder,
      prompts: this.#turns.map(({ prompt }) => prompt),
      sink: this.#builder,
      beginTurn: (turn) => {
        if (turn === 0) return
        this.#reader.turnEnded()
        this.#builder.beginTurn(turn, this.#turns[turn]?.prompt ?? '')
      },
      finish: () => finished.abort(new Error('the agent has finished')),
    })
    const cancel = (): void => client.cancel()
    this.#gate?.halted.addEventListener('abort', cancel, { once: true })
    this.#builder.beginTurn(0, this.#turns[0]?.prompt ?? '')
    const talk = { client, finished: finished.signal }
    const end = await this.#start(NO_PROMPT, this.#timeoutMs, talk).finally(() => {
      client.close()
      this.#gate?.halted.removeEventListener('abort', cancel)
    })
    await this.#gate?.idle()
    const lost = this.#lostBy(end)
    this.#reader.turnEnded()
    this.#checkLimits()
    return this.#stopped(this.#conversed(client, end, lost), lost)
  }

  /**
   * Returns how the process of an ACP agent ended. If the agent has replied, this counts as a normal end, although
   * Assay then stops the process.
   */
  #conversed(client: AcpClient, end: WorkspaceEnd, lost: LostEnd | null): WorkspaceEnd {
    const hasAsked = this.#gate?.hasAsked === true
    if (client.end !== null && client.end.how !== 'not-started')
      return { ...end, how: 'ended', code: 0, signal: null }
    if (this.#overLimit !== null || lost !== null || end.reached !== undefined) return end
    if (client.end !== null && !hasAsked) throw this.#neverStarted(client.end.why, end.stderr)
    if (!client.isReady && !hasAsked) {
      const why =
        end.how === 'timeout'
          ? `it was not ready within ${this.#timeoutMs / 1000} s`
          : `it ended before it was asked (exit code ${String(end.code ?? end.signal)})`
      throw this.#neverStarted(why, end.stderr)
    }
    if (end.how === 'ended' && this.#builder.ended === null)
      this.#builder.end({
        how: 'failed',
        why: noted(
          `ended before it answered the prompt (exit code ${String(end.code ?? end.signal)})`,
          end.stderr,
        ),
      })
    return end.how === 'ended' ? { ...end, code: 0 } : end
  }

  /** Reads the notes: a file in which some agents record the usage of their requests (see `AgentKind.notes`). */
  async #notes(): Promise<void> {
    const { kind, around } = this.#driven
    const session = this.#builder.sessionId
    const command = session === null ? null : (kind.notes?.(session) ?? null)
    if (command === null) return
    try {
      await readNotes(this.#workspace, command, around.reads, this.#signal, (line) =>
        this.#reader.note?.(line),
      )
    } catch (error) {
      this.#signal.throwIfAborted()
      this.#builder.odd(`what the agent noted of its requests could not be read: ${String(error)}`)
    }
  }

  /**
   * Returns how the agent lost its provider. Returns null if it did not. If the stream has no end event, the reader
   * decides whether the agent was waiting for its provider.
   */
  #lostBy({ how, code, stderr }: WorkspaceEnd): LostEnd | null {
    const told = this.#builder.ended
    if (this.#seenBy !== null) return this.#seenBy.lost
    if (told !== null) return told.how === 'lost' ? told : null
    const isOpen = how === 'timeout' || (how === 'ended' && code !== 0)
    const lost = isOpen ? (this.#reader.lost?.(stderr) ?? null) : null
    if (lost !== null || !this.#driven.isCommand || how !== 'ended' || code !== PROVIDER_LOST)
      return lost
    const why = noted(`exit code ${PROVIDER_LOST}`, stderr)
    return { how: 'lost', why, reason: 'provider-error' }
  }

  async #start(
    asked: Pick<TurnStart, 'prompt' | 'messages' | 'session'>,
    timeoutMs: number,
    talk: Talk | null = null,
  ): Promise<WorkspaceEnd> {
    const { id, kind, found, around, settings } = this.#driven
    const { folder, home } = this.#workspace
    const { args, input } = kind.start({ ...asked, settings, folder, home })
    const lines = streamLines()
    const end = await this.#workspace
      .run({
        argv: [...found.argv, ...args] as [string, ...string[]],
        env: { ...around.env, ...kind.variables?.(around.env, settings) },
        reads: around.reads,
        input,
        ...(talk === null ? {} : { converse: (stdin) => talk.client.begin(stdin) }),
        timeoutMs,
        mostBytes: MOST_BYTES,
        ...(this.#gate?.serve === undefined ? {} : { serve: this.#gate.serve }),
        signal: this.#ending(talk),
        onOutput: (chunk) => {
          for (const line of lines.add(chunk)) {
            this.#line(line)
            talk?.client.line(line)
          }
          if (this.#overLimit === null) return 'go on'
          talk?.client.cancel()
          return talk === null ? 'stop' : 'go on'
        },
      })
      .catch((error: unknown) => {
        this.#signal.throwIfAborted()
        if (this.#gate?.isHalted === true || talk?.finished.aborted === true) return HALTED
        throw error instanceof SubjectError ? error : notStarted(id, found.argv[0], error)
      })
    this.#signal.throwIfAborted()
    for (const line of lines.end()) this.#line(line)
    if (lines.cut > 0) this.#builder.unreadLines(lines.cut)
    if (!lines.isUtf8 && end.how === 'ended') this.#builder.odd(INVALID_UTF8)
    return end
  }

  /**
   * Returns the signal that ends the program. It does not include the gateway's signal for an ACP agent, because that
   * agent is first asked to cancel.
   */
  #ending(talk: Talk | null): AbortSignal {
    if (talk !== null) return AbortSignal.any([this.#signal, talk.finished])
    return this.#gate === null ? this.#signal : AbortSignal.any([this.#signal, this.#gate.halted])
  }

  #line(line: string): void {
    this.#keep(line)
    if (this.#overLimit !== null) return
    this.#reader.line(line)
    this.#checkLimits()
  }

  #keep(line: string): void {
    if (this.#driven.kind.repeats?.(line) === true) return
    if (this.#streamLength + line.length > MOST_STREAM) {
      this.#builder.odd('a line of the stream is not kept: there is too much of it')
      return
    }
    this.#stream.push(line)
    this.#streamLength += line.length + 1
  }

  #checkLimits(): void {
    this.#overLimit ??= this.#gate?.overLimit ?? null
    if (this.#limits !== null)
      this.#overLimit ??= overLimit(this.#limits, (this.#seenBy ?? this.#builder).counts)
  }

  #stopped(end: WorkspaceEnd, lost: LostEnd | null): Stopped {
    const { isCommand } = this.#driven
    const told = this.#builder.ended
    const differs = this.#gate?.replayed?.differs ?? null
    if (differs !== null)
      throw new SubjectError(this.#redact(`${this.#driven.id}: ${differs}`), {
        reason: 'no-answer',
        retry: false,
      })
    if (this.#overLimit !== null) return { stop: 'limit', note: this.#overLimit }
    if (this.#gate?.isOutOfBudget === true)
      throw new BudgetUsedUp(NO_MONEY, this.#figures.atLeastUsd)
    if (end.starved !== undefined) this.#builder.odd(starvedBy(end.starved))
    if (end.reached !== undefined)
      return { stop: 'limit', note: noted(REACHED[end.reached], end.stderr) }
    if (lost !== null) throw this.#lost(lost)
    if (end.how === 'timeout') return this.#late(end.stderr)
    if (end.how === 'too-much')
      return { stop: 'limit', note: `printed more than ${MOST_BYTES} bytes and was stopped` }
    if (end.code !== 0) {
      const how = end.code === null ? `was ended by ${String(end.signal)}` : `exit code ${end.code}`
      const said = noted(how, end.stderr)
      // An agent that has printed no event has not asked a model yet. So it counts as not started, and not as failed.
      const isBefore = isCommand ? isMissing(this.#driven, end) : told === null
      const hasAsked = this.#gate?.hasAsked === true
      if (isBefore && !this.#builder.isTold && !hasAsked) throw this.#neverStarted(how, end.stderr)
      if (isCommand || told === null) return { stop: 'exit', note: said }
    }
    if (told === null) return { stop: 'end' }
    // The agent says that it lost its provider, but the gateway saw an answer. So this is the agent's own failure.
    return told.how === 'lost' ? { stop: 'exit', note: told.why } : STOPS[told.how](told)
  }

  #late(stderr: string): Stopped {
    return {
      stop: 'timeout',
      note: noted(`did not end within ${this.#timeoutMs / 1000} s`, stderr),
    }
  }

  /** Returns the error for a trial without an answer. It includes the usage so far, because that must be paid for. */
  #lost({ why, reason }: LostEnd): SubjectError {
    const { usage, usd, atLeastUsd: spentUsd } = this.#figures
    return new SubjectError(this.#redact(`${this.#driven.id} lost its provider: ${why}`), {
      reason,
      // If there is a gateway, no retry is needed here, because the gateway has already retried the request.
      retry: reason !== 'request-refused' && this.#gate === null,
      usage,
      usd,
      spentUsd,
    })
  }

  #neverStarted(how: string, stderr: string): SubjectError {
    const said = noted(how, stderr.trim() === '' ? this.#stream.join('\n') : stderr)
    return new SubjectError(this.#redact(`${this.#driven.id} could not be started: ${said}`), {
      reason: 'not-started',
      retry: false,
    })
  }

  /**
   * Returns the error with which a stopped trial rejects. If the agent has already caused costs, the error contains
   * them. Otherwise it is the signal's reason.
   */
  stopped(): unknown {
    const { usage, usd, atLeastUsd: spentUsd } = this.#figures
    if (spentUsd === 0) return this.#signal.reason
    return new SubjectError(`${this.#driven.id} was stopped with the run`, {
      reason: 'not-started',
      retry: false,
      usage,
      usd,
      spentUsd,
      cause: this.#signal.reason,
    })
  }

  async answer({ stop, note }: Stopped): Promise<Answer> {
    const builder = this.#builder
    const figures = this.#figures
    const { network } = this.#workspace
    if (this.#limits !== null && this.#limits.usd !== null && figures.usd === null)
      builder.odd(
        figures.atLeastUsd === 0
          ? 'the limit on cost could not be held: what the agent cost is not known'
          : 'the limit on cost was held against the part of the cost that is known',
      )
    const gate = this.#seenBy
    const claimed = gate?.compare(builder) ?? null
    if (this.#gate !== null && gate === null && (builder.usage ?? builder.usd) !== null)
      builder.odd('the agent asked nothing through the gateway, so its figures are its own claims')
    const built = builder.build(this.#reader.format ?? this.#driven.kind.name)
    const { kind, settings } = this.#driven
    const { folder } = this.#workspace
    const trajectory = gate === null ? built : withEvidence(built, gate, { kind, settings, folder })
    const diff = await this.#diff()
    const isTooLarge = diff instanceof WorkspaceTooLarge
    const said = [note, isTooLarge ? diff.message : undefined].filter((one) => one !== undefined)
    return {
      text: builder.answerText.toWellFormed(),
      stop: isTooLarge && stop === 'end' ? 'limit' : stop,
      ...(said.length === 0 ? {} : { note: this.#redact(said.join('; ')) }),
      usage: figures.usage,
      usd: figures.usd,
      ...(figures.usd === null ? { spentUsd: figures.atLeastUsd } : {}),
      ...claimed,
      ...(gate === null || gate.traffic === null ? {} : { traffic: gate.traffic }),
      ...remarksOf(gate),
      ...(network === undefined ? {} : { network: networkWords(network) }),
      ms: trajectory.ms,
      trajectory,
      stream: this.#stream.map((line) => `${line}\n`).join(''),
      ...(isTooLarge || diff === null ? {} : { diff }),
    }
  }

  async #diff(): Promise<WorkspaceDiff | WorkspaceTooLarge | null> {
    try {
      return await this.#workspace.diff()
    } catch (error) {
      if (error instanceof WorkspaceTooLarge) return error
      const { usage, usd, atLeastUsd: spentUsd } = this.#figures
      throw new SubjectError(`what ${this.#driven.id} left could not be read: ${String(error)}`, {
        reason: 'workspace-failed',
        retry: false,
        usage,
        usd,
        spentUsd,
        cause: error,
      })
    }
  }

  /**
   * The gateway, if it saw the agent's requests. Its figures then count. Null if there is no gateway, or if the agent
   * sent nothing through it and could reach its provider in another way. In that case, only the agent's own report is
   * known.
   */
  get #seenBy(): Gate | null {
    return this.#gate?.hasAsked === true || this.#workspace.network === 'none' ? this.#gate : null
  }

  get #figures(): Figured {
    return this.#seenBy?.figures ?? this.#builder
  }

  #redact(text: string): string {
    return (this.#redacts ??= redactor(this.#driven.around.secrets))(text)
  }

  #redacts: ((text: string) => string) | null = null

  #elapsed(): number {
    return performance.now() - this.#from
  }
}

const remarksOf = (gate: Gate | null): Pick<Answer, 'remarks'> => {
  const remarks = gate?.replayed?.remarks ?? []
  return remarks.length === 0 ? {} : { remarks }
}

/**
 * Whether the program is missing. In a workspace, the sandbox uses the exit codes 126 and 127 for that. A program that
 * runs as a plain process may use them for something else.
 */
const isMissing = ({ isDirect = false }: AgentRun, { code }: WorkspaceEnd): boolean =>
  !isDirect && (code === 126 || code === 127)

/**
 * Returns the prompts of the user's turns. System messages and examples are put before the first prompt, because agents
 * have no other input for them.
 */
function promptsOf(messages: readonly Message[]): string[] {
  const opening = messages.slice(0, messages.findLastIndex(({ role }) => role !== 'user') + 1)
  const [first = '', ...rest] = messages.slice(opening.length).map(({ content }) => content)
  const before = opening.map(({ role, content }) =>
    role === 'system' ? content : `Example, ${role}: ${content}`,
  )
  return [[...before, first].join('\n\n'), ...rest]
}
