import { afterAll, describe, expect, it } from 'vitest'
import { judged, refusal } from '../../../test/grade-answer.ts'
import { closeGraders, GraderTimeout } from '../index.ts'

afterAll(closeGraders)

describe('similarity', () => {
  it('scores how alike the texts are and passes from the threshold on', async () => {
    const value = 'kitten'
    expect(await judged('similarity', { value, threshold: 0.5 }, ' sitting\n')).toMatchObject({
      passed: true,
      score: 1 - 3 / 7,
      reason: '0.571 alike by edit, at least 0.5: "kitten"',
    })
    expect(await judged('similarity', { value }, 'sitting')).toMatchObject({
      passed: false,
      score: 1 - 3 / 7,
    })
  })

  it('passes at its threshold, whatever binary makes of decimals', async () => {
    const options = { value: 'a'.repeat(10), threshold: 0.7 }
    expect((await judged('similarity', options, 'aaaaaaabbb')).passed).toBe(true)
  })

  it('takes the nearest of several texts', async () => {
    const options = { any: ['red apples', 'green pears'], by: 'f1', ignoreCase: true }
    const { score, reason } = await judged('similarity', options, 'Pears, GREEN')
    expect(score).toBe(1)
    expect(reason).toContain('"green pears"')
  })

  it('never rounds up to a 1', async () => {
    const value = 'a'.repeat(10_000)
    const { reason } = await judged('similarity', { value }, `${value}b`)
    expect(reason).toMatch(/^0\.9999 alike/)
  })

  it('shows a likeness rounded, but never up to a threshold that it misses', async () => {
    const shown = async (threshold: number) =>
      (await judged('similarity', { value: 'abc', threshold }, 'abd')).reason
    expect(await shown(0.5)).toMatch(/^0\.667 alike by edit, at least 0\.5:/)
    expect(await shown(0.667)).toMatch(/^0\.6667 alike by edit, below 0\.667:/)
  })

  it('compares texts of equal length at once where they are nearly the same', async () => {
    const value = 'word '.repeat(3600)
    const { score } = await judged('similarity', { value }, value.replace('word', 'Word'))
    expect(score).toBeCloseTo(1 - 1 / 17_999, 12)
  })

  it('says how long an answer may be for edits, and compares the words of a longer one', async () => {
    const answer = 'different words '.repeat(100_000)
    expect(await judged('similarity', { value: 'words' }, answer)).toMatchObject({
      passed: false,
      score: 0,
      final: true,
      reason: 'is 1599999 characters long, and edits are compared up to 20000',
    })
    const { score } = await judged('similarity', { value: 'words', by: 'jaccard' }, answer)
    expect(score).toBe(0.5)
  })

  it('ends at its deadline', async () => {
    const options = { value: 'ab'.repeat(10_000) }
    const work = judged('similarity', options, 'xy'.repeat(10_000), {}, { timeoutMs: 50 })
    // The texts have no character in common, so the whole table of the edit distance must be computed.
    await expect(work).rejects.toThrow(GraderTimeout)
  })

  it('needs something to compare with', () => {
    expect(refusal('similarity', {})).toBe(': value or any')
    expect(refusal('similarity', { value: 'x', threshold: 2 })).toContain('threshold')
  })
})
