import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeCase, fakeSubject, fakeSuite, saying } from '../../../../test/fakes.ts'
import { disclosuresOf, readRun } from '../../../report/index.ts'
import { run } from '../../../run/index.ts'
import { leftOut, pickCases, withPicked } from './pick-cases.ts'
import type { RunFlags } from '../run-flags.ts'

const root = mkdtempSync(join(tmpdir(), 'assay-picked-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const earlier = join(root, 'earlier')
const suite = fakeSuite(12)

/** Case c0 always fails, c1 is flaky, the others pass. */
beforeAll(async () => {
  const answer = fakeSubject(({ case: one, index }) =>
    saying(one.id === 'c0' || (one.id === 'c1' && index === 0) ? 'wrong' : 'right'),
  )
  await run({ suites: [fakeSuite(11)], subjects: [answer], folder: earlier, trials: 2 })
})

const picked = async (flags: Partial<RunFlags>, seed = 1, suites = [suite]) => {
  const found = await pickCases(suites, { suites: [], ...flags }, seed, () => earlier)
  return found.cases.flatMap(({ ids }) => ids)
}

describe('a part of the cases', () => {
  it('is what failed, was flaky or changed in an earlier run', async () => {
    expect(await picked({ only: 'failed' })).toEqual(['c0', 'c1'])
    expect(await picked({ only: 'flaky' })).toEqual(['c1'])
    expect(await picked({ only: 'changed' })).toEqual(['c11'])
    const edited = fakeSuite(
      suite.cases.map((one) => (one.id === 'c3' ? { ...one, hash: 'x' } : one)),
    )
    expect(await picked({ only: 'changed' }, 1, [edited])).toEqual(['c3', 'c11'])
    await expect(picked({ only: 'errored' })).rejects.toThrow('leaves no case')
  })

  it('is a sample by the seed, whatever the order of cases', async () => {
    const [first, again, other] = [
      await picked({ sample: 5 }, 1),
      await picked({ sample: 5 }, 1, [fakeSuite(suite.cases.toReversed())]),
      await picked({ sample: 5 }, 2),
    ]
    expect(first).toHaveLength(5)
    expect(again.toSorted()).toEqual(first.toSorted())
    expect(other).not.toEqual(first)
    expect(await picked({ sample: 100 })).toHaveLength(12)
    expect(await picked({ limit: 3 })).toEqual(['c0', 'c1', 'c2'])
    expect(await picked({ sample: 5, limit: 2 })).toEqual(first.slice(0, 2))
  })

  it('says in the record and at the top of every report that it is a part', async () => {
    const chosen = await pickCases([suite], { suites: [], limit: 3 }, 1, () => earlier)
    const suites = withPicked([suite], chosen)
    const part = leftOut([suite], suites, chosen.words)
    expect(part).toEqual({ words: '--limit 3', suites: [{ suite: 'suite', cases: 3, of: 12 }] })
    expect(leftOut([suite], [suite], '')).toBeNull()
    const folder = join(root, 'part')
    await run({
      suites,
      subjects: [fakeSubject(() => saying('right'))],
      folder,
      ...(part === null ? {} : { leftOut: part }),
    })
    const { report, record } = await readRun(folder)
    expect(record.revisions[0]?.leftOut).toEqual(part)
    expect(disclosuresOf(report)).toEqual(['PART OF THE SUITE: 3 of 12 cases of suite (--limit 3)'])
  })

  it('cannot have cases that no longer exist', async () => {
    const chosen = await pickCases([suite], { suites: [], limit: 3 }, 1, () => earlier)
    expect(() => withPicked([fakeSuite([fakeCase('new')])], chosen)).toThrow(
      'there is no case "c0"',
    )
  })
})
