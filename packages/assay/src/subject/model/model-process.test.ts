/**
 * Tests the model server that the crash tests use. It runs as a separate process and always gives the same
 * answers.
 */
import { describe, expect, it } from 'vitest'
import { testAsk, testCase } from '../../../test/ask.ts'
import { startModelProcess, startModelServer } from '../../../test/model-server/index.ts'
import type { Answer } from '@assay/contract'
import { modelSubject } from './model.ts'
import { loadPrices } from './prices.ts'

async function askAll(
  origin: string,
  turns: readonly string[],
  index = 0,
): Promise<(Answer | string)[]> {
  const prices = await loadPrices()
  const parameters = { seed: 1 }
  const subject = modelSubject({
    model: 'vllm/x',
    prices,
    env: {},
    baseUrl: `${origin}/v1`,
    parameters,
  })
  try {
    return await Promise.all(
      turns.map((turn) =>
        subject
          .answer(testAsk({ index, case: testCase({ turns: [turn] }), timeoutMs: 150_000 }))
          .catch((error: unknown) => (error as { reason: string }).reason),
      ),
    )
  } finally {
    await subject.close()
  }
}

const TURNS = Array.from({ length: 60 }, (_, i) => `Question ${i}. Answer with: ${i}`)

describe('the model server in its own process', () => {
  it('answers from the prompt and the seed alone, and counts', async () => {
    const server = await startModelProcess({ wrongShare: 0.3, latencyMs: 5 })
    try {
      const first = await askAll(server.origin, TURNS)
      expect(await askAll(server.origin, TURNS)).toEqual(first)
      expect(await askAll(server.origin, TURNS, 1)).not.toEqual(first)
      const wrong = first.filter(
        (answer) => typeof answer !== 'string' && answer.text === 'wrong',
      ).length
      expect(wrong).toBeGreaterThan(5)
      expect(wrong).toBeLessThan(35)
      expect(await server.counts()).toMatchObject({ requests: 180, replied: 180, inFlight: 0 })
    } finally {
      await server.stop()
    }
  })
})

const MIX = { seed: 7, shares: { '429': 0.2, '500': 0.2, malformed: 0.1, empty: 0.1 } } as const

/** Returns the answer or error for each turn, by the turn's text. */
async function outcomes(turns: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const server = await startModelServer({ mix: MIX })
  try {
    const answers = await askAll(server.origin, turns)
    const faults = { '429': expect.any(Number), '500': expect.any(Number) }
    expect(server.counts.perFault).toMatchObject(faults)
    return new Map(turns.map((turn, i) => [turn, JSON.stringify(answers[i])]))
  } finally {
    await server.close()
  }
}

describe('a fault mix', () => {
  it('gives the same request the same fault, in whatever order it comes', async () => {
    const forward = await outcomes(TURNS)
    const backward = await outcomes(TURNS.toReversed())
    for (const turn of TURNS) expect(backward.get(turn)).toBe(forward.get(turn))
    expect(new Set(forward.values()).size).toBeGreaterThan(4)
  })
})
