/**
 * The command line and the environment with which Assay starts git. Git runs without the settings of the machine and of
 * the user, and only in repositories that Assay has created. It never reads the settings of a suite's repository,
 * because those could start programs (a remote to fetch missing objects from, a file monitor, a pager), and git has no
 * option that turns all of that off. private-repository.ts copies such a repository without its settings.
 */
import { delimiter, dirname } from 'node:path'
import { findProgram, foldersOnPath } from '@assay/sandbox'

/** The git program, followed by options that apply to every command. */
export const GIT_WORDS: readonly string[] = [
  findProgram('git') ?? 'git',
  ...[
    'core.commitGraph=false',
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'core.logAllRefUpdates=false',
    'core.multiPackIndex=false',
    'protocol.allow=never',
  ].flatMap((setting) => ['-c', setting]),
]

/**
 * Returns the environment for git. `folder` is the folder in which git is started. It must be a private folder without
 * symbolic links in its path. Git does not search the folders above it for a repository.
 */
export const gitEnvironment = (folder: string): Record<string, string> => ({
  PATH: [...foldersOnPath(), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
  HOME: folder,
  LANG: 'C',
  GIT_CEILING_DIRECTORIES: dirname(folder),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
})
