import { expect, it } from 'vitest'
import type { ReviewedLabel } from '../data/workbench-source.ts'
import { isDone, nextOpen } from './queue.ts'

const item = (index: number) => ({
  ...{ suite: 's', case: 'c', subject: 'm', position: index, index },
})

const given = (index: number, change: Partial<ReviewedLabel['label']> = {}): ReviewedLabel => ({
  label: {
    ...{ suite: 's', case: 'c', subject: 'm', index, answer: 'h', reviewer: 'ann' },
    ...{ verdict: 'pass', note: '', blind: false, picked: 'random', at: '' },
    ...change,
  },
  ...{ position: index, isCurrent: true, verdicts: [] },
})

it('shows a trial at random also if its person has labelled it on purpose', () => {
  const queue = [item(0), item(1), item(2)]
  const labels = [given(0), given(1, { picked: 'chosen' }), given(2, { reviewer: 'bob' })]
  expect(queue.map((one) => isDone(one, labels, 'ann'))).toEqual([true, false, false])
  expect(nextOpen(queue, labels, 'ann', 0)).toBe(1)
  expect(nextOpen(queue, [...labels, given(1)], 'ann', 0)).toBe(2)
  expect(nextOpen(queue, [...labels, given(1), given(2)], 'ann', 0)).toBe(3)
})
