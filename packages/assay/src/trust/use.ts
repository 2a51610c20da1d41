/**
 * What a plan starts, which addresses it contacts with which variable, and what it reads and writes outside of the
 * repository: one plain list, made in one place (subject-uses.ts, suite-uses.ts). The trust check and everything that is
 * shown to people read this list, so that nothing can be run or sent that was neither checked nor shown.
 */
import type { AccessRecord } from '../log/index.ts'
import { repositoryRoot, rootOfFile, withinRoot } from './root.ts'
import { shownWords } from './shell-words.ts'

/** Who names a use. */
export interface NamedBy {
  /** The file, as a user would type it; null where the user's own command line or environment names it. */
  readonly file: string | null
  /** The repository that the file belongs to. */
  readonly root: string
  /** It is a program that the user named on the command line: consent to run it, not to send keys. */
  readonly isCode: boolean
}

/** Nobody's file: Assay itself knows it, or the user's command line or environment names it. */
export const BY_USER: NamedBy = { file: null, root: '', isCode: false }

/** The user, at work in a folder. */
export const byUserIn = (folder: string): NamedBy => ({ ...BY_USER, root: repositoryRoot(folder) })

export const namedIn = (file: string, isCode = false): NamedBy => ({
  file,
  root: rootOfFile(file),
  isCode,
})

interface Common {
  readonly by: NamedBy
  /** Who needs it, for people: a subject, a judge, a grader. */
  readonly for: string
  /** What `assay trust` has to be given to see it too, where the file alone does not name it. */
  readonly flags?: readonly string[]
}

/** A program that runs with the user's rights, or an agent in its sandbox. */
export interface StartUse extends Common {
  readonly does: 'start'
  /** The program and its arguments; of a module the name of its file. */
  readonly words: readonly string[]
  /** The folder in which the words have their meaning: an absolute path. */
  readonly in: string
  /** It runs in the sandbox, so it needs no trust. */
  readonly isSandboxed?: true
}

/** A request to an address, or a program that gets a variable; `variable` null: nothing secret is sent. */
export interface SendUse extends Common {
  readonly does: 'send'
  readonly variable: string | null
  /** An origin, or a program. */
  readonly to: string
  /** The variable of the user's environment that names the origin, where one does. */
  readonly toVariable?: string
  /** The variable's own provider, this machine, or an address that no file of the folder names. */
  readonly isSafe: boolean
  /** A setup command that runs without network until it is trusted: the plan is not refused for it. */
  readonly isOptional?: true
}

/** A file or folder outside of the repository. */
export interface ReadUse extends Common {
  readonly does: 'read'
  readonly path: string
}

/** A folder outside of the repository that run folders are made in. */
export interface WriteUse extends Common {
  readonly does: 'write'
  readonly path: string
}

export type Use = StartUse | SendUse | ReadUse | WriteUse

/** What trust is given to, within the repository that names it. An edit of a file's contents leaves it as it is. */
export function identityOf(use: Use): string {
  if (use.does === 'start')
    return `start ${JSON.stringify(use.words)} in ${withinRoot(use.by.root, use.in)}`
  if (use.does === 'send') return `send ${use.variable ?? 'nothing'} to ${use.to}`
  return `${use.does} ${use.path}`
}

/** Whether the user has to trust the repository that names it. */
export function needsTrust(use: Use): boolean {
  if (use.by.file === null) return false
  if (use.does === 'start') return !use.by.isCode && use.isSandboxed !== true
  if (use.does === 'send') return !use.isSafe
  return true
}

/** Whether the plan can be run without it. */
export const isOptional = (use: Use): boolean => use.does === 'send' && use.isOptional === true

/** Whether people need to see it: files that they named themselves are no news. */
export const isShown = ({ does, by }: Use): boolean => does !== 'read' || by.file !== null

/** As the run's record keeps it. */
export function accessRecord(use: Use): AccessRecord {
  const { for: forWhom } = use
  if (use.does === 'start') return { does: 'start', program: shownWords(use.words), for: forWhom }
  if (use.does === 'send') return { does: 'send', variable: use.variable, to: use.to, for: forWhom }
  return { does: use.does, path: use.path, for: forWhom }
}
