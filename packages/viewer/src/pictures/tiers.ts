/** Prepares the tiers of one experiment for the charts, in their order. A tier has the same colour in every chart. */
import type { ViewReport, ViewSubject } from '../data/source.ts'
import { visible } from '../text/visible.ts'
import { colored } from './subject-colors.ts'

export type TierGroup = ViewReport['tiers'][number]
export type TierMetric = Exclude<TierGroup['metrics'], undefined>[number]

export interface ShownTiers {
  readonly group: TierGroup
  /** The subjects in the order of the tiers. */
  readonly subjects: readonly {
    readonly subject: string
    /** The name, or a letter that stands for it if names are too long. */
    readonly label: string
    readonly color: string
  }[]
}

export function shownTiers(group: TierGroup, rows: readonly ViewSubject[]): ShownTiers {
  const shown = new Map(colored(rows).map((one) => [one.subject, one]))
  return {
    group,
    subjects: group.order.map((subject) => ({
      subject,
      label: shown.get(subject)?.label ?? visible(subject),
      color: shown.get(subject)?.color ?? 'currentColor',
    })),
  }
}

/** Approximate width of a character in a name, in pixels. */
const CHARACTER = 7.2

/**
 * Returns a function that gives the text of a tier in a chart: its name if it fits, otherwise its letter. A name is
 * never shortened.
 */
export const tierLabel =
  ({ subjects }: ShownTiers, most: number) =>
  (name: string): string => {
    const label = subjects.find(({ subject }) => subject === name)?.label ?? visible(name)
    return Array.from(visible(name)).length <= most ? visible(name) : label
  }

/**
 * Returns the width of the margin to the left of the rows, and the texts in it. The texts are either all names or
 * all letters.
 */
export function tierAxis(
  tiers: ShownTiers,
  width: number,
): { marginLeft: number; tickFormat: (name: string) => string } {
  const room = (texts: readonly string[]): number =>
    Math.max(0, ...texts.map((text) => Array.from(text).length)) * CHARACTER + 16
  const names = room(tiers.group.order.map(visible))
  const isNamed = names <= Math.min(190, width * 0.34)
  const letters = room(tiers.subjects.map(({ label }) => label))
  return {
    marginLeft: Math.round(isNamed ? names : letters),
    tickFormat: tierLabel(tiers, isNamed ? Infinity : 0),
  }
}
