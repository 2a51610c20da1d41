/**
 * The folder that an agent works in: how a case describes it, how a trial uses it, and what the trial changed in
 * it.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * The network that a trial may use: `open` for everything, `none`, or a list of hosts that can be reached by TLS
 * only.
 */
export type Network = 'open' | 'none' | readonly string[]

/**
 * The port of Assay's proxy on the loopback interface of a sandbox without network. Programs inside reach the outside
 * only through this port. Each sandbox has its own loopback, so all can use the same number.
 */
export const WAY_OUT_PORT = 47_017

/** Answers an HTTP request that comes from a sandbox without network. */
export type ServeRequest = (request: IncomingMessage, response: ServerResponse) => void

/**
 * What an agent's folder contains at the start. It is filled in this order: a git checkout, then a copied folder,
 * then the case's own `files`, then the results of the setup commands.
 */
export interface WorkspacePlan {
  readonly git: GitSource | null
  /**
   * A folder next to the suite whose content is copied into the workspace: its absolute path, and a hash of its
   * content.
   */
  readonly folder: {
    readonly path: string
    readonly sha256: string
    /**
     * Paths that are neither copied nor hashed. Needed if the suite itself is inside the folder: the agent must not
     * see the suite.
     */
    readonly without?: readonly string[]
  } | null
  /** Shell commands that run in the folder, once per case and in order. */
  readonly setup: readonly string[]
  readonly setupTimeoutMs: number
  /**
   * Patterns of paths that are not part of the result: they are not in the diff and not used for grading. Git's own
   * folders are not part of it either, unless the list contains `GRADED_GIT`.
   */
  readonly ignore: readonly string[]
  /** Patterns of paths that the agent must not change. Any change fails the trial with the reason `tampered`. */
  readonly protect: readonly string[]
  /** Files that are added for grading, after the agent has stopped. They replace existing files. */
  readonly hidden: Readonly<Record<string, string>>
  /**
   * The network that the agent and the setup commands may use. If the case does not set it, this is absent and the
   * network is open.
   */
  readonly network?: Network
}

/** In `ignore`, this pattern makes git's own folders, with their commits and branches, part of the result. */
export const GRADED_GIT = '!**/.git'

/** A commit from which a workspace starts. It is in a repository on this machine, or at a network address. */
export type GitSource = LocalCommit | RemoteCommit

interface CommitSource {
  /** The full hash of the commit. */
  readonly commit: string
  /** The number of commits of history that the agent sees. */
  readonly depth: number
}

export interface LocalCommit extends CommitSource {
  /** The absolute path of a git repository or a git bundle. */
  readonly path: string
  /**
   * Set if the path is outside of the suite's repository. Then it may be read only if the user trusts the suite with
   * it.
   */
  readonly isElsewhere?: true
}

/** A commit that is fetched once and then kept in the user's cache folder. */
export interface RemoteCommit extends CommitSource {
  /** An http or https address without a user name, a password, a query or a fragment. */
  readonly url: string
}

/** Limits of an agent; null means no limit. A trial that exceeds one of them fails with the reason `over-limit`. */
export interface AgentLimits {
  /** The number of answered requests to the model. */
  readonly turns: number | null
  readonly toolCalls: number | null
  /** The number of tokens: input, output and cached tokens together. */
  readonly tokens: number | null
  readonly usd: number | null
}

/**
 * The folder of one trial, and a separate home folder. The paths are the ones that programs inside the sandbox
 * see. If the sandbox mounts the folders at other paths, these differ from the real paths on this machine.
 */
export interface TrialWorkspace {
  readonly folder: string
  readonly home: string
  /** The network that programs in this workspace may use. */
  readonly network: Network
  /**
   * Adds a file before the agent starts: a text, or a copy of a file or folder of this machine (an absolute path). A
   * file that is added in the workspace's folder counts as part of the start, not as a change by the agent.
   */
  lay(
    where: 'folder' | 'home',
    path: string,
    what: { readonly text: string } | { readonly from: string },
  ): Promise<void>
  /** Runs a program in the folder. Resolves when the program and everything that it started have ended. */
  run(program: WorkspaceProgram): Promise<WorkspaceEnd>
  /**
   * Returns the same workspace without a network. Without a sandbox (`--sandbox none`), the network cannot be closed,
   * so the workspace stays unchanged.
   */
  offline(): TrialWorkspace
  /** Returns the changes since the start. Throws `WorkspaceTooLarge` if there is more than can be kept. */
  diff(): Promise<WorkspaceDiff>
  /** Removes the workspace, unless the user keeps workspaces. */
  close(): Promise<void>
}

