/** The content of a case before its hash is computed. */
import type { Case } from '@assay/contract'

export type CaseContent = Omit<Case, 'hash'>
