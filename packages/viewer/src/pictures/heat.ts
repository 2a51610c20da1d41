/**
 * Draws a heat map of cases and tiers: how often each case passes on each tier. The cases that differ most between
 * tiers come first.
 */
import * as Plot from '@observablehq/plot'
import type { ViewCell } from '../data/source.ts'
import { percent } from '../figures.ts'
import { MOST_CASES, rateOf, type HeatRow } from './heat-rows.ts'
import type { Draw } from './picture.tsx'
import { labelOf, PLOT_STYLE, TIP_STYLE } from './plot-style.ts'
import { distinctLabels } from './distinct-labels.ts'
import { tierLabel, type ShownTiers } from './tiers.ts'

const ROW = 24
const CHARACTER = 7.2

export const drawHeat =
  (tiers: ShownTiers, rows: readonly HeatRow[]): Draw =>
  (width) => {
    const { group } = tiers
    const shown = rows.slice(0, MOST_CASES)
    const cells = shown.flatMap((row) => row.cells)
    const longest = shown.reduce((most, { name }) => Math.max(most, name.length), 0)
    const marginLeft = Math.round(Math.min(220, width * 0.34, longest * CHARACTER + 16))
    const column = (width - marginLeft) / Math.max(1, group.order.length)
    const labels = distinctLabels(
      shown.map(({ name }) => name),
      Math.floor((marginLeft - 12) / CHARACTER),
    )
    return Plot.plot({
      ...PLOT_STYLE,
      width,
      height: shown.length * ROW + 34,
      marginLeft,
      marginRight: 4,
      marginTop: 26,
      marginBottom: 6,
      x: {
        domain: group.order,
        axis: 'top',
        label: null,
        tickSize: 0,
        tickFormat: tierLabel(tiers, Math.floor((column - 6) / CHARACTER)),
      },
      y: {
        domain: shown.map(({ name }) => name),
        label: null,
        tickSize: 0,
        tickFormat: (_: string, i: number) => labels[i] ?? '',
      },
      marks: [
        Plot.cell(cells, {
          x: 'subject',
          y: 'case',
          inset: 1,
          rx: 2,
          fill: (cell: ViewCell) =>
            `color-mix(in oklab, var(--subject-3) ${Math.round(4 + rateOf(cell) * 96)}%, var(--raised))`,
          stroke: 'var(--line)',
        }),
        ...(column < 44
          ? []
          : [
              Plot.text(cells, {
                x: 'subject',
                y: 'case',
                text: ({ n, c }: ViewCell) => `${c}/${n}`,
                fill: (cell: ViewCell) => (rateOf(cell) > 0.65 ? 'var(--paper)' : 'var(--ink)'),
                fontWeight: 600,
              }),
            ]),
        Plot.tip(
          cells,
          Plot.pointer({
            ...TIP_STYLE,
            x: 'subject',
            y: 'case',
            title: (cell: ViewCell) =>
              `${labelOf(cell.case, 60)}\n${labelOf(cell.subject, 60)}\n${cell.c} of ${cell.n} passed, ${percent(rateOf(cell))}`,
          }),
        ),
      ],
    })
  }
