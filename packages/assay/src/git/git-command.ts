/**
 * How Assay starts git everywhere: without the settings of the machine or the user, and only in repositories
 * that Assay has created. The settings of a suite's repository can start programs (a remote to fetch missing
 * objects from, a file monitor, a pager), and git has no switch that turns all of that off. So git never sees
 * the settings of that repository: see private-repository.ts.
 */
import { delimiter, dirname } from 'node:path'
import { findProgram, foldersOnPath } from '@assay/sandbox'

/** The git program, with the settings that apply to every command. */
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
 * Returns the environment for git. `folder` is where git is started: a private folder, with no symbolic links
 * in its path. Git does not look for a repository in the folders above it.
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
