/**
 * Registry entries of the formulas of the documents code-scoring, scoring-functions and
 * metrics-formulas.
 */
import type { MetricEntry } from '../entry.ts'
import { codeEntries } from './code/entries.ts'
import { tierEntries } from './tiers/entries.ts'
import { trialEntries } from './trial-entries.ts'

export const entries: readonly MetricEntry[] = [...trialEntries, ...codeEntries, ...tierEntries]
