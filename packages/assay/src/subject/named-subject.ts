/** The description of a subject in a file such as assay.toml. */
import type { EventFormat } from './agent/names.ts'
import type { Effort } from './model/parameters.ts'
import type { Baseline } from './names.ts'

/**
 * A named subject in a file. It has exactly one of the first six fields, which sets its kind, and settings for
 * that kind.
 */
export interface NamedSubject {
  /**
   * The name of an agent, such as claude. `model` is then a setting: the agent's own name for the model. For `acp`,
   * `command` is one too: the agent's command.
   */
  readonly agent?: string
  /** A model, as provider/model. */
  readonly model?: string
  /** A command: one line, which is split by simple quoting rules, or a list of arguments. */
  readonly command?: string | readonly string[]
  /** A recording: a run folder, optionally with #SUBJECT, or a file of recorded answers. */
  readonly replay?: string
  /**
   * The options of a simulated subject (simulated-options.ts), as a table or in short form; true for the
   * defaults.
   */
  readonly simulated?: true | string | Readonly<Record<string, unknown>>

  /** The reference of each case, or nothing. */
  readonly baseline?: Baseline

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
  /** Arguments that are added after Assay's own arguments when the agent's program is started. */
  readonly args?: readonly string[]
  /** Folders with a SKILL.md. They are copied to the folder where the agent looks for skills. */
  readonly skills?: readonly string[]
  /** Files and folders to copy into the workspace, by their path in the workspace. */
  readonly files?: Readonly<Record<string, string>>
  /** Files and folders to copy into the agent's home, by their path there. */
  readonly homeFiles?: Readonly<Record<string, string>>
  readonly mcpServers?: Readonly<Record<string, GivenMcpServer>>
  /** The event format in which a command's output is read. */
  readonly events?: EventFormat

  /**
   * The run folder whose recorded traffic answers an agent's or command's requests, and the subject of that run. Set by
   * `replay-agent:RUN#SUBJECT`, not in files.
   */
  readonly traffic?: { readonly run: string; readonly subject: string }
  /** Whether an agent's or command's requests to its model go through Assay's gateway. Default: true, where possible. */
  readonly gateway?: boolean
  readonly timeoutMs?: number
  /**
   * The folder to which skills, files, the agent's program and ./ arguments are relative. Default:
   * `SubjectRequest.folder`.
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
