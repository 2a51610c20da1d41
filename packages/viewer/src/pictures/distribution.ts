/** Draws the distribution of the trials' scores: one small histogram per tier, one below the other. */
import * as Plot from '@observablehq/plot'
import { count, percent } from '../figures.ts'
import type { Draw } from './picture.tsx'
import { labelOf, PLOT_STYLE, TIP_STYLE } from './plot-style.ts'
import type { ChartData } from './chart-data.ts'
import { tierAxis, type ShownTiers } from './tiers.ts'

interface Bar {
  readonly subject: string
  readonly color: string
  readonly from: number
  readonly to: number
  readonly share: number
  readonly trials: number
}

const ROW = 58

function barsOf({ group, subjects }: ShownTiers): Bar[] {
  return (group.distribution?.counts ?? []).flatMap((counts, i): Bar[] => {
    const shown = subjects[i]
    const all = counts.reduce((sum, trials) => sum + trials, 0)
    if (shown === undefined) return []
    return counts.flatMap((trials, step) =>
      trials === 0
        ? []
        : [
            {
              ...shown,
              from: step / counts.length,
              to: (step + 1) / counts.length,
              share: trials / all,
              trials,
            },
          ],
    )
  })
}

export const drawDistribution =
  (tiers: ShownTiers): Draw =>
  (width) => {
    const bars = barsOf(tiers)
    const { group } = tiers
    const { marginLeft, tickFormat } = tierAxis(tiers, width)
    return Plot.plot({
      ...PLOT_STYLE,
      width,
      height: group.order.length * ROW + 40,
      marginLeft,
      marginRight: 16,
      marginTop: 8,
      marginBottom: 28,
      x: { domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], tickFormat: String, label: null },
      y: { axis: null, domain: [0, Math.max(0.01, ...bars.map(({ share }) => share))] },
      fy: {
        domain: group.order,
        axis: 'left',
        label: null,
        padding: 0.12,
        tickFormat,
      },
      marks: [
        Plot.ruleY([0], { stroke: 'var(--line)' }),
        Plot.rect(bars, {
          fy: 'subject',
          x1: 'from',
          x2: 'to',
          y1: 0,
          y2: 'share',
          fill: 'color',
          inset: 0.5,
        }),
        Plot.tip(
          bars,
          Plot.pointer({
            ...TIP_STYLE,
            fy: 'subject',
            x: ({ from, to }: Bar) => (from + to) / 2,
            y: 'share',
            title: ({ subject, from, to, share, trials }: Bar) =>
              `${labelOf(subject, 60)}\n${from.toFixed(2)} to ${to.toFixed(2)}: ${count(trials)} trials, ${percent(share)}`,
          }),
        ),
      ],
    })
  }

/** Returns a table with the number of trials in each part of the range of scores. */
export function distributionData({ group }: ShownTiers): ChartData {
  const counts = group.distribution?.counts ?? []
  const parts = Math.max(0, ...counts.map(({ length }) => length))
  const end = (i: number): string => (i / parts).toFixed(2)
  return {
    titles: ['tier', ...Array.from({ length: parts }, (_, i) => `${end(i)}–${end(i + 1)}`)],
    rows: group.order.map((subject, i) => [subject, ...(counts[i] ?? []).map(count)]),
  }
}
