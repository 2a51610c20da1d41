/**
 * Computes the hash that a label (a person's review of an answer) contains to identify the answer. Grading the answer
 * again does not change the hash.
 */
import type { Trial } from '@assay/contract'
import { asJson, hashOf } from '@assay/contract/hash'

/** The hash covers everything that a person reviews: the text, the files and an agent's changes. */
export const answerHash = ({
  answer,
  files,
  diff,
}: Pick<Trial, 'answer' | 'files' | 'diff'>): string =>
  hashOf(asJson([answer ?? null, files ?? null, diff ?? null]))
