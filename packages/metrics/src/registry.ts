/**
 * Every metric and statistic by name, with what it means and what it does at its edges.
 * docs/formulas.md is written from this list (`npm run docs`), and a test fails when it is stale.
 * Each room keeps its entries beside its code; a new metric is one entry there.
 */
import { entries as compare } from './compare/entries.ts'
import { entries as cost } from './cost/entries.ts'
import type { MetricEntry } from './entry.ts'
import { entries as interval } from './interval/entries.ts'
import { entries as judge } from './judge/entries.ts'
import { entries as plan } from './plan/entries.ts'
import { entries as resample } from './resample/entries.ts'
import { entries as sequential } from './sequential/entries.ts'
import { entries as spec } from './spec/entries.ts'
import { entries as special } from './special/entries.ts'

export type { MetricEntry } from './entry.ts'

export interface RegistryModule {
  readonly title: string
  readonly entries: readonly MetricEntry[]
}

export const registry: readonly RegistryModule[] = [
  { title: 'The documents’ formulas', entries: spec },
  { title: 'Estimates and intervals', entries: interval },
  { title: 'Comparing', entries: compare },
  { title: 'Planning', entries: plan },
  { title: 'Resampling', entries: resample },
  { title: 'Cost of pass and the frontier', entries: cost },
  { title: 'Judges', entries: judge },
  { title: 'Sequential designs', entries: sequential },
  { title: 'Special functions', entries: special },
]
