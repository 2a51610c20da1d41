/** The hash that identifies the reviewed answer in a label. Grading does not change it. */
import type { Trial } from '@assay/contract'
import { asJson, hashOf } from '@assay/contract/hash'

/** It covers all that a person reviews: the text, the files and the changes of an agent. */
export const answerHash = ({
  answer,
  files,
  diff,
}: Pick<Trial, 'answer' | 'files' | 'diff'>): string =>
  hashOf(asJson([answer ?? null, files ?? null, diff ?? null]))
