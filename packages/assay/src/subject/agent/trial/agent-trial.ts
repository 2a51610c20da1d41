/**
 * The state of one trial of an agent: what it has printed, what it has used, and whether it is over a limit. The
 * modules in this folder share it. They start the program, talk with it, and say how it ended.
 */
import { performance } from 'node:perf_hooks'
import type { AgentLimits, Ask } from '@assay/contract'
import { redactor } from '../../../log/index.ts'
import type { AgentKind } from '../agent-kind.ts'
import type { Gate } from '../gate.ts'
import { overLimit } from '../over-limit.ts'
import { TrajectoryBuilder } from '../trajectory/trajectory-builder.ts'
import type { AgentRun, AskedTurn, WorkPlace } from './agent-run.ts'

/** The most characters of the raw stream that are stored. */
const MOST_STREAM = 64 * 1024 * 1024

type Figured = Pick<TrajectoryBuilder, 'usage' | 'usd' | 'atLeastUsd'>

export interface AgentTrialOptions {
  readonly driven: AgentRun
  readonly ask: Ask
  readonly turns: readonly AskedTurn[]
  readonly workspace: WorkPlace
  readonly signal: AbortSignal
  readonly gate: Gate | null
}

export class AgentTrial {
  readonly driven: AgentRun
  readonly workspace: WorkPlace
  readonly signal: AbortSignal
  readonly turns: readonly AskedTurn[]
  readonly limits: AgentLimits | null
  readonly timeoutMs: number
  readonly builder: TrajectoryBuilder
  readonly reader: ReturnType<AgentKind['reader']>
  readonly gate: Gate | null
  /** The lines of the raw stream. */
  readonly stream: string[] = []
  readonly #from = performance.now()
  #streamLength = 0
  #overLimit: string | null = null
  #redacts: ((text: string) => string) | null = null

  constructor({ driven, ask, turns, workspace, signal, gate }: AgentTrialOptions) {
    this.gate = gate
    this.driven = driven
    this.workspace = workspace
    this.signal = signal
    this.turns = turns
    this.limits = ask.case.limits
    this.timeoutMs = Math.min(driven.timeoutMs ?? Number.POSITIVE_INFINITY, ask.timeoutMs)
    this.builder = new TrajectoryBuilder({
      now: () => this.elapsed(),
      price: driven.price,
      folder: workspace.folder,
    })
    this.reader = driven.kind.reader(this.builder, driven.settings)
  }

  /** The limit that the agent has exceeded, in words. Null if there is none. */
  get overLimit(): string | null {
    return this.#overLimit
  }

  /** Reads a line of the agent's stream. After the agent exceeded a limit, lines are only stored. */
  line(line: string): void {
    this.#keep(line)
    if (this.#overLimit !== null) return
    this.reader.line(line)
    this.checkLimits()
  }

  #keep(line: string): void {
    if (this.driven.kind.repeats?.(line) === true) return
    if (this.#streamLength + line.length > MOST_STREAM) {
      this.builder.odd('a line of the stream is not kept: there is too much of it')
      return
    }
    this.stream.push(line)
    this.#streamLength += line.length + 1
  }

  checkLimits(): void {
    this.#overLimit ??= this.gate?.overLimit ?? null
    if (this.limits !== null)
      this.#overLimit ??= overLimit(this.limits, (this.seenBy ?? this.builder).counts)
  }

  /**
   * The gateway, if it saw the agent's requests. Its figures then count. Null if there is no gateway, or if the agent
   * sent nothing through it and could reach its provider in another way. In that case, only the agent's own report is
   * known.
   */
  get seenBy(): Gate | null {
    return this.gate?.hasAsked === true || this.workspace.network === 'none' ? this.gate : null
  }

  get figures(): Figured {
    return this.seenBy?.figures ?? this.builder
  }

  /** Replaces the secrets of the trial in a text. */
  redact(text: string): string {
    return (this.#redacts ??= redactor(this.driven.around.secrets))(text)
  }

  elapsed(): number {
    return performance.now() - this.#from
  }
}
