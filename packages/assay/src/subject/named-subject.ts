/** The description of a subject in a file such as assay.toml. */
import type { EventFormat } from './agent/names.ts'
import type { Effort } from './model/parameters.ts'
import type { Baseline } from './names.ts'

/**
 * A named subject in a file. Exactly one of the first six fields is set. It says what kind of subject this is. The
 * other fields are settings for that kind.
 */
export interface NamedSubject {
  /**
   * The name of an agent, such as claude. `model` is then the agent's own name for the model it should use. For `acp`,
   * `command` is the command that starts the agent.
   */
  readonly agent?: string
  /** A model, in the form provider/model. */
  readonly model?: string
  /** A command. It is a list of arguments, or one line that is split into arguments by simple rules for quotes. */
  readonly command?: string | readonly string[]
  /** Recorded answers: a run folder, optionally with #SUBJECT, or a file. */
  readonly replay?: string
  /**
   * The options of a simulated subject (simulated-options.ts), as a table or in their short form. `true` means the
   * defaults.
   */
  readonly simulated?: true | string | Readonly<Record<string, unknown>>

  /** A subject that gives the reference answer of each case, or one that does nothing. */
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

  /** The path of the agent's program. Needed if the program is not on the PATH. */
  readonly program?: string
  /** Arguments that the user adds. They come after Assay's own arguments when the agent's program is started. */
  readonly args?: readonly string[]
  /** Folders with a SKILL.md. They are copied to the folder where the agent looks for skills. */
  readonly skills?: readonly string[]
  /** Files and folders to copy into the workspace, by their path in the workspace. */
  readonly files?: Readonly<Record<string, string>>
  /** Files and folders to copy into the agent's home, by their path there. */
  readonly homeFiles?: Readonly<Record<string, string>>
  readonly mcpServers?: Readonly<Record<string, GivenMcpServer>>
  /** The format of the events that a command prints. */
  readonly events?: EventFormat

  /**
   * Recorded traffic that answers the requests of an agent or a command: the folder of a run, and a subject of that
   * run. It is set by `replay-agent:RUN#SUBJECT` on the command line and cannot be set in a file.
   */
  readonly traffic?: { readonly run: string; readonly subject: string }
  /**
   * Whether the requests of an agent or a command to its model go through Assay's gateway. Default: true, where
   * possible.
   */
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