export interface WorkspaceProgram {
  /** The program, as an absolute path on this machine, and its arguments. */
  readonly argv: readonly [string, ...string[]]
  /** The program's complete environment. Only HOME and similar variables are missing: the workspace sets them. */
  readonly env: Readonly<Record<string, string>>
  /** Absolute paths of files and folders that the program must read, in addition to those of the system. */
  readonly reads: readonly string[]
  readonly input: string
  /**
   * Called once, with the program's stdin, when the program has started. The callee then writes to stdin and closes
   * it, and `input` is not used.
   */
  readonly converse?: (stdin: ProgramInput) => void
  readonly timeoutMs: number
  /** The most bytes that the program may write to stdout. */
  readonly mostBytes: number
  readonly signal: AbortSignal
  /** Called with each chunk of output. Returning `stop` ends the program. */
  readonly onOutput: (chunk: Buffer) => 'go on' | 'stop'
  /** Answers HTTP requests from inside the sandbox. Needed if the workspace has no open network. */
  readonly serve?: ServeRequest
}

/** The stdin of a running program. Writing to a program that has ended does nothing. */
export interface ProgramInput {
  write(text: string): void
  end(): void
  /** The number of characters that were written but not yet read by the program, roughly. */
  readonly pending: number
}

export interface WorkspaceEnd {
  /**
   * How the program ended.
   * - `ended`: by itself.
   * - `timeout`: its time was over.
   * - `too-much`: it wrote more than `mostBytes`.
   * - `stopped`: `onOutput` returned `stop`.
   */
  readonly how: 'ended' | 'timeout' | 'too-much' | 'stopped'
  /** The exit code; null if a signal ended the program. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The last part of stderr. */
  readonly stderr: string
  /** The resource for which the program and everything it started reached their limit; absent if they reached none. */
  readonly reached?: 'disk' | 'memory' | 'processes'
  /** The resource that the machine ran out of, although the program was below its own limit. */
  readonly starved?: 'disk' | 'memory' | 'processes'
}

/** A workspace as it is graded: the start of the case with the trial's changes applied. */
export interface GradedWorkspace {
  /**
   * Resolves when the case is set up. The other methods wait for the setup too. The setup may take longer than the
   * time limit of a grader, so await this before that limit starts.
   */
  ready(): Promise<void>
  /** Returns the paths of all files, sorted. Hidden files are left out. */
  list(): Promise<readonly string[]>
  /** Returns a file's text; null if there is no such file or it is not text. */
  read(path: string): Promise<string | null>
  /**
   * Makes a fresh copy on disk for a program that runs in the sandbox. No other program uses this copy. `what`
   * selects the parts to copy. Default: all parts.
   */
  lay(what?: StagedParts): Promise<StagedWorkspace>
}

/**
 * The parts of a workspace that a copy has in addition to the start of the case. `all`: the trial's changes and the
 * hidden files. `work`: the changes. `tests`: the hidden files.
 */
export type StagedParts = 'all' | 'work' | 'tests'

/** A copy of a workspace on disk, with the folders that a program in it needs. The paths are those of this machine. */
export interface StagedWorkspace {
  readonly folder: string
  /** A home folder that contains only the git settings that an agent's home has too. */
  readonly home: string
  readonly temporary: string
  /** Removes the copy. Call this when no program uses the copy. */
  remove(): Promise<void>
}

/** The differences between a workspace's start and its end. Assay rebuilds the end by applying them to the start. */
export interface WorkspaceDiff {
  readonly version: 1
  /** The changed files, sorted by path. */
  readonly changes: readonly FileChange[]
  /**
   * Empty folders that were added or deleted, sorted by path. Folders with files are not listed, because the paths of
   * the files contain them.
   */
  readonly folders?: readonly FolderChange[]
  /**
   * The permissions that the agent gave to files and folders, by path and in octal, if they are not the usual ones: 644
   * for files, 755 for programs and folders.
   */
  readonly permissions?: Readonly<Record<string, string>>
  /**
   * Paths of entries that the agent created and that cannot be stored. They are pipes or devices, have names that are
   * not valid UTF-8, or have paths that are too long. The list is sorted. If a path is not valid text, the nearest
   * text is listed. If a folder is in the list, it means everything in the folder.
   */
  readonly unkept?: readonly string[]
  /** For people: the first entries of `unkept`, each with the reason. */
  readonly oddities?: readonly string[]
}

export interface FolderChange {
  readonly path: string
  readonly change: 'added' | 'deleted'
}

export interface FileChange {
  /** The path relative to the workspace's folder, with forward slashes. */
  readonly path: string
  readonly change: 'added' | 'changed' | 'deleted'
  /** Modes as in git: 100644, 100755, or 120000 for a link. Absent if there was no file before, or is none now. */
  readonly modeBefore?: FileMode
  readonly mode?: FileMode
  /** The current content if it is valid UTF-8 text, or the target of a link. Absent if the file was deleted. */
  readonly text?: string
  /** The current content if it is not valid UTF-8 text. */
  readonly base64?: string
  /**
   * The change as a unified diff without its header. Absent if one side is not text or the diff is too large to show.
   */
  readonly patch?: string
}

export type FileMode = '100644' | '100755' | '120000'

/** Thrown if the agent left more files or data than can be kept. The trial fails with the reason `over-limit`. */
export class WorkspaceTooLarge extends Error {
  override readonly name = 'WorkspaceTooLarge'
}
