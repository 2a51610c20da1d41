/** The command that runs the case of a trial again. */
import { plain, type Identity } from '@assay/contract'
import { shellWord } from '../../text/index.ts'
import type { Provenance } from '../schema/report.ts'

/**
 * Returns a command that can be pasted into a shell. Null if the run does not know the file of the suite, or if a name
 * contains a character that cannot be printed.
 */
export function rerunCommand(
  { suites, seed, origin }: Pick<Provenance, 'suites' | 'seed' | 'origin'>,
  { suite, case: id, subject, index }: Identity,
  program = 'assay',
): string | null {
  const path = suites.find((one) => one.id === suite)?.path ?? ''
  if (path === '' || origin !== null) return null
  // A trial keeps its number, and with it its random numbers, if the trials before it run too.
  const words = [
    ...['run', path, '--case', id, '--model', subject],
    ...['--trials', String(index + 1)],
    ...(seed === null ? [] : ['--seed', String(seed)]),
  ]
  // A comma separates names, and none of them can contain one.
  if (words.some((word) => plain(word) !== word) || id.includes(',')) return null
  return [program, ...words.map(shellWord)].join(' ')
}
