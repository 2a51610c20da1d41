/** Describes the damaged lines of a log in a sentence. */
import { plain } from '@assay/contract'
import { counted } from '../text/index.ts'
import type { DamagedLine, LinesRead } from './read-lines.ts'

/** The maximum number of damaged lines that the sentence lists. */
const MOST_NAMED = 5

/** Returns a text such as `2 lines of the log are damaged: line 7 (suite s, case c, subject m, trial 0), line 9`. */
export function namedDamage({
  damaged,
  damagedLines,
}: Pick<LinesRead, 'damaged' | 'damagedLines'>): string {
  const named = damagedLines.slice(0, MOST_NAMED).map(lineWords)
  const more = damaged - named.length
  return `${counted(damaged, 'line')} of the log ${damaged === 1 ? 'is' : 'are'} damaged: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function lineWords({ line, trial }: DamagedLine): string {
  if (trial === null) return `line ${line}`
  const { suite, case: id, subject, index } = trial
  return plain(`line ${line} (suite ${suite}, case ${id}, subject ${subject}, trial ${index})`)
}
