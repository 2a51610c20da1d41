/**
 * What an agent is to Assay: a program that is started headless in a workspace, once for each of the
 * user's turns, and prints a stream of events. Each lives in a file of its own and is registered in
 * `agents.ts`; what all have in common (finding the program, laying skills, limits, the end) is in `agent.ts`.
 */
import type { Json, Message, Usage } from '@assay/contract'

/** What the user's file says about an agent subject. */
export interface AgentSettings {
  readonly model: string | null
  /** Words that are added to the agent's own. */
  readonly args: readonly string[]
  /** The agent's own configuration of MCP servers, by name. */
  readonly mcpServers: Readonly<Record<string, McpServer>>
}

export type McpServer =
  | {
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** Something laid in the workspace's home or folder before the agent starts. */
export interface StagedText {
  readonly where: 'folder' | 'home'
  readonly path: string
  readonly text: string
}

/** One start of the agent. */
export interface TurnStart {
  readonly prompt: string
  /** All that was said until now, the prompt as the last of it. */
  readonly messages: readonly Message[]
  /** Of the session to go on with; null for the first turn. */
  readonly session: string | null
  readonly settings: AgentSettings
  /** As the agent sees them. */
  readonly folder: string
  readonly home: string
}

export interface AgentKind {
  /** What users write: agent:NAME. */
  readonly name: string
  /** For people: Claude Code. */
  readonly title: string
  /** The program that is looked for on the PATH. */
  readonly program: string
  /** How to get it, for the error where it is missing. */
  readonly install: string
  /** Variables of the user's environment that it gets without being asked: its key, its provider's address. */
  readonly passEnv: readonly string[]
  /** Variables it always gets: no telemetry, no updates, no colours. */
  readonly env: Readonly<Record<string, string>>
  /** The folder, relative to the workspace's folder or home, in which it looks for skills. */
  readonly skills: { readonly where: 'folder' | 'home'; readonly path: string }
  /** Its settings as files. `env` is what it will get: a provider's address may have to stand in a file. */
  files(
    settings: AgentSettings,
    at: {
      readonly folder: string
      readonly home: string
      readonly env: Readonly<Record<string, string>>
    },
  ): StagedText[]
  /** Whose prices its models have, by the name in `providers.ts`: anthropic. */
  readonly provider: string
  /**
   * Lines that only repeat in pieces what a later line has whole (text as it is written): read, and left
   * out of the stream that is kept, which they would make many times as long.
   */
  repeats?(line: string): boolean
  /** Its arguments and what it reads on stdin. */
  start(turn: TurnStart): { readonly args: readonly string[]; readonly input: string }
  /**
   * For agents whose stream does not tell what each request used, while they note it in a file of their own:
   * a shell command that prints those notes. Run in the workspace after each turn, however that ended, so
   * that the cost of an agent that was stopped is known too. Null where the session's name cannot be one.
   */
  notes?(session: string): string | null
  /** Reads its events. One reader for all turns of a trial. Not every stream names its model: settings may. */
  reader(sink: TrajectorySink, settings: AgentSettings): StreamReader
}

export interface StreamReader {
  /** What it takes the stream for, where that is not the agent's own. */
  readonly format?: string
  /** One line of stdout without its end; anything may be in it. Never throws. */
  line(text: string): void
  /** One line of the agent's notes, after the last line of a turn. Never throws. */
  note?(text: string): void
  /**
   * Asked where the program was stopped for its time, or ended without an end in its stream: whether what it
   * waited for was its provider. `stderr` is the end of what it printed there.
   */
  lost?(stderr: string): LostEnd | null
  /** The program of one turn has ended; what is open is closed. */
  turnEnded(): void
}

/** What a reader tells. Steps are told in the order in which they began; `TrajectoryBuilder` keeps them. */
export interface TrajectorySink {
  /** The session by which the agent can go on. */
  session(id: string): void
  /** The model and the program's own version, where the stream tells. */
  model(name: string): void
  version(text: string): void
  /** The first sign of an answer, where the stream tells it before the first whole step. */
  begun(): void
  message(role: 'assistant' | 'system', text: string): void
  reasoning(text: string): void
  toolCall(call: { readonly id: string; readonly name: string; readonly args: Json }): void
  /**
   * Of a call that was told before; of one that was not, a call without a name is made up and noted, which
   * counts for nothing.
   */
  toolResult(id: string, result: { readonly text: string; readonly failed: boolean }): void
  fileChange(path: string, change: 'added' | 'changed' | 'deleted'): void
  skill(name: string): void
  error(text: string): void
  /** An event that is not understood. */
  other(type: string, raw: string): void
  /**
   * A request to the model was answered: counts as one turn, and its usage stands on the first step since
   * the request before it. Told again under the same id it replaces what was told. Without `usd`, where
   * the agent reports what the request cost, its tokens are priced.
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
   * What this start of the program used in all, by model, and cost: counts instead of the sum of its
   * requests, which may lack some (retries, summaries, other models). Where the cost is null, a part of it
   * may be known.
   */
  totals(usage: Readonly<Record<string, Usage>>, usd: number | null, knownUsd?: number): void
  /** The last words of this turn: the trial's answer, where it is the last turn. */
  answer(text: string): void
  /** The stream came to its own end. */
  end(how: StreamEnd): void
  /** For people: something could not be read. */
  odd(text: string): void
}

export type StreamEnd =
  | { readonly how: 'done' }
  /** It stopped at a limit of its own: turns, tokens, cost. */
  | { readonly how: 'limit'; readonly why: string }
  | { readonly how: 'refused'; readonly why: string }
  /** It says that it failed, by its own fault or the model's. */
  | { readonly how: 'failed'; readonly why: string }
  | LostEnd

/** The provider did not answer, or refused the request: key, model name, rate limit. The trial is errored. */
export interface LostEnd {
  readonly how: 'lost'
  readonly why: string
  readonly reason: LostReason
}

export type LostReason = 'provider-error' | 'provider-timeout' | 'rate-limited' | 'request-refused'
