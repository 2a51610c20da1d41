/**
 * The list of every metric and statistic by name, with its meaning and its edge cases. `npm run
 * docs` writes docs/reference/formulas.md from this list, and a test fails if the page is out of
 * date. The entries of each folder are in its `entries.ts`. To add a metric, add an entry there.
 */
import { entries as classify } from './classify/entries.ts'
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
  { title: 'Classification', entries: classify },
  { title: 'Comparing', entries: compare },
  { title: 'Planning', entries: plan },
  { title: 'Resampling', entries: resample },
  { title: 'Cost of pass and the frontier', entries: cost },
  { title: 'Judges', entries: judge },
  { title: 'Sequential designs', entries: sequential },
  { title: 'Special functions', entries: special },
]
