/** A subject as a file describes it. */
import type { EventFormat } from './agent/names.ts'
import type { Effort } from './model/parameters.ts'

/** A subject under a name of its own, as a file describes it: one of the first five, and its settings. */
export interface NamedSubject {
  /** claude, codex, gemini. `model` is then a setting: what the agent calls the model. */
  readonly agent?: string
  /** provider/model */
  readonly model?: string
  /** One line, cut by simple quoting rules, or the words themselves. */
  readonly command?: string | readonly string[]
  /** A run folder, perhaps with #SUBJECT, or a file of samples. */
  readonly replay?: string
  /** Its options (simulated-options.ts) as a table or in short-hand; true for the defaults. */
  readonly simulated?: true | string | Readonly<Record<string, unknown>>

  readonly temperature?: number
  readonly maxTokens?: number
  readonly topP?: number
  readonly seed?: number
  readonly system?: string
  readonly reasoningEffort?: Effort

  readonly promptAs?: 'stdin' | 'argument' | 'json'
  readonly answerAs?: 'text' | 'json'
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly passEnv?: readonly string[]

  /** Where the agent's program is, where it is not on the PATH. */
  readonly program?: string
  /** Words added to the agent's own. */
  readonly args?: readonly string[]
  /** Folders with a SKILL.md, laid where the agent looks for skills. */
  readonly skills?: readonly string[]
  /** Files and folders laid in the workspace, by where they go. */
  readonly files?: Readonly<Record<string, string>>
  readonly mcpServers?: Readonly<Record<string, GivenMcpServer>>
  /** How what a command prints is read. */
  readonly events?: EventFormat

  readonly timeoutMs?: number
  /** What the paths of a workspace's settings are relative to, where that is not the request's folder. */
  readonly folder?: string
}

export type GivenMcpServer =
  | {
      readonly command: string
      readonly args?: readonly string[]
      readonly env?: Readonly<Record<string, string>>
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
