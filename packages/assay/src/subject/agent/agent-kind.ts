/**
 * The interface of an agent. An agent is a program that runs without a user interface in a workspace. It is
 * started once for each of the user's turns, or once for all of them if it speaks ACP, and prints a stream of events. Each agent has its own file and is
 * registered in `agents.ts`. The code that all agents share is in `agent.ts`, which checks the settings, and
 * `run-agent.ts`, which runs a trial.
 */
import type { Json, Message, Usage } from '@assay/contract'
import type { Family } from '../gateway/model-path.ts'

/** The settings of an agent subject in the user's file. */
export interface AgentSettings {
  readonly model: string | null
  /** Arguments that are added after Assay's own arguments when the agent's program is started. */
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

/** A text file that Assay writes into the workspace's folder or its home folder before the agent starts. */
export interface StagedText {
  readonly where: 'folder' | 'home'
  readonly path: string
  readonly text: string
}

/** The data for one start of the agent's program. The program is started once for each of the user's turns. */
export interface TurnStart {
  readonly prompt: string
  /** The whole conversation so far; the prompt is its last message. */
  readonly messages: readonly Message[]
  /** The id of the agent's session to continue; null for the first turn. */
  readonly session: string | null
  readonly settings: AgentSettings
  /** The workspace's folder and its home folder, as paths that the agent sees inside the sandbox. */
  readonly folder: string
  readonly home: string
}

export interface AgentKind {
  /** The agent's name, as users write it in agent:NAME. */
  readonly name: string
  /** The name to display, such as Claude Code. */
  readonly title: string
  /** The name of the program on the PATH. */
  readonly program: string
  /** How to install the program, for the error message if it is missing. */
  readonly install: string
  /** Names of variables of the user's environment that the agent always gets: its API key and its provider's URL. */
  readonly passEnv: readonly string[]
  /** Variables with fixed values that the agent always gets. They turn off telemetry, updates and colours. */
  readonly env: Readonly<Record<string, string>>
  /** The folder where the agent looks for skills, relative to the workspace's folder or home. */
  readonly skills: { readonly where: 'folder' | 'home'; readonly path: string }
  /**
   * Returns the agent's settings as files. `env` is the environment that the agent will get. It is passed
   * because some agents read their provider's URL only from a file.
   */
  files(
    settings: AgentSettings,
    at: {
      readonly folder: string
      readonly home: string
      readonly env: Readonly<Record<string, string>>
    },
  ): StagedText[]
  /** The provider whose prices apply to the agent's models, by its name in `providers.ts`, for example anthropic. */
  readonly provider: string
  /**
   * Returns the providers whose requests can go through the gateway, for an agent with these variables. Empty if the
   * agent cannot be pointed at another URL.
   */
  gateway(env: Readonly<Record<string, string>>): readonly Family[]
  /**
   * True if a line contains only a part of a later, complete line, such as text while it is being written, or nothing
   * about the agent's work. Such lines are read but not stored, because they would make the stored stream many times
   * as long.
   */
  repeats?(line: string): boolean
  /** Set for agents that speak the Agent Client Protocol: one process for all turns, which is asked on its stdin. */
  readonly speaks?: 'acp'
  /** Set for agents that speak ACP and get their model with their start, and not in the session. */
  readonly startsModel?: true
  /** Set for agents that report their requests and tokens only at the end of a turn, or not at all. */
  readonly reportsLate?: true
  /** Set for agents that cannot continue a session. Each turn gets the whole conversation. */
  readonly forgets?: true
  /** Returns further variables, made from those that the agent gets: some agents use other names for the same values. */
  variables?(env: Readonly<Record<string, string>>, settings: AgentSettings): Record<string, string>
  /** Returns the program's arguments and the text for its stdin. */
  start(turn: TurnStart): { readonly args: readonly string[]; readonly input: string }
  /** How calls of the agent's model are compared with those that its stream tells. */
  readonly calls?: CallForms
  /**
   * Only for agents that write the token usage of each request to a file and not to stdout. Returns a shell
   * command that prints the lines of that file, which are called the notes. Assay runs the command in the
   * workspace after each turn, even if the agent was stopped, so that the cost of a stopped agent is known too.
   * Returns null if the session id is not valid.
   */
  notes?(session: string): string | null
  /**
   * Creates the reader for the agent's events. One reader handles all turns of a trial. It gets the settings
   * because some streams do not name the model.
   */
  reader(sink: TrajectorySink, settings: AgentSettings): StreamReader
}

/** A call of a tool. */
export interface CallFacts {
  readonly name: string
  readonly args: Json
}

export interface CallForms {
  /**
   * Converts a call that the agent's model made to the form in which the agent's stream reports it. Only for agents
   * whose stream uses other names or arguments than the model.
   */
  told?(
    call: CallFacts,
    at: { readonly settings: AgentSettings; readonly folder: string },
  ): CallFacts
  /**
   * Returns a text that is the same for a call in the stream and the same call of the model, in the form of `told`. Null
   * if the stream does not have the arguments: then calls of the same name are matched in order. Default: name and
   * arguments must be equal.
   */
  callKey?(call: CallFacts): string | null
  /**
   * Set if the stream has other names than the model, or none, such as ACP's kinds of calls. Then calls are matched by
   * their ids alone, and those without a match in order. The model's names count.
   */
  readonly hasOtherNames?: true
  /** Returns the names of the skills that a successful call uses. */
  skillsOf?(call: CallFacts): readonly string[]
}

export interface StreamReader {
  /** The name of the stream's format, if it differs from the agent's name. */
  readonly format?: string
  /** Reads one line of stdout, without its line break. The line can contain anything. Never throws. */
  line(text: string): void
  /** Reads one line of the agent's notes (see `AgentKind.notes`), after the last line of a turn. Never throws. */
  note?(text: string): void
  /**
   * Called if the program reached its timeout, or if it ended without an end event in its stream. Returns a
   * `LostEnd` if the agent was waiting for its provider, otherwise null. `stderr` is the last part of the
   * program's stderr.
   */
  lost?(stderr: string): LostEnd | null
  /** Called when the program of one turn has ended. Reports everything that is still incomplete to the sink. */
  turnEnded(): void
}

/**
 * Receives the steps, usage and other facts that a reader finds in the stream. Steps must be reported in the
 * order in which they began. `TrajectoryBuilder` implements this interface and stores them.
 */
export interface TrajectorySink {
  /** Reports the id of the session that the agent can continue in a later turn. */
  session(id: string): void
  /** `model` and `version` report the model and the program's version, if the stream contains them. */
  model(name: string): void
  version(text: string): void
  /** Reports that the model has begun to answer, if the stream shows this before the first complete step. */
  begun(): void
  message(role: 'assistant' | 'system', text: string): void
  reasoning(text: string): void
  toolCall(call: { readonly id: string; readonly name: string; readonly args: Json }): void
  /** Reports the complete name and arguments of a tool call that was reported when it began. */
  toolDetails(call: { readonly id: string; readonly name: string; readonly args: Json }): void
  /**
   * Reports the result of an earlier tool call. If no call with this id was reported, a call without a name is
   * added and noted as an oddity. The added call does not count towards any limit.
   */
  toolResult(id: string, result: { readonly text: string; readonly failed: boolean }): void
  fileChange(path: string, change: 'added' | 'changed' | 'deleted'): void
  skill(name: string): void
  error(text: string): void
  /** Reports an event that Assay does not understand. */
  other(type: string, raw: string): void
  /**
   * Reports that the model has answered a request. The request counts as one turn, and its usage is stored on
   * the first step after the previous request. A second report with the same id replaces the first. `usd` is the
   * cost that the agent reports. Without it, the cost is computed from the tokens.
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
   * Reports the total usage by model, and the total cost, of this start of the program. The totals replace the
   * sum of the reported requests, because some requests may be missing there (retries, summaries, other models).
   * If the cost is null, `knownUsd` is the part of the cost that is known.
   */
  totals(usage: Readonly<Record<string, Usage>>, usd: number | null, knownUsd?: number): void
  /** Reports the final text of this turn. In the last turn, this text is the trial's answer. */
  answer(text: string): void
  /** Reports that the stream ended with an end event of the agent. */
  end(how: StreamEnd): void
  /** Notes that something in the stream could not be read. The text is for people. */
  odd(text: string): void
}

export type StreamEnd =
  | { readonly how: 'done' }
  /** The agent stopped at its own limit on turns, tokens or cost. */
  | { readonly how: 'limit'; readonly why: string }
  | { readonly how: 'refused'; readonly why: string }
  /** The agent reports that it failed because of itself or its model, not because of its provider. */
  | { readonly how: 'failed'; readonly why: string }
  | LostEnd

/**
 * The provider did not answer, or refused the request (wrong key, wrong model name, rate limit). The trial is
 * errored.
 */
export interface LostEnd {
  readonly how: 'lost'
  readonly why: string
  readonly reason: LostReason
}

export type LostReason = 'provider-error' | 'provider-timeout' | 'rate-limited' | 'request-refused'
