/**
 * Draws the pass rate by the cost of a trial. A dashed line connects the subjects that no other subject beats in
 * both (the Pareto frontier).
 */
import { paretoSet } from '@assay/metrics'
import * as Plot from '@observablehq/plot'
import { dollars, NONE, percent } from '../figures.ts'
import { apart } from './apart.ts'
import { figureCells, type ChartData } from './chart-data.ts'
import type { Draw } from './picture.tsx'
import { labelOf, PLOT_STYLE, SHARE_SCALE, TIP_STYLE } from './plot-style.ts'
import type { Shown } from './subject-colors.ts'

interface Point {
  readonly subject: string
  readonly label: string
  readonly color: string
  readonly cost: number
  readonly quality: number
  readonly low: number
  readonly high: number
}

const HEIGHT = 280
/** If costs differ by more than this factor, their axis is logarithmic. */
const FAR_APART = 8
/** A linear axis extends beyond the last dot by this factor. */
const BEYOND = 1.15
/** A logarithmic axis extends beyond the first and the last dot by this factor. */
const EDGE = 1.8

const pointsOf = (subjects: readonly Shown[]): Point[] =>
  subjects.flatMap(({ subject, label, color, row: { cost, passRate } }) => {
    const { value, interval } = passRate
    if (cost.perTrialUsd === null || value === null) return []
    const [low, high] = [interval?.low ?? value, interval?.high ?? value]
    return [{ subject, label, color, cost: cost.perTrialUsd, quality: value, low, high }]
  })

export function whyNoCost(subjects: readonly Shown[]): string | null {
  const points = pointsOf(subjects)
  if (points.length === 0)
    return 'No picture: the price of some answers of each subject is unknown.'
  return points.every(({ cost }) => cost === 0) ? 'No picture: every answer was free.' : null
}

export const drawCost =
  (subjects: readonly Shown[]): Draw =>
  (width) => {
    const points = pointsOf(subjects)
    const frontier =
      points.length === 0
        ? []
        : paretoSet(points)
            .map((at) => points[at] as Point)
            .toSorted((a, b) => a.cost - b.cost)
    const costs = points.map(({ cost }) => cost)
    const [least, most] = [Math.min(...costs), Math.max(...costs)]
    const byRatio = least > 0 && most / least > FAR_APART
    const isRight = (cost: number): boolean =>
      (byRatio
        ? Math.log((cost * EDGE) / least) / Math.log((most * EDGE * EDGE) / least)
        : cost / (most * BEYOND)) > 0.6
    // If dots are at the same place, their names are moved apart.
    const heights = apart(
      points.map(({ quality }) => quality),
      15 / (HEIGHT - 52),
    )
    const placed = points.map((point, i) => ({ ...point, at: heights[i] as number }))
    return Plot.plot({
      ...PLOT_STYLE,
      width,
      height: HEIGHT,
      marginLeft: 42,
      marginRight: 24,
      marginTop: 12,
      marginBottom: 40,
      x: {
        label: 'cost of a trial',
        labelArrow: 'none',
        type: byRatio ? 'log' : 'linear',
        domain: byRatio ? [least / EDGE, most * EDGE] : [0, most === 0 ? 1 : most * BEYOND],
        ticks: ticksOf(byRatio, least, most, width < 420 ? 3 : 8),
        tickFormat: (usd: number) => `$${Number(usd.toPrecision(3))}`,
      },
      y: { ...SHARE_SCALE, grid: true },
      marks: [
        Plot.line(frontier, {
          x: 'cost',
          y: 'quality',
          curve: 'step-after',
          stroke: 'currentColor',
          strokeOpacity: 0.5,
          strokeDasharray: '3,4',
        }),
        Plot.ruleX(points, {
          x: 'cost',
          y1: 'low',
          y2: 'high',
          stroke: 'color',
          strokeWidth: 3,
          strokeOpacity: 0.35,
        }),
        Plot.dot(points, { x: 'cost', y: 'quality', fill: 'color', r: 5 }),
        // For dots on the right side of the chart, the name is to the left, where there is space. All other names
        // are to the right of their dots.
        ...(['start', 'end'] as const).map((textAnchor) =>
          Plot.text(
            placed.filter(({ cost }) => isRight(cost) === (textAnchor === 'end')),
            {
              x: 'cost',
              y: 'at',
              text: 'label',
              textAnchor,
              dx: textAnchor === 'end' ? -9 : 9,
              fill: 'color',
              stroke: 'var(--paper)',
              strokeWidth: 4,
              fontWeight: 600,
            },
          ),
        ),
        Plot.tip(
          points,
          Plot.pointer({
            ...TIP_STYLE,
            x: 'cost',
            y: 'quality',
            title: ({ subject, cost, quality, low, high }: Point) =>
              `${labelOf(subject, 60)}\n${dollars(cost)} a trial\n${percent(quality)} passed, from ${percent(low)} to ${percent(high)}`,
          }),
        ),
      ],
    })
  }

/**
 * Returns the ticks of the cost axis. For a logarithmic axis, it returns a list: 1, 2 and 5 times each power of
 * ten, or only the powers of ten if there would be too many ticks. For a linear axis, it returns only the number of
 * ticks.
 */
function ticksOf(byRatio: boolean, least: number, most: number, wanted: number): number | number[] {
  if (!byRatio) return wanted - 1
  const [from, to] = [Math.floor(Math.log10(least)) - 1, Math.ceil(Math.log10(most)) + 1]
  const powers = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  const within = (step: number): number[] =>
    powers
      .flatMap((power) => [1, 2, 5].slice(0, step).map((digit) => Number(`${digit}e${power}`)))
      .filter((usd) => usd >= least / EDGE && usd <= most * EDGE)
  const all = within(3)
  return all.length <= wanted ? all : within(1)
}

/** Returns the figures of the chart as a table. */
export const costData = (subjects: readonly Shown[]): ChartData => ({
  titles: ['subject', 'cost of a trial', 'pass rate', 'interval'],
  rows: subjects.map(({ subject, row: { cost, passRate } }) => [
    subject,
    cost.perTrialUsd === null ? NONE : dollars(cost.perTrialUsd),
    ...figureCells(passRate, percent),
  ]),
})
