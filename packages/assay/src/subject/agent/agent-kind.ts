/**
 * The interface of an agent. An agent is a program that works in a workspace without a user interface and prints a
 * stream of events. It is started once for each of the user's turns. An agent that speaks ACP (Agent Client Protocol)
 * is started once for all turns. Each agent has its own file and is registered in `agents.ts`. All agents share
 * `agent.ts`, which checks the settings, and `run-agent.ts`, which runs a trial.
 */
import type { Json, Message, Usage } from '@assay/contract'
import type { Family } from '../gateway/model-path.ts'

/** The settings of an agent subject in the user's file. */
export interface AgentSettings {
  readonly model: string | null
  /** Arguments that the user adds. They come after Assay's own arguments when the agent's program is started. */
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

/** What the agent gets for one start of its program. The program is started once for each of the user's turns. */
export interface TurnStart {
  readonly prompt: string
  /** The whole conversation so far. Its last message is the prompt. */
  readonly messages: readonly Message[]
  /** The id of the agent's session that this turn continues. Null for the first turn. */
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
  /**
   * The names of the user's environment variables that the agent always gets: for its API key and its provider's URL.
   */
  readonly passEnv: readonly string[]
  /** Variables with fixed values that the agent always gets. They turn off telemetry, updates and colours. */
  readonly env: Readonly<Record<string, string>>
  /** The folder where the agent looks for skills, relative to the workspace's folder or home. */
  readonly skills: { readonly where: 'folder' | 'home'; readonly path: string }
  /**
   * Returns the files that configure the agent. `env` is the environment that the agent will get. It is needed here,
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
  /** The provider whose prices apply to the agent's models. It is a name from `providers.ts`, for example anthropic. */
  readonly provider: string
  /**
   * Returns the APIs whose requests can go through Assay's gateway, for an agent with these variables. Empty if the
   * agent cannot be configured to use another URL.
   */
  gateway(env: Readonly<Record<string, string>>): readonly Family[]
  /**
   * Returns true for a line that need not be stored. Such a line contains only a part of a later, complete line, or
   * says nothing about the agent's work. It is read but not stored, because it would make the stored stream many times
   * as long.
   */
  repeats?(line: string): boolean
  /**
   * Set for agents that speak the Agent Client Protocol. One process serves all turns and gets its prompts on stdin.
   */
  readonly speaks?: 'acp'
  /** Set for ACP agents that get their model when they are started, and not in the session. */
  readonly startsModel?: true
  /** Set for agents that report their requests and tokens only at the end of a turn, or never. */
  readonly reportsLate?: true
  /** Set for agents that cannot continue a session. They get the whole conversation in each turn. */
  readonly forgets?: true
  /**
   * Returns more variables for the agent, made from those that it gets. Some agents use other names for the same
   * values.
   */
  variables?(env: Readonly<Record<string, string>>, settings: AgentSettings): Record<string, string>
  /** Returns the program's arguments and the text for its stdin. */
  start(turn: TurnStart): { readonly args: readonly string[]; readonly input: string }
  /** How the tool calls that the gateway saw are compared with the calls in the agent's stream. */
  readonly calls?: CallForms
  /**
   * Only for agents that write the token usage of each request to a file instead of stdout. The lines of that file are
   * called the notes. Returns a shell command that prints them. Assay runs this command in the workspace after each
   * turn. It does so even if the agent was stopped, so that the cost of a stopped agent is known too. Returns null if
   * the session id is not valid.
   */
  notes?(session: string): string | null
  /**
   * Creates the reader for the agent's events. One reader reads all turns of a trial. It gets the settings, because
   * some streams do not contain the name of the model.
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
   * Converts a call of the agent's model into the form that the agent's stream uses for the same call. Only needed if
   * the stream has other names or arguments than the model's call.
   */
  told?(
    call: CallFacts,
    at: { readonly settings: AgentSettings; readonly folder: string },
  ): CallFacts
  /**
   * Returns a text that is the same for a call in the stream and for the same call of the model (in the form that
   * `told` returns). Returns null if the stream does not contain the arguments. Calls with the same name are then
   * matched in order. Default: the names and the arguments must be equal.
   */
  callKey?(call: CallFacts): string | null
  /**
   * Set if the stream names calls differently than the model, or not at all. ACP, for example, has kinds of calls
   * instead of names. Calls are then matched by their ids, and the remaining ones in order. The model's names are
   * recorded.
   */
  readonly hasOtherNames?: true
  /** Returns the names of the skills that a call uses, if the call succeeds. */
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
   * Called if the program reached its time limit, or if it ended without an end event in its stream. Returns a
   * `LostEnd` if the agent was waiting for its provider. Otherwise returns null. `stderr` is the last part of the
   * program's stderr.
   */
  lost?(stderr: string): LostEnd | null
  /**
   * Called when the program of a turn has ended. The reader then reports everything that is still incomplete to the
   * sink.
   */
  turnEnded(): void
}

/**
 * Receives the steps, the usage and the other facts that a reader finds in the stream. Steps must be reported in the
 * order in which they began. `TrajectoryBuilder` implements this interface and stores everything.
 */
export interface TrajectorySink {
  /** Reports the id of the session that the agent can continue in a later turn. */
  session(id: string): void
  /**
   * Reports the model. `version` reports the version of the program. Both are called only if the stream contains them.
   */
  model(name: string): void
  version(text: string): void
  /** Reports that the model has begun to answer. Called if the stream shows this before the first complete step. */
  begun(): void
  message(role: 'assistant' | 'system', text: string): void
  reasoning(text: string): void
  toolCall(call: { readonly id: string; readonly name: string; readonly args: Json }): void
  /** Reports the complete name and arguments of a tool call. The call itself was already reported when it began. */
  toolDetails(call: { readonly id: string; readonly name: string; readonly args: Json }): void
  /**
   * Reports the result of an earlier tool call. If no call with this id was reported, a call without a name is added,
   * and this is recorded as an oddity. The added call does not count towards any limit.
   */
  toolResult(id: string, result: { readonly text: string; readonly failed: boolean }): void
  fileChange(path: string, change: 'added' | 'changed' | 'deleted'): void
  skill(name: string): void
  error(text: string): void
  /** Reports an event that Assay does not understand. */
  other(type: string, raw: string): void
  /**
   * Reports that the model has answered a request. The request counts as one turn. Its usage is stored with the first
   * step after the previous request. A second report with the same id replaces the first. `usd` is the cost that the
   * agent reports. If it is missing, the cost is computed from the tokens.
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
   * Reports the total usage by model, and the total cost, of this start of the program. These totals replace the sum of
   * the reported requests, because the stream may lack some requests (retries, summaries, other models). If the cost is
   * null, `knownUsd` is the known part of it.
   */
  totals(usage: Readonly<Record<string, Usage>>, usd: number | null, knownUsd?: number): void
  /** Reports the final text of this turn. In the last turn, this text is the trial's answer. */
  answer(text: string): void
  /** Reports that the stream contains an end event of the agent. */
  end(how: StreamEnd): void
  /** Records that a part of the stream could not be read. The text is shown to users. */
  odd(text: string): void
}

export type StreamEnd =
  | { readonly how: 'done' }
  /** The agent stopped at its own limit on turns, tokens or cost. */
  | { readonly how: 'limit'; readonly why: string }
  | { readonly how: 'refused'; readonly why: string }
  /** The agent reports a failure of its own or of its model, not of its provider. */
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
