/**
 * Returns the lines of a dry run about an experiment: the order of its subjects, the settings that vary, and how it
 * is graded.
 */
import type { ExperimentRecord } from '../../log/index.ts'
import { plain } from '@assay/contract'
import { wrap } from '../../text/index.ts'

export function experimentLines(
  { tiers, varies, composite, grades, impl }: ExperimentRecord,
  width: number,
): string[] {
  const named = (subject: string, baseline: string): string =>
    subject === baseline ? `${plain(subject)} (baseline)` : plain(subject)
  const total = composite.pass + composite.impl
  const share = (weight: number): string => String(Number((weight / total).toFixed(3)))
  const scale = grades.steps.map(({ grade, least }) => `${plain(grade)} from ${least}`).join(', ')
  const said = [
    ...tiers.map(
      ({ order, baseline }) => `tiers: ${order.map((one) => named(one, baseline)).join(', ')}`,
    ),
    `they differ in: ${varies.length === 0 ? 'nothing' : varies.map(plain).join(', ')}`,
    `composite: ${share(composite.pass)} · passed + ${share(composite.impl)} · ${impl === 'score' ? 'score' : 'judged score'}; ${scale}, else ${plain(grades.below)}`,
  ]
  return ['', ...said.flatMap((line) => wrap(line, width))]
}
