/** Makes the command that runs the case of a trial again. */
import { plain, shellPath, shellWord, type Identity } from '@assay/contract'
import type { Provenance } from '../schema/report.ts'

/**
 * Returns a command that can be pasted into a shell. Null if the suite's file is unknown, or if a name contains a
 * character that cannot be printed or a comma.
 */
export function rerunCommand(
  { suites, seed, origin }: Pick<Provenance, 'suites' | 'seed' | 'origin'>,
  { suite, case: id, subject, index }: Identity,
  program = 'assay',
): string | null {
  const path = suites.find((one) => one.id === suite)?.path ?? ''
  if (path === '' || origin !== null) return null
  // The command also runs the trials before this one. So the trial keeps its index, and its random numbers depend on
  // the index.
  const words = [
    ...['--case', id, '--model', subject],
    ...['--trials', String(index + 1)],
    ...(seed === null ? [] : ['--seed', String(seed)]),
  ]
  // The command line uses commas to separate names, so a name that contains a comma cannot be given.
  if ([path, ...words].some((word) => plain(word) !== word) || id.includes(',')) return null
  return [program, 'run', shellPath(path), ...words.map(shellWord)].join(' ')
}
