/** The tables below the charts of tiers and of the grid: whole names, and every figure. */
import { expect, it } from 'vitest'
import type { ViewCell, ViewSubject } from '../data/source.ts'
import { distributionData } from './distribution.ts'
import { gridData } from './grid-drawing.ts'
import { heatData, heatRows } from './heat-rows.ts'
import { shownTiers, tierAxis, tierLabel, type TierGroup, type TierMetric } from './tiers.ts'
import { upliftData } from './uplift.ts'

const LONG = 'a model with a name × prompts/that-differs-in-the-middle.md'
const rows = ['base', LONG].map((subject) => ({ subject }) as ViewSubject)
const group = {
  order: ['base', LONG],
  baseline: 'base',
  distribution: {
    of: 'score',
    counts: [
      [3, 0],
      [1, 1200],
    ],
  },
} as unknown as TierGroup
const tiers = shownTiers(group, rows)

const cell = (one: string, subject: string, c: number, outcomes: string): ViewCell =>
  ({ case: one, subject, n: outcomes.length, c, outcomes }) as ViewCell

it('the data of an uplift has the difference and both intervals', () => {
  const side = (low: number, high: number) => ({ value: 0.123, n: 5, interval: { low, high } })
  const metric = {
    metric: 'passRate',
    differences: [null, { fixed: side(0.05, 0.2), population: side(-0.1, 0.3) }],
  } as unknown as TierMetric
  expect(upliftData(tiers, metric).rows).toEqual([
    [LONG, '+12.3', '+5.0 to +20.0', '−10.0 to +30.0'],
  ])
})

it('the data of a distribution counts the trials of each part of the range', () => {
  const data = distributionData(tiers)
  expect(data.titles).toEqual(['tier', '0.00–0.50', '0.50–1.00'])
  expect(data.rows).toEqual([
    ['base', '3', '0'],
    [LONG, '1', '1,200'],
  ])
})

it('the data of cases by tier has a column for each tier, and more rows than the chart', () => {
  const cells = Array.from({ length: 1001 }, (_, i) => cell(`case ${i}`, LONG, 1, 'pf'))
  const data = heatData(tiers, heatRows(tiers, cells))
  expect(data.titles).toEqual(['case', 'base', LONG])
  expect(data.rows[0]).toEqual(['case 0', '–', '1/2'])
  expect([data.rows.length, data.leftOut]).toEqual([1000, 1])
})

it('a tier whose name has no room is a letter, never a part of its name', () => {
  expect(['base', LONG].map(tierLabel(tiers, 200))).toEqual(['base', LONG])
  expect(['base', LONG].map(tierLabel(tiers, 10))).toEqual(['base', 'B'])
  expect(['base', LONG].map(tierAxis(tiers, 2000).tickFormat)).toEqual(['A', 'B'])
})

it('the data of the grid has whole names and every outcome', () => {
  const shown = tiers.subjects.map((one, i) => ({ ...one, row: rows[i] as ViewSubject }))
  const page = [{ case: 'x', cells: [cell('x', 'base', 1, 'pfe'), undefined] }]
  expect(gridData(shown, page, new Map())).toEqual({
    titles: ['case', 'base', LONG],
    rows: [['x', '1/3 pfe', '–']],
  })
})
