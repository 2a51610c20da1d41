/** Registry entries of the three documents' own formulas. */
import type { MetricEntry } from '../entry.ts'
import { codeEntries } from './code/entries.ts'
import { tierEntries } from './tiers/entries.ts'
import { trialEntries } from './trial-entries.ts'

export const entries: readonly MetricEntry[] = [...trialEntries, ...codeEntries, ...tierEntries]
