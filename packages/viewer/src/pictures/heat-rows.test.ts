import { expect, it } from 'vitest'
import type { ViewCell } from '../data/source.ts'
import { heatNote, heatRows } from './heat-rows.ts'
import type { ShownTiers } from './tiers.ts'

const cell = (name: string, subject: string, c: number, n = 10): ViewCell =>
  ({ case: name, subject, n, c }) as ViewCell

const tiers = { group: { order: ['T0', 'T1'] } } as unknown as ShownTiers

it('cases that differ most between tiers come first; what is not a tier does not count', () => {
  const rows = heatRows(tiers, [
    cell('same', 'T0', 5),
    cell('same', 'T1', 5),
    cell('other', 'T0', 0),
    cell('other', 'T1', 10),
    cell('same', 'elsewhere', 10),
    cell('none', 'T0', 0, 0),
  ])
  expect(rows.map(({ name, spread }) => [name, spread])).toEqual([
    ['other', 1],
    ['same', 0],
  ])
})

it('says how many cases there is no room for', () => {
  const rows = heatRows(
    tiers,
    Array.from({ length: 45 }, (_, i) => cell(`c${i}`, 'T0', 1)),
  )
  expect(heatNote(rows)).toContain('5 more are not in the picture')
})
