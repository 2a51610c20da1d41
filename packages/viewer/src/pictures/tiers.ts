/** The tiers of one experiment for the charts, in their order. A tier has the same colour in every chart. */
import type { ViewReport, ViewSubject } from '../data/source.ts'
import { colored } from './subject-colors.ts'

export type TierGroup = ViewReport['tiers'][number]
export type TierMetric = Exclude<TierGroup['metrics'], undefined>[number]

export interface ShownTiers {
  readonly group: TierGroup
  /** The subjects in the order of the tiers. */
  readonly subjects: readonly { readonly subject: string; readonly color: string }[]
}

export function shownTiers(group: TierGroup, rows: readonly ViewSubject[]): ShownTiers {
  const colors = new Map(colored(rows).map(({ subject, color }) => [subject, color]))
  return {
    group,
    subjects: group.order.map((subject) => ({
      subject,
      color: colors.get(subject) ?? 'currentColor',
    })),
  }
}
