/** A request to answer one trial, with defaults for everything that a test does not set. */
import type { Ask, Case } from '@assay/contract'
import { fakeCase } from './fakes.ts'

export function testCase(change: Partial<Case> = {}): Case {
  return fakeCase('case', { turns: ['What is 2 + 2?'], ...change })
}

export function testAsk(change: Partial<Ask> = {}): Ask {
  const asked = change.case ?? testCase()
  return {
    suite: 'suite',
    case: asked,
    index: 0,
    messages: asked.turns.map((content) => ({ role: 'user', content })),
    maxTokens: asked.maxTokens,
    timeoutMs: 10_000,
    random: () => 0.5,
    signal: new AbortController().signal,
    ...change,
  }
}
