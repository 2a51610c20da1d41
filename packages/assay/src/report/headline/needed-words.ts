/** Says what would decide a comparison that is not decided, or why nothing would. */
import { counted, inGroupsText, moreTrialsText } from '../../text/index.ts'
import { listed, type NameFormat } from './figure-words.ts'
import type { Rival, SuiteHeadline } from '../schema/headline-schema.ts'

/**
 * The end of a sentence such as "About 20 more trials …". Nobody knows the true difference, so the text says what it
 * assumes.
 */
const PROBABLY = 'would probably decide it (80 % likely if this is the true difference).'

/**
 * The maximum number of trials per case that is recommended. If more are needed, more cases are recommended instead.
 */
const MOST_TRIALS = 1000

/**
 * The sentences that advise against more trials, because all trials of a case had the same verdict. `NO_TRIALS` is for
 * several cases, `SAME_ANSWER` for a single case.
 */
const NO_TRIALS =
  'More trials of these cases would not: no verdict varied between the trials of a case.'
const SAME_ANSWER = 'If a subject always answers the same, its trials show no more than one does.'

/**
 * Says how many more trials or cases are needed. `name` formats the name of a subject. If only some subjects need more
 * trials, they are listed, so that the reader knows whose trials the number counts. `pair` is a phrase for two subjects
 * that the preceding text has just named.
 */
export function neededWords(
  { needed, order }: Pick<SuiteHeadline, 'needed' | 'order'>,
  rival: Rival | undefined,
  name: NameFormat,
  pair: string | null = null,
): string {
  if (needed === null) return whyNothing(rival)
  const { trialsPerCase, cases, groups, trials, usd, steady = false } = needed
  const { subjects = order } = needed
  const some =
    subjects.length === order.length
      ? null
      : subjects.length === 2 && pair !== null
        ? pair
        : listed(subjects.map(name))
  const total = moreTrialsText(trials, usd)
  if (trialsPerCase !== null && (trialsPerCase <= MOST_TRIALS || cases === null))
    return `About ${counted(trialsPerCase, 'more trial')} of ${rival?.shared === 1 ? 'the' : 'each'} case with ${some ?? 'each subject'}${total} ${PROBABLY}${steady ? ` ${SAME_ANSWER}` : ''}`
  if (trialsPerCase !== null)
    return `About ${counted(cases ?? 0, 'more case')} like these ${PROBABLY}`
  return `About ${counted(cases ?? 0, 'more case')} like these${inGroupsText(groups)}${some === null ? '' : `, with ${some}`}${total} ${PROBABLY}${steady ? ` ${NO_TRIALS}` : ''}`
}

function whyNothing(rival: Rival | undefined): string {
  if (rival === undefined) return ''
  if (rival.groups === 1)
    return 'More trials would not decide it, as all cases are of one group: only cases of other groups would.'
  if (rival.shared === 1 && rival.compared === undefined && rival.decision === 'not decided')
    return 'As long as they pass equally often, no number of trials shows a difference.'
  return 'More trials of the same cases would not decide it: only more cases would.'
}
