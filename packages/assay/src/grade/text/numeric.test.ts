import { afterAll, describe, expect, it } from 'vitest'
import { judged, refusal } from '../../../test/grade-answer.ts'
import { closeGraders, GraderTimeout } from '../index.ts'

afterAll(closeGraders)

const passes = async (options: object, answer: string): Promise<boolean | null> =>
  (await judged('numeric', options, answer)).passed

describe('numeric', () => {
  it.each([
    ['42', 42],
    ['The answer is 42.', 42],
    ['6 times 7 is 42', 42],
    ['$1,234.50', 1234.5],
    ['about −3 degrees', -3],
    ['it is -3', -3],
    ['10-3', 3],
    ['GPT-4', 4],
    ['6.02e23', 6.02e23],
    ['.5', 0.5],
    ['42km', 42],
    ['42%', 42],
    ['1, 2, 3', 3],
    ['The answer is ...42', 42],
    ['1,234,567 people', 1234567],
    ['**42**', 42],
    ['x=1e-3.', 0.001],
  ])('reads %j as %d', async (answer, value) => {
    expect(await passes({ value }, answer)).toBe(true)
    expect(await passes({ value: value + 1e-6 + Math.abs(value) / 1e6 }, answer)).toBe(false)
  })

  it.each([
    ['0x10', 0, '0x10'],
    ['It is 0xFF.', 0, '0xFF.'],
    ['1_000', 1, '1_000'],
    ['1.234,50 EUR', 50, '1.234,50'],
    ["1'000", 0, "1'000"],
    ['12\u00a0345', 345, '12\u00a0345'],
    ['3,14', 14, '3,14'],
    ['version 3.14.15', 3.14, '3.14.15'],
    ['10^6', 6, '10^6'],
    ['10^{6}', 6, '10^{6}'],
    ['10^-6', -6, '10^-6'],
    ['2**10', 10, '2**10'],
    ['10⁶', 10, '10⁶'],
  ])('refuses %j, of which %d is only a part', async (answer, value, shown) => {
    for (const find of ['last', 'first'])
      expect(await judged('numeric', { value, find, tolerance: 1e9 }, answer)).toMatchObject({
        passed: false,
        final: true,
      })
    const { reason } = await judged('numeric', { value }, answer)
    const found = JSON.stringify(shown)
    expect(reason).toBe(`found ${found} as the last number, which is not read as a number`)
  })

  it('refuses the first number of a power of ten', async () => {
    expect(await passes({ value: 6.02, find: 'first' }, '6.02 × 10^23')).toBe(false)
    expect(await passes({ value: 6.02, find: 'first' }, '6.02 × 10 apples')).toBe(true)
  })

  it('says what it found and where', async () => {
    expect(await judged('numeric', { value: 7 }, 'first 5, then 6')).toMatchObject({
      score: 0,
      passed: false,
      reason: 'found "6" as the last number, expected 7',
    })
    const { reason } = await judged('numeric', { value: 5.1, relative: 0.1, find: 'first' }, '5, 6')
    expect(reason).toBe('found "5" as the first number, which is 5.1 within 0.51')
    expect(await judged('numeric', { value: 7 }, 'seven')).toMatchObject({
      reason: 'found no number as the last number, expected 7',
    })
  })

  it('takes the whole answer only where it is nothing but a number', async () => {
    expect(await passes({ value: 42, find: 'whole' }, ' 42\n')).toBe(true)
    expect(await passes({ value: 42, find: 'whole' }, '42 apples')).toBe(false)
    expect(await passes({ value: 42, find: 'whole' }, '42 42')).toBe(false)
  })

  it('looks where a pattern says', async () => {
    const answer = 'Total: 12 EUR\nof 2 items'
    expect(await passes({ value: 12, pattern: 'Total: .*' }, answer)).toBe(true)
    expect(await passes({ value: 12, pattern: 'total: .*' }, answer)).toBe(false)
    expect(await passes({ value: 12, pattern: 'total: .*', flags: 'i' }, answer)).toBe(true)
  })

  it('allows the greater of both tolerances, at its very end too', async () => {
    expect(await passes({ value: 1, tolerance: 0.1 }, '1.1')).toBe(true)
    expect(await passes({ value: 1, tolerance: 0.1 }, '1.1001')).toBe(false)
    expect(await passes({ value: -200, tolerance: 1, relative: 0.01 }, '-202')).toBe(true)
    expect(await passes({ value: 0, relative: 0.5 }, '0.001')).toBe(false)
  })

  it('does not take digits without end for a number', async () => {
    const { passed, reason = '' } = await judged('numeric', { value: 1 }, '9'.repeat(1_000_000))
    expect(passed).toBe(false)
    expect(reason).toContain('too large to compare')
    expect(await passes({ value: 1, tolerance: 1e300 }, '1e999')).toBe(false)
  })

  it('ends a catastrophic pattern at the deadline', async () => {
    const options = { value: 1, pattern: '(a+)+b' }
    const work = judged('numeric', options, 'a'.repeat(40), {}, { timeoutMs: 50 })
    await expect(work).rejects.toThrow(GraderTimeout)
  })

  it('refuses options that contradict each other', () => {
    expect(refusal('numeric', { value: 1, find: 'last', pattern: 'x' })).toBe(
      'find: either find or pattern',
    )
    expect(refusal('numeric', { value: 1, pattern: '(' })).toContain('a regular expression')
  })
})
