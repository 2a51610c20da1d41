/** A case before it has its hash. */
import type { Case } from '@assay/contract'

export type CaseContent = Omit<Case, 'hash'>
