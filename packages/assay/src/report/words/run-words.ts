/** Formats the figures of single runs (trials) as rows of texts. */
import { dollars, seconds } from '../../text/index.ts'
import type { RunFigures } from '../schema/run-schema.ts'

export const RUN_TITLES = [
  'trial',
  'passed',
  'impl_rate',
  'composite',
  'cost',
  'cost of pass',
  'duration',
  'answer',
  'wait',
  'grade',
] as const

const fixed = (value: number | null): string => value?.toFixed(3) ?? '–'
const usd = (value: number | null): string => (value === null ? '–' : dollars(value))
const time = (value: number | null): string => (value === null ? '–' : seconds(1000 * value))

export const runRow = (run: RunFigures): string[] => [
  String(run.index),
  String(run.pass_rate),
  fixed(run.impl_rate),
  fixed(run.composite),
  usd(run.cost_usd),
  run.infinite?.includes('cost_of_pass') === true ? '∞' : usd(run.cost_of_pass),
  time(run.duration_seconds),
  time(run.answer_seconds),
  time(run.wait_seconds),
  time(run.grade_seconds),
]
