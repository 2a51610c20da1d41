/** The folder that an agent works in: how a case describes it, what a trial does with it, what it left. */

/**
 * What an agent's folder holds when it starts: a git checkout, then a folder, then the case's own `files`,
 * then what the setup commands make of it.
 */
export interface WorkspacePlan {
  readonly git: GitSource | null
  /** A folder beside the suite that is copied in: its absolute path, and a hash of all that is in it. */
  readonly folder: {
    readonly path: string
    readonly sha256: string
    /** Paths in it that are neither copied nor hashed: where the suite itself is in the folder. */
    readonly without?: readonly string[]
  } | null
  /** Shell commands, run once per case, in order, in the folder. */
  readonly setup: readonly string[]
  readonly setupTimeoutMs: number
  /** Patterns of paths that are no part of the result: neither in the diff nor laid in for grading. */
  readonly ignore: readonly string[]
  /** Patterns of paths that the agent must leave as they are: a change to one fails the trial as tampered. */
  readonly protect: readonly string[]
  /** Files that are laid in for grading, after the agent has stopped; over whatever stands there. */
  readonly hidden: Readonly<Record<string, string>>
}

export interface GitSource {
  /** Absolute path of a repository or a bundle. */
  readonly path: string
  /** The full hash of the commit. */
  readonly commit: string
  /** How many commits of history the agent sees. */
  readonly depth: number
}

/** Null: not limited. Exceeding one fails the trial with that reason. */
export interface AgentLimits {
  /** Requests to the model that were answered. */
  readonly turns: number | null
  readonly toolCalls: number | null
  /** All classes together. */
  readonly tokens: number | null
  readonly usd: number | null
}

/**
 * The folder of one trial, with a home of its own. Paths are those that programs in it see, which are not
 * those of this machine where the sandbox can move them.
 */
export interface TrialWorkspace {
  readonly folder: string
  readonly home: string
  /**
   * Lays something in before the agent starts: a text, or a file or folder of this machine (absolute). In
   * the folder it counts as part of the start, not of what the agent did.
   */
  lay(
    where: 'folder' | 'home',
    path: string,
    what: { readonly text: string } | { readonly from: string },
  ): Promise<void>
  /** Runs a program in the folder to its end, with everything that it starts. */
  run(program: WorkspaceProgram): Promise<WorkspaceEnd>
  /** What is different from the start. Throws `WorkspaceTooLarge` where that is more than is kept. */
  diff(): Promise<WorkspaceDiff>
  /** Removes it, unless the user keeps workspaces. */
  close(): Promise<void>
}

export interface WorkspaceProgram {
  /** The program as an absolute path of this machine, and its arguments. */
  readonly argv: readonly [string, ...string[]]
  /** All of its environment, HOME and the like excepted, which the workspace sets. */
  readonly env: Readonly<Record<string, string>>
  /** Files and folders of this machine that it needs to read, beside the system's. Absolute. */
  readonly reads: readonly string[]
  readonly input: string
  readonly timeoutMs: number
  /** Most bytes on stdout. */
  readonly mostBytes: number
  readonly signal: AbortSignal
  /** Called with what it prints as it comes. Returning `stop` ends the program. */
  readonly onOutput: (chunk: Buffer) => 'go on' | 'stop'
}

export interface WorkspaceEnd {
  /** `stopped`: by `onOutput`. */
  readonly how: 'ended' | 'timeout' | 'too-much' | 'stopped'
  /** Null where a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The end of it. */
  readonly stderr: string
}

/** A workspace at its end: the start of the case with the trial's changes. */
export interface GradedWorkspace {
  /** Paths of all files in it, in order, without the hidden ones. */
  list(): Promise<readonly string[]>
  /** A file's text; null where there is no such file, or it is no text. */
  read(path: string): Promise<string | null>
  /**
   * A fresh copy on the disk, with the hidden files laid in, for a program that is run in the sandbox:
   * what it writes there is nobody else's.
   */
  lay(): Promise<{ readonly folder: string; remove(): Promise<void> }>
}

/** What is different between a workspace's start and its end, enough to make the end from the start. */
export interface WorkspaceDiff {
  readonly version: 1
  /** In order of their paths. */
  readonly changes: readonly FileChange[]
  /**
   * What was added, or took a file's place, and cannot be kept: pipes and devices, names that are no UTF-8,
   * paths that are too long. Its paths in order, each as near as text can be; a folder stands for all in it.
   */
  readonly unkept?: readonly string[]
  /** The first of these with why, for people. */
  readonly oddities?: readonly string[]
}

export interface FileChange {
  /** Relative, with forward slashes. */
  readonly path: string
  readonly change: 'added' | 'changed' | 'deleted'
  /** As git writes them: 100644, 100755, 120000 for a link. Absent where there was, or is, no file. */
  readonly modeBefore?: FileMode
  readonly mode?: FileMode
  /** What the file holds now, where that is UTF-8; a link's target. Absent where deleted. */
  readonly text?: string
  /** What it holds now, where that is no UTF-8. */
  readonly base64?: string
  /** The change in unified form, hunks only; absent where one side is no text, or it is too large to show. */
  readonly patch?: string
}

export type FileMode = '100644' | '100755' | '120000'

/** The agent left more behind than is kept: the trial fails, at a limit. */
export class WorkspaceTooLarge extends Error {
  override readonly name = 'WorkspaceTooLarge'
}
