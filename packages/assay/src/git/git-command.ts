/**
 * How git is started, everywhere: with no setting of the machine or of its user, and in repositories of
 * Assay's own making only. What a repository of a suite says of itself can start programs (a remote that
 * lacking objects are fetched from, a monitor of files, a pager), and git has no switch that turns all of
 * it off. So git never sees that repository's settings: see private-repository.ts.
 */
import { delimiter, dirname } from 'node:path'
import { findProgram, foldersOnPath } from '@assay/sandbox'

/** The program with what applies to all of its commands. */
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

/** `folder` is where git is started: private, without links on the way. No repository around it is looked for. */
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
