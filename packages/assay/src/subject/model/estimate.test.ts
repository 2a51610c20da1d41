import { describe, expect, it } from 'vitest'
import { testCase } from '../../../test/ask.ts'
import { estimateUsage, OUTPUT_GUESS, REASONING_GUESS } from './estimate.ts'

function output(
  effort: 'none' | 'high',
  api: 'chat' | 'anthropic',
  maxTokens: number | null,
): number {
  return estimateUsage(testCase({ maxTokens }), { effort }, api).output
}

describe('estimateUsage', () => {
  it('is above what a tokenizer would count, in any script', () => {
    const text = 'def add(a, b):\n    return a + b\n'.repeat(20)
    const { input } = estimateUsage(testCase({ turns: [text] }), {}, 'chat')
    expect(input).toBeGreaterThan(text.length / 3)
    const han = '你好'.repeat(100)
    expect(estimateUsage(testCase({ turns: [han] }), {}, 'chat').input).toBeGreaterThan(200)
  })

  it('takes the subject’s limit, else the case’s, else a guess', () => {
    const limited = testCase({ maxTokens: 100 })
    expect(estimateUsage(limited, {}, 'chat').output).toBe(100)
    expect(estimateUsage(limited, { maxTokens: 7 }, 'chat').output).toBe(7)
    expect(estimateUsage(testCase(), {}, 'chat').output).toBe(OUTPUT_GUESS)
  })

  it('leaves room for reasoning where the limit does not hold it', () => {
    expect(output('high', 'chat', null)).toBe(OUTPUT_GUESS + REASONING_GUESS)
    expect(output('high', 'chat', 50)).toBe(50)
    expect(output('high', 'anthropic', 50)).toBe(50 + REASONING_GUESS)
    expect(output('none', 'anthropic', 50)).toBe(50)
  })

  it('counts every turn as a request with all that came before', () => {
    const one = estimateUsage(testCase({ turns: ['abcd'], maxTokens: 10 }), {}, 'chat')
    const three = estimateUsage(
      testCase({ turns: ['abcd', 'abcd', 'abcd'], maxTokens: 10 }),
      {},
      'chat',
    )
    expect(three.output).toBe(30)
    expect(three.input).toBeGreaterThan(3 * one.input + 30)
    const system = estimateUsage(testCase({ turns: ['abcd'] }), { system: 'x'.repeat(100) }, 'chat')
    expect(system.input).toBeGreaterThanOrEqual(one.input + 50)
  })
})
