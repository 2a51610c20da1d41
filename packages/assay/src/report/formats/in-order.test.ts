import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fakeSource, fakeTrials } from '../../../test/fake-source.ts'
import type { Trial } from '@assay/contract'
import { inOrder } from './in-order.ts'

const trials = fakeTrials({ subjects: ['a', 'b'], cases: ['x', 'y', 'z'], trials: 3 })
const { report } = fakeSource(trials)
/** The trials in the order of the report: the better subject first. */
const ordered = report.subjects.flatMap(({ subject }) =>
  trials.filter((trial) => trial.subject === subject),
)
const lineOf = ({ subject, case: one, index }: Trial): string => `${subject} ${one} ${index}`

async function lines(recorded: readonly Trial[], room?: number) {
  let times = 0
  const seen: string[] = []
  const source = {
    report,
    trials: async (each: (trial: Trial) => void) => {
      times++
      recorded.forEach(each)
    },
  }
  await inOrder(source, lineOf, (line) => seen.push(line), room)
  return { seen, times }
}

describe('lines of trials', () => {
  it('come in the order of the report, however recorded and however little room there is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(trials, { minLength: trials.length }),
        fc.integer({ min: 1, max: 100 }),
        async (recorded, room) => {
          const { seen, times } = await lines(recorded, room)
          expect(seen).toEqual(ordered.map(lineOf))
          // Each line has five characters, so this many lines fit into one pass.
          expect(times).toBeLessThanOrEqual(
            Math.ceil(trials.length / Math.max(1, Math.floor(room / 5))),
          )
        },
      ),
      { numRuns: 100 },
    )
  })

  it('take one time through where there is room', async () => {
    expect(await lines(trials.toReversed())).toEqual({ seen: ordered.map(lineOf), times: 1 })
  })

  it('leave out what was not recorded, and what the plan does not have', async () => {
    const [first, , third] = trials as [Trial, Trial, Trial]
    const strange = [
      third,
      { ...first, index: 9 },
      { ...first, index: -1 },
      { ...first, case: 'q' },
    ]
    expect((await lines(strange)).seen).toEqual([lineOf(third)])
    expect((await lines(strange, 1)).seen).toEqual([lineOf(third)])
    expect((await lines([])).seen).toEqual([])
  })
})
