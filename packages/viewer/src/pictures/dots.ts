/** Draws a dot plot: one figure per subject, with its interval as a line. */
import * as Plot from '@observablehq/plot'
import type { ViewSubject } from '../data/source.ts'
import type { Draw } from './picture.tsx'
import { figureCells, type ChartData } from './chart-data.ts'
import { cutAtEnd, labelOf, PLOT_STYLE, SHARE_SCALE, TIP_STYLE } from './plot-style.ts'
import { visible } from '../text/visible.ts'
import type { Shown } from './subject-colors.ts'

const ROW = 34
/** Approximate width of a character in a name, in pixels. */
const CHARACTER = 7.2

export const drawDots =
  (
    subjects: readonly Shown[],
    metricOf: (one: Shown) => ViewSubject['passRate'],
    write: (value: number) => string,
  ): Draw =>
  (width) => {
    const points = subjects.flatMap((one) => {
      const { value, interval } = metricOf(one)
      const { subject, color } = one
      return value === null
        ? []
        : [{ subject, color, value, low: interval?.low ?? value, high: interval?.high ?? value }]
    })
    const names = subjects.map(({ subject }) => Array.from(visible(subject)).length * CHARACTER)
    const longest = Math.max(0, ...names)
    // A name that does not fit next to its row is written above it. It is never cut in the middle.
    const isAbove = longest + 16 > Math.min(190, width * 0.34)
    const marginLeft = isAbove ? 14 : Math.round(longest + 16)
    const row = isAbove ? ROW + 20 : ROW
    return Plot.plot({
      ...PLOT_STYLE,
      width,
      height: subjects.length * row + 40,
      marginLeft,
      marginRight: 16,
      marginTop: 8,
      marginBottom: 28,
      x: { ...SHARE_SCALE, tickFormat: write, grid: true },
      y: {
        domain: subjects.map(({ subject }) => subject),
        label: null,
        tickSize: 0,
        tickFormat: (name: string) => (isAbove ? '' : visible(name)),
      },
      marks: [
        ...(isAbove
          ? [
              Plot.text(
                subjects.map(({ subject, color }) => ({ subject, color })),
                {
                  y: 'subject',
                  frameAnchor: 'left',
                  text: ({ subject }: { subject: string }) =>
                    cutAtEnd(subject, Math.floor((width - marginLeft) / CHARACTER)),
                  textAnchor: 'start',
                  dx: -10,
                  dy: -28,
                  fill: 'color',
                },
              ),
            ]
          : []),
        Plot.ruleY(points, {
          y: 'subject',
          x1: 'low',
          x2: 'high',
          stroke: 'color',
          strokeWidth: 3,
          strokeOpacity: 0.45,
        }),
        Plot.dot(points, { y: 'subject', x: 'value', fill: 'color', r: 5 }),
        Plot.text(points, {
          y: 'subject',
          x: 'value',
          text: ({ value }: { value: number }) => write(value),
          dy: -12,
          fill: 'currentColor',
          fontWeight: 600,
        }),
        Plot.tip(
          points,
          Plot.pointerY({
            ...TIP_STYLE,
            x: 'value',
            y: 'subject',
            title: ({ subject, value, low, high }: (typeof points)[number]) =>
              `${labelOf(subject, 60)}\n${write(value)}, from ${write(low)} to ${write(high)}`,
          }),
        ),
      ],
    })
  }

/** Returns the figures of the chart as a table. */
export const dotsData = (
  subjects: readonly Shown[],
  metricOf: (one: Shown) => ViewSubject['passRate'],
  write: (value: number) => string,
): ChartData => ({
  titles: ['subject', 'value', 'interval'],
  rows: subjects.map((one) => [one.subject, ...figureCells(metricOf(one), write)]),
})
