/** Formats the statistics of the metrics-formulas specification over all trials of a subject, as rows of texts. */
import { dollars } from '../../text/index.ts'
import type { Blocks, StatisticsBlock } from '../schema/report.ts'

export const STATISTIC_TITLES = [
  'median',
  'mean',
  'mode',
  'min',
  'max',
  'std dev',
  'count',
] as const

const METRICS: readonly (readonly [keyof Blocks, string, (value: number) => string])[] = [
  ['pass_rate', 'pass_rate', (x) => x.toFixed(3)],
  ['impl_rate', 'impl_rate', (x) => x.toFixed(3)],
  ['cost_usd', 'cost_usd', dollars],
  ['duration_seconds', 'duration_seconds', (x) => x.toFixed(3)],
  ['cost_of_pass', 'cost_of_pass', dollars],
  ['composite', 'composite', (x) => x.toFixed(3)],
]

/** Returns one row per metric: its name, then the figures in the order of the titles. Metrics without values are left out. */
export const statisticsRows = (blocks: Blocks): string[][] =>
  METRICS.flatMap(([key, title, write]) => {
    const block = blocks[key]
    return block === null ? [] : [[title, ...figures(block, write)]]
  })

function figures(block: StatisticsBlock, write: (value: number) => string): string[] {
  const infinite = new Set(block.infinite ?? [])
  const at = (name: 'median' | 'mean' | 'mode' | 'min' | 'max' | 'std_dev'): string => {
    const value = block[name]
    if (value !== null) return write(value)
    return infinite.has(name) ? '∞' : '–'
  }
  return [
    ...(['median', 'mean', 'mode', 'min', 'max', 'std_dev'] as const).map(at),
    String(block.count),
  ]
}
