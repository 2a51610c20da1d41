/**
 * Draws pass@k and pass^k for each k. pass@k shows the gain if one of k tries is enough. pass^k shows the loss if
 * all k tries must pass.
 */
import * as Plot from '@observablehq/plot'
import { percent } from '../figures.ts'
import type { Draw } from './picture.tsx'
import { labelOf, PLOT_STYLE, SHARE_SCALE, TIP_STYLE } from './plot-style.ts'
import { apart } from './apart.ts'
import { figureCells, type ChartData } from './chart-data.ts'
import type { Shown } from './subject-colors.ts'

interface Point {
  readonly subject: string
  readonly label: string
  readonly color: string
  readonly kind: '@' | '^'
  readonly k: number
  readonly value: number
  readonly low: number
  readonly high: number
}

const HEIGHT = 280
/** With more subjects than this, interval bands are not drawn, because they would cover each other. */
const BANDS = 3
/**
 * With more than `BOTH` subjects, only the pass@k lines have labels with the subject's name. With more than
 * `LABELLED` subjects, no line has a label. The names are then only above the chart.
 */
const BOTH = 5
const LABELLED = 12
/** If the largest k is above this, the axis of k is logarithmic. */
const LINEAR = 30

function pointsOf(subjects: readonly Shown[], kind: '@' | '^'): Point[] {
  return subjects.flatMap(({ subject, label, color, row }) =>
    (kind === '@' ? row.curve.passAtK : row.curve.passHatK).flatMap(({ k, metric }) => {
      const { value, interval } = metric
      if (value === null) return []
      const [low, high] = [interval?.low ?? value, interval?.high ?? value]
      return [{ subject, label, color, kind, k, value, low, high }]
    }),
  )
}

export const whyNoCurves = (subjects: readonly Shown[]): string | null =>
  pointsOf(subjects, '@').some(({ k }) => k > 1)
    ? null
    : 'No curve: it needs two scored trials of a case or more.'

const rests = ({ row }: Shown): Set<number> =>
  new Set(row.curve.passAtK.map(({ metric }) => metric.n))

/**
 * Returns a note if the points of a curve are means over different numbers of cases. The note explains why such a
 * line can rise or fall unexpectedly.
 */
export const curvesNote = (subjects: readonly Shown[]): string =>
  subjects.some((one) => rests(one).size > 1)
    ? ' A point is over the cases with k scored trials or more.'
    : ''

export const drawCurves =
  (subjects: readonly Shown[]): Draw =>
  (width) => {
    const tries = pointsOf(subjects, '@')
    const relies = pointsOf(subjects, '^')
    const all = [...tries, ...relies]
    const most = Math.max(2, ...all.map(({ k }) => k))
    const labelled = width > 420 && subjects.length <= LABELLED
    const ends = labelled ? endLabels(subjects.length > BOTH ? [tries] : [tries, relies]) : []
    const line = { x: 'k', y: 'value', z: 'subject', stroke: 'color', strokeWidth: 2 } as const
    return Plot.plot({
      ...PLOT_STYLE,
      width,
      height: HEIGHT,
      marginLeft: 42,
      marginRight: labelled ? roomFor(subjects) : 16,
      marginTop: 12,
      marginBottom: 36,
      x: {
        label: 'k',
        labelArrow: 'none',
        type: most > LINEAR ? 'log' : 'linear',
        domain: [1, most],
        ...(most > LINEAR ? { ticks: 6, tickFormat: 'd' } : { ticks: wholes(most) }),
        tickFormat: 'd',
      },
      y: { ...SHARE_SCALE, grid: true },
      marks: [
        ...(subjects.length > BANDS
          ? []
          : [
              Plot.areaY(tries, {
                x: 'k',
                y1: 'low',
                y2: 'high',
                z: 'subject',
                fill: 'color',
                fillOpacity: 0.1,
              }),
            ]),
        Plot.line(tries, line),
        Plot.line(relies, { ...line, strokeDasharray: '5,4' }),
        Plot.text(ends, {
          x: most,
          y: 'at',
          text: 'text',
          textAnchor: 'start',
          dx: 8,
          fill: 'color',
          fontWeight: 600,
        }),
        Plot.dot(all, Plot.pointer({ x: 'k', y: 'value', fill: 'color', r: 4 })),
        Plot.tip(
          all,
          Plot.pointer({
            ...TIP_STYLE,
            x: 'k',
            y: 'value',
            title: ({ subject, kind, k, value, low, high }: Point) =>
              `${labelOf(subject, 60)}\npass${kind}${k}: ${percent(value)}, from ${percent(low)} to ${percent(high)}`,
          }),
        ),
      ],
    })
  }

/** Returns the width that the labels at the ends of the lines need. */
const roomFor = (subjects: readonly Shown[]): number =>
  20 + 8 * Math.max(0, ...subjects.map(({ label }) => label.length))

const wholes = (most: number): number[] => {
  const step = Math.ceil(most / 10)
  return Array.from({ length: Math.floor((most - 1) / step) + 1 }, (_, i) => 1 + i * step)
}

/**
 * Returns labels with the subject's name for the ends of the lines. They are moved apart so that none covers
 * another.
 */
function endLabels(kinds: readonly (readonly Point[])[]) {
  const ends = kinds.flatMap((points) =>
    [...Map.groupBy(points, ({ subject }) => subject).values()].flatMap(
      (line) => line.at(-1) ?? [],
    ),
  )
  const places = apart(
    ends.map(({ value }) => value),
    15 / (HEIGHT - 48),
  )
  return ends.map((end, i) => ({
    color: end.color,
    at: places[i] as number,
    text: end.label,
  }))
}

/** Returns the figures of the chart as a table. */
export const curvesData = (subjects: readonly Shown[]): ChartData => ({
  titles: ['subject', 'k', 'pass@k', 'interval', 'pass^k', 'interval'],
  rows: subjects.flatMap(({ subject, row: { curve } }) =>
    curve.passAtK.map(({ k, metric }) => [
      subject,
      String(k),
      ...figureCells(metric, percent),
      ...figureCells(curve.passHatK.find((one) => one.k === k)?.metric, percent),
    ]),
  ),
})
