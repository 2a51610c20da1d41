/**
 * A `Use` is one thing that a plan needs from outside its repository: a program that it starts, an address that it
 * contacts (with the variable that it sends), or a path that it reads or writes. subject-uses.ts and suite-uses.ts
 * put all uses of a plan into one list. Both the trust check and the messages to the user are made from this list.
 * So nothing can run or be sent without being checked and shown.
 */
import type { AccessRecord } from '../log/index.ts'
import { repositoryRoot, rootOfFile, withinRoot } from './root.ts'
import { shownWords } from './shell-words.ts'

/** The file or command line that names a use. */
export interface NamedBy {
  /** The file's path as the user would type it. Null if the user's command line or environment names the use. */
  readonly file: string | null
  /** The repository that the file belongs to. */
  readonly root: string
  /**
   * Whether the file is a program that the user named on the command line. By naming it, the user allows it to run,
   * but not to send keys.
   */
  readonly isCode: boolean
}

/**
 * The value for a use that no file names. It is built into Assay, or the user's command line or environment names
 * it.
 */
export const BY_USER: NamedBy = { file: null, root: '', isCode: false }

/** Like `BY_USER`, for a use that the command line names. `root` is then the repository that contains the folder. */
export const byUserIn = (folder: string): NamedBy => ({ ...BY_USER, root: repositoryRoot(folder) })

export const namedIn = (file: string, isCode = false): NamedBy => ({
  file,
  root: rootOfFile(file),
  isCode,
})

interface Common {
  readonly by: NamedBy
  /** The subject, judge or grader that needs this use. It is shown to the user. */
  readonly for: string
  /** Flags with which `assay trust` lists this use too. Set if the file alone does not name the use. */
  readonly flags?: readonly string[]
}

/** A program that runs with the user's permissions, or an agent in its sandbox. */
export interface StartUse extends Common {
  readonly does: 'start'
  /** The program and its arguments. For a module, the name of its file. */
  readonly words: readonly string[]
  /** The absolute path of the folder in which the program starts. */
  readonly in: string
  /** Set if the program runs in the sandbox. It then needs no trust. */
  readonly isSandboxed?: true
}

/** An address that is contacted, or a program that gets a variable. If `variable` is null, no key is sent. */
export interface SendUse extends Common {
  readonly does: 'send'
  readonly variable: string | null
  /** An origin such as `https://host`, or a program. */
  readonly to: string
  /** The environment variable that sets the origin. Absent if none does. */
  readonly toVariable?: string
  /**
   * Whether the destination is safe: the variable's own provider, this machine, or an address that no file in the
   * folder names.
   */
  readonly isSafe: boolean
  /**
   * Set for a setup command. It runs without network until it is trusted, so the plan is not refused because of it.
   */
  readonly isOptional?: true
}

/** A file or folder outside the repository that is read. */
export interface ReadUse extends Common {
  readonly does: 'read'
  readonly path: string
  /** Set if the path is read only when trials run, and not when the plan is made. */
  readonly isReadLater?: true
}

/** A folder outside the repository in which run folders are created. */
export interface WriteUse extends Common {
  readonly does: 'write'
  readonly path: string
}

export type Use = StartUse | SendUse | ReadUse | WriteUse

/**
 * Returns the string under which trust in a use is stored for its repository. It does not depend on the contents of
 * files. So the user is not asked again after editing a trusted program.
 */
export function identityOf(use: Use): string {
  if (use.does === 'start')
    return `start ${JSON.stringify(use.words)} in ${withinRoot(use.by.root, use.in)}`
  if (use.does === 'send') return `send ${use.variable ?? 'nothing'} to ${use.to}`
  return `${use.does} ${use.path}`
}

/** Whether the user must trust the repository for this use. */
export function needsTrust(use: Use): boolean {
  if (use.by.file === null) return false
  if (use.does === 'start') return !use.by.isCode && use.isSandboxed !== true
  if (use.does === 'send') return !use.isSafe
  return true
}

/** Whether the plan can run without this use. */
export const isOptional = (use: Use): boolean => use.does === 'send' && use.isOptional === true

/** Whether to show the use to the user. A path that the user named for reading is not shown. */
export const isShown = ({ does, by }: Use): boolean => does !== 'read' || by.file !== null

/** Returns the use as the run's record stores it. */
export function accessRecord(use: Use): AccessRecord {
  const { for: forWhom } = use
  if (use.does === 'start') return { does: 'start', program: shownWords(use.words), for: forWhom }
  if (use.does === 'send') return { does: 'send', variable: use.variable, to: use.to, for: forWhom }
  return { does: use.does, path: use.path, for: forWhom }
}
