import { describe, expect, it } from 'vitest'
import { judged, refusal } from '../../../test/grade-answer.ts'

const labels = ['spam', 'not spam', 'C++']
const predicted = async (answer: string, more: object = {}): Promise<unknown> => {
  const { facts } = await judged('label', { expected: 'spam', labels, ...more }, answer)
  return (facts as { predicted: unknown }).predicted
}

describe('label', () => {
  it.each([
    ['spam', 'spam'],
    [' **Spam**.\n', 'spam'],
    ['"not spam"', 'not spam'],
    ['C++', 'C++'],
    ['it is spam', null],
    ['', null],
    ['spam, not spam', null],
  ])('of the whole answer %j is %j', async (answer, label) => {
    expect(await predicted(answer)).toBe(label)
  })

  it.each([
    ['I think this is spam.', 'spam'],
    ['This is not spam.', 'not spam'],
    ['spam? No: not spam', null],
    ['spammer', null],
    ['It is C++, clearly', 'C++'],
    ['nothing', null],
  ])('that alone stands in %j is %j', async (answer, label) => {
    expect(await predicted(answer, { find: 'only' })).toBe(label)
  })

  it('tells cases apart if it must', async () => {
    expect(await predicted('SPAM')).toBe('spam')
    expect(await predicted('SPAM', { ignoreCase: false })).toBeNull()
    const both = { expected: 'A', labels: ['a', 'A'], ignoreCase: false }
    expect(await judged('label', both, 'a')).toMatchObject({
      passed: false,
      reason: 'expected "A", found "a"',
    })
  })

  it('passes exactly if the label is the expected one, and says what it found', async () => {
    expect(await judged('label', { expected: 'Spam', labels }, 'spam')).toMatchObject({
      passed: true,
      score: 1,
      facts: { expected: 'spam', predicted: 'spam' },
    })
    expect(
      await judged('label', { expected: 'spam', labels, find: 'only' }, 'spam or not spam'),
    ).toMatchObject({
      passed: false,
      reason: 'expected "spam", found both "not spam" and "spam"',
    })
  })

  it('refuses a label that is none, and labels that are the same', () => {
    expect(refusal('label', { expected: 'sp', labels })).toContain('expected: one of the labels')
    expect(refusal('label', { expected: 'a', labels: ['a', 'A '] })).toContain('labels: labels')
    expect(refusal('label', { expected: 'a', labels: ['a'] })).not.toBe('')
  })
})
