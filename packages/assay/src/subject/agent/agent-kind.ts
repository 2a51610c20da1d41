/**
 * What an agent is to Assay: a program that runs without a user interface in a workspace. It is started once
 * for each of the user's turns and prints a stream of events. Each agent has its own file and is registered
 * in `agents.ts`. The parts that all agents share (finding the program, copying skills, limits, the end) are
 * in `agent.ts`.
 */
import type { Json, Message, Usage } from '@assay/contract'

/** The settings of an agent subject in the user's file. */
export interface AgentSettings {
  readonly model: string | null
  /** Arguments that are added after those that Assay passes to the agent. */
  readonly args: readonly string[]
  /** The MCP servers for the agent, by name. */
  readonly mcpServers: Readonly<Record<string, McpServer>>
}

export type McpServer =
  | {
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** A text file that is written to the workspace's home or folder before the agent starts. */
export interface StagedText {
  readonly where: 'folder' | 'home'
  readonly path: string
  readonly text: string
}

/** One start of the agent. */
export interface TurnStart {
  readonly prompt: string
  /** The whole conversation so far; the prompt is its last message. */
  readonly messages: readonly Message[]
  /** The session to continue; null for the first turn. */
  readonly session: string | null
  readonly settings: AgentSettings
  /** The paths as the agent sees them. */
  readonly folder: string
  readonly home: string
}

export interface AgentKind {
  /** The name in subjects: agent:NAME. */
  readonly name: string
  /** The name for people, such as Claude Code. */
  readonly title: string
  /** The name of the program on the PATH. */
  readonly program: string
  /** How to install it, for the error message if it is missing. */
  readonly install: string
  /** Variables of the user's environment that the agent always gets: its key and its provider's address. */
  readonly passEnv: readonly string[]
  /** Variables that the agent always gets: they turn off telemetry, updates and colours. */
  readonly env: Readonly<Record<string, string>>
  /** The folder where the agent looks for skills, relative to the workspace's folder or home. */
  readonly skills: { readonly where: 'folder' | 'home'; readonly path: string }
  /**
   * Returns the agent's settings as files. `env` is the environment that the agent will get: some agents read
   * a provider's address only from a file.
   */
  files(
    settings: AgentSettings,
    at: {
      readonly folder: string
      readonly home: string
      readonly env: Readonly<Record<string, string>>
    },
  ): StagedText[]
  /** The provider whose prices apply to its models, by its name in `providers.ts`, for example anthropic. */
  readonly provider: string
  /**
   * Whether a line only repeats a part of a later, complete line (such as text while it is being written).
   * Such lines are read but not stored, because they would make the stored stream many times as long.
   */
  repeats?(line: string): boolean
  /** Returns the program's arguments and its input on stdin. */
  start(turn: TurnStart): { readonly args: readonly string[]; readonly input: string }
  /**
   * Only for agents that write the usage of each request to a file and not to the stream. Returns a shell
   * command that prints these notes. It runs in the workspace after each turn, however the turn ended, so
   * that the cost of a stopped agent is known too. Returns null if the session's name is not valid.
   */
  notes?(session: string): string | null
  /**
   * Makes the reader for the agent's events. One reader handles all turns of a trial. It gets the settings
   * because not every stream names its model.
   */
  reader(sink: TrajectorySink, settings: AgentSettings): StreamReader
}

export interface StreamReader {
  /** The name of the stream's format, if it is not the agent's own format. */
  readonly format?: string
  /** Reads one line of stdout, without its line break. The line can contain anything. Never throws. */
  line(text: string): void
  /** Reads one line of the agent's notes, after the last line of a turn. Never throws. */
  note?(text: string): void
  /**
   * Called if the program reached its timeout, or ended without an end event in its stream. Returns an end if
   * the agent was waiting for its provider; else null. `stderr` is the last part of what the program printed
   * there.
   */
  lost?(stderr: string): LostEnd | null
  /** Called when the program of one turn has ended. Completes everything that is still open. */
  turnEnded(): void
}

/**
 * Receives what a reader finds in the stream. Steps must come in the order in which they began.
 * `TrajectoryBuilder` stores them.
 */
export interface TrajectorySink {
  /** The session that the agent can continue in a later turn. */
  session(id: string): void
  /** The model and the program's version, if the stream contains them. */
  model(name: string): void
  version(text: string): void
  /** The first sign of an answer, if it comes before the first complete step. */
  begun(): void
  message(role: 'assistant' | 'system', text: string): void
  reasoning(text: string): void
  toolCall(call: { readonly id: string; readonly name: string; readonly args: Json }): void
  /**
   * The result of an earlier call. If there was no such call, a call without a name is added and noted as an
   * oddity. It does not count towards any limit.
   */
  toolResult(id: string, result: { readonly text: string; readonly failed: boolean }): void
  fileChange(path: string, change: 'added' | 'changed' | 'deleted'): void
  skill(name: string): void
  error(text: string): void
  /** An event that Assay does not understand. */
  other(type: string, raw: string): void
  /**
   * A request to the model was answered. It counts as one turn, and its usage is stored on the first step
   * after the previous request. A second report with the same id replaces the first. `usd` is the cost that
   * the agent reports; without it, the tokens are priced.
   */
  request(
    id: string,
    facts: {
      readonly model: string | null
      readonly usage: Usage | null
      readonly usd?: number | null
    },
  ): void
  /**
   * The total usage by model, and the total cost, of this start of the program. It replaces the sum of the
   * requests, which may lack some (retries, summaries, other models). If the cost is null, `knownUsd` is the
   * part that is known.
   */
  totals(usage: Readonly<Record<string, Usage>>, usd: number | null, knownUsd?: number): void
  /** The final text of this turn. In the last turn, it is the trial's answer. */
  answer(text: string): void
  /** The stream ended with its own end event. */
  end(how: StreamEnd): void
  /** Something could not be read. The text is for people. */
  odd(text: string): void
}

export type StreamEnd =
  | { readonly how: 'done' }
  /** The agent stopped at a limit that it sets itself: turns, tokens or cost. */
  | { readonly how: 'limit'; readonly why: string }
  | { readonly how: 'refused'; readonly why: string }
  /** The agent reports that it failed, through its own fault or the model's. */
  | { readonly how: 'failed'; readonly why: string }
  | LostEnd

/** The provider did not answer, or refused the request (key, model name, rate limit). The trial is errored. */
export interface LostEnd {
  readonly how: 'lost'
  readonly why: string
  readonly reason: LostReason
}

export type LostReason = 'provider-error' | 'provider-timeout' | 'rate-limited' | 'request-refused'
