/** How a file describes a subject. */
import type { EventFormat } from './agent/names.ts'
import type { Effort } from './model/parameters.ts'

/** A named subject as a file describes it: exactly one of the first five fields, and its settings. */
export interface NamedSubject {
  /** claude, codex or gemini. `model` is then a setting: the agent's own name for the model. */
  readonly agent?: string
  /** provider/model */
  readonly model?: string
  /** One line, split by simple quoting rules, or a list of arguments. */
  readonly command?: string | readonly string[]
  /** A run folder, optionally with #SUBJECT, or a file of recorded answers. */
  readonly replay?: string
  /** Its options (simulated-options.ts) as a table or in short form; true for the defaults. */
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

  /** The path of the agent's program, if it is not on the PATH. */
  readonly program?: string
  /** Arguments that are added after those that Assay passes to the agent. */
  readonly args?: readonly string[]
  /** Folders with a SKILL.md. They are copied to where the agent looks for skills. */
  readonly skills?: readonly string[]
  /** Files and folders to copy into the workspace, by their path there. */
  readonly files?: Readonly<Record<string, string>>
  readonly mcpServers?: Readonly<Record<string, GivenMcpServer>>
  /** The format in which a command's output is read. */
  readonly events?: EventFormat

  readonly timeoutMs?: number
  /**
   * The folder to which skills, files, the agent's program and ./ arguments are relative. Default: the
   * request's folder.
   */
  readonly folder?: string
}

export type GivenMcpServer =
  | {
      readonly command: string
      readonly args?: readonly string[]
      readonly env?: Readonly<Record<string, string>>
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
