/**
 * Draws a trend: the pass rate of one subject over all runs, with intervals. Only a change that the statistical gate
 * decided has a mark. The line is interrupted where the suite was edited, because the rates before and after are not
 * about the same cases.
 */
import * as Plot from '@observablehq/plot'
import type { TrendPoint } from '../data/workbench-source.ts'
import { moment, percent } from '../figures.ts'
import type { Draw } from './picture.tsx'
import { PLOT_STYLE, SHARE_SCALE, TIP_STYLE } from './plot-style.ts'
import { shortCommit } from '../trend-words.ts'

const HEIGHT = 170
/** The width of one date on the axis, in pixels. */
const DATE = 84

interface Drawn {
  readonly at: number
  readonly rate: number
  readonly low: number
  readonly high: number
  /** How often the suite was edited before this point. Points with the same number are connected by a line. */
  readonly edition: string
  readonly point: TrendPoint
}

export function drawnPoints(points: readonly TrendPoint[]): Drawn[] {
  let edition = 0
  return points.flatMap((point, at) => {
    const before = points[at - 1]
    if (before !== undefined && before.figure.suiteHash !== point.figure.suiteHash) edition++
    const { rate, low, high } = point.figure
    return rate === null
      ? []
      : [{ at, rate, low: low ?? rate, high: high ?? rate, edition: String(edition), point }]
  })
}

/** Returns the text of a tick: the date of a run, or its time if the previous tick has the same date. */
export function tickText(points: readonly TrendPoint[], at: number, every: number): string {
  const [iso, before] = [at, at - every].map((i) => points[i]?.run.createdAt ?? '')
  const date = iso?.slice(0, 10) ?? ''
  return date !== '' && date === before?.slice(0, 10) ? (iso?.slice(11, 16) ?? '') : date
}

export const drawTrend =
  (points: readonly TrendPoint[]): Draw =>
  (width) => {
    const drawn = drawnPoints(points)
    const every = Math.max(1, Math.ceil((points.length * DATE) / Math.max(1, width - 60)))
    const last = points.length - 1
    const ticks = points.map((_, i) => i).filter((i) => (last - i) % every === 0)
    const marked = (verdict: string): Drawn[] =>
      drawn.filter(({ point }) => point.change?.verdict === verdict)
    return Plot.plot({
      ...PLOT_STYLE,
      width,
      height: HEIGHT,
      marginLeft: 44,
      marginRight: 44,
      marginTop: 16,
      marginBottom: 28,
      x: {
        domain: [-0.5, Math.max(0.5, last + 0.5)],
        ticks,
        label: null,
        tickFormat: (at: number) => tickText(points, at, every),
      },
      y: { ...SHARE_SCALE, grid: true },
      marks: [
        Plot.line(drawn, {
          x: 'at',
          y: 'rate',
          z: 'edition',
          stroke: 'var(--subject-1)',
          strokeOpacity: 0.45,
        }),
        Plot.ruleX(drawn, {
          x: 'at',
          y1: 'low',
          y2: 'high',
          stroke: 'var(--subject-1)',
          strokeWidth: 3,
          strokeOpacity: 0.35,
        }),
        Plot.dot(drawn, {
          x: 'at',
          y: 'rate',
          r: 4,
          stroke: 'var(--subject-1)',
          fill: ({ point }: Drawn) =>
            point.run.state === 'complete' ? 'var(--subject-1)' : 'var(--raised)',
        }),
        Plot.dot(marked('regression'), {
          ...{ x: 'at', y: 'low', dy: 10, r: 5, symbol: 'triangle', rotate: 180 },
          fill: 'var(--failed)',
        }),
        Plot.dot(marked('improvement'), {
          ...{ x: 'at', y: 'high', dy: -10, r: 5, symbol: 'triangle' },
          fill: 'var(--subject-3)',
        }),
        Plot.tip(
          drawn,
          Plot.pointerX({
            ...TIP_STYLE,
            x: 'at',
            y: 'rate',
            title: ({ rate, low, high, point }: Drawn) =>
              [
                point.run.createdAt === null ? '' : moment(point.run.createdAt),
                `${percent(rate)}, from ${percent(low)} to ${percent(high)}`,
                ...(point.run.commit === null ? [] : [`commit ${shortCommit(point.run.commit)}`]),
              ].join('\n'),
          }),
        ),
      ],
    })
  }
