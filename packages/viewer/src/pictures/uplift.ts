/**
 * Draws the gain of each tier over the baseline, as the mean difference per case. Each tier has a dot and two lines.
 * The thick line is the interval for exactly these cases. The thin line is the wider interval for cases like these.
 */
import * as Plot from '@observablehq/plot'
import { signed } from '../figures.ts'
import type { Draw } from './picture.tsx'
import { labelOf, PLOT_STYLE, TIP_STYLE } from './plot-style.ts'
import type { ChartData } from './chart-data.ts'
import { tierAxis, type ShownTiers, type TierMetric } from './tiers.ts'

interface Point {
  readonly subject: string
  readonly color: string
  readonly value: number
  readonly low: number
  readonly high: number
  readonly nearLow: number
  readonly nearHigh: number
}

const ROW = 38

export function pointsOf({ subjects }: ShownTiers, { differences }: TierMetric): Point[] {
  return differences.flatMap((one, i) => {
    const shown = subjects[i]
    const value = one?.population.value ?? null
    if (one === null || one === undefined || shown === undefined || value === null) return []
    const near = one.fixed.interval
    const far = one.population.interval ?? near
    return [
      {
        ...shown,
        value,
        low: far?.low ?? value,
        high: far?.high ?? value,
        nearLow: near?.low ?? value,
        nearHigh: near?.high ?? value,
      },
    ]
  })
}

export const drawUplift =
  (tiers: ShownTiers, metric: TierMetric): Draw =>
  (width) => {
    const points = pointsOf(tiers, metric)
    const names = points.map(({ subject }) => subject)
    const { marginLeft, tickFormat } = tierAxis(tiers, width)
    const ends = points.flatMap(({ low, high }) => [low, high])
    const [least, most] = [Math.min(-0.05, ...ends), Math.max(0.05, ...ends)]
    return Plot.plot({
      ...PLOT_STYLE,
      width,
      height: points.length * ROW + 44,
      marginLeft,
      marginRight: 24,
      marginTop: 8,
      marginBottom: 36,
      x: {
        domain: [least - 0.03, most + 0.03],
        label: 'difference in points',
        labelArrow: 'none',
        ticks: width < 420 ? 4 : 7,
        tickFormat: (value: number) => inPoints(value),
        grid: true,
      },
      y: {
        domain: names,
        label: null,
        tickSize: 0,
        tickFormat,
      },
      marks: [
        Plot.ruleX([0], { stroke: 'currentColor', strokeOpacity: 0.6 }),
        Plot.ruleY(points, {
          y: 'subject',
          x1: 'low',
          x2: 'high',
          stroke: 'color',
          strokeWidth: 3,
          strokeOpacity: 0.35,
        }),
        Plot.ruleY(points, {
          y: 'subject',
          x1: 'nearLow',
          x2: 'nearHigh',
          stroke: 'color',
          strokeWidth: 6,
          strokeOpacity: 0.55,
        }),
        Plot.dot(points, { y: 'subject', x: 'value', fill: 'color', r: 5 }),
        Plot.text(points, {
          y: 'subject',
          x: 'value',
          text: ({ value }: Point) => inPoints(value),
          dy: -13,
          fill: 'currentColor',
          fontWeight: 600,
        }),
        Plot.tip(
          points,
          Plot.pointerY({
            ...TIP_STYLE,
            x: 'value',
            y: 'subject',
            title: ({ subject, value, low, high, nearLow, nearHigh }: Point) =>
              `${labelOf(subject, 60)}\n${inPoints(value)} points\nthese cases: ${inPoints(nearLow)} to ${inPoints(nearHigh)}\ncases like these: ${inPoints(low)} to ${inPoints(high)}`,
          }),
        ),
      ],
    })
  }

/** Formats a difference in percentage points. */
const inPoints = (value: number): string => signed(Math.round(value * 100), 0)

/** Returns the figures of the chart as a table. */
export const upliftData = (tiers: ShownTiers, metric: TierMetric): ChartData => ({
  titles: ['tier', 'difference in points', 'these cases', 'cases like these'],
  rows: pointsOf(tiers, metric).map(({ subject, value, low, high, nearLow, nearHigh }) => [
    subject,
    exactly(value),
    `${exactly(nearLow)} to ${exactly(nearHigh)}`,
    `${exactly(low)} to ${exactly(high)}`,
  ]),
})

const exactly = (value: number): string => signed(value * 100, 1)
