/** A dot plot: one figure per subject, with its interval as a line. */
import * as Plot from '@observablehq/plot'
import type { ViewSubject } from '../data/source.ts'
import type { Draw } from './picture.tsx'
import { labelOf, PLOT_STYLE, SHARE_SCALE, TIP_STYLE } from './plot-style.ts'
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
    const longest = subjects.reduce((most, { subject }) => Math.max(most, subject.length), 0)
    const marginLeft = Math.round(Math.min(190, width * 0.34, longest * CHARACTER + 16))
    return Plot.plot({
      ...PLOT_STYLE,
      width,
      height: subjects.length * ROW + 40,
      marginLeft,
      marginRight: 16,
      marginTop: 8,
      marginBottom: 28,
      x: { ...SHARE_SCALE, tickFormat: write, grid: true },
      y: {
        domain: subjects.map(({ subject }) => subject),
        label: null,
        tickSize: 0,
        tickFormat: (name: string) => labelOf(name, Math.floor((marginLeft - 12) / CHARACTER)),
      },
      marks: [
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
