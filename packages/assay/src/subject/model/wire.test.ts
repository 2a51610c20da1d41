/** Tests usage as the providers' documentation shows it, and replies that no provider should send. */
import { describe, expect, it } from 'vitest'
import { addUsage, APIS, hasAnswer, isFiltered, readError, readUsage } from './wire.ts'

const none = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 }

describe('readUsage', () => {
  it('takes cached input out of OpenAI’s prompt_tokens', () => {
    const usage = {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 120,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    }
    const read = { input: 86, cacheRead: 1920, cacheWrite: 0, output: 300, reasoning: 120 }
    expect(readUsage('chat', { usage })).toEqual(read)
  })

  it('takes cached input out of the responses API’s input_tokens', () => {
    const usage = {
      input_tokens: 328,
      input_tokens_details: { cached_tokens: 128, cache_write_tokens: 100 },
      output_tokens: 52,
      output_tokens_details: { reasoning_tokens: 12 },
      total_tokens: 380,
    }
    const read = { input: 100, cacheRead: 128, cacheWrite: 100, output: 52, reasoning: 12 }
    expect(readUsage('responses', { usage })).toEqual(read)
  })

  it('leaves Anthropic’s input_tokens alone, which cached input is not part of', () => {
    const usage = {
      input_tokens: 21,
      cache_creation_input_tokens: 188086,
      cache_read_input_tokens: 5000,
      output_tokens: 393,
      service_tier: 'standard',
    }
    const read = { input: 21, cacheRead: 5000, cacheWrite: 188086, output: 393, reasoning: 0 }
    expect(readUsage('anthropic', { usage })).toEqual(read)
  })

  it('takes cached input out of Google’s prompt, and adds its thoughts to the output', () => {
    const usageMetadata = {
      promptTokenCount: 1013,
      cachedContentTokenCount: 913,
      candidatesTokenCount: 40,
      thoughtsTokenCount: 160,
      totalTokenCount: 1213,
    }
    const read = { input: 100, cacheRead: 913, cacheWrite: 0, output: 200, reasoning: 160 }
    expect(readUsage('google', { usageMetadata })).toEqual(read)
  })

  it('believes Google’s missing count to be 0 only where the total agrees', () => {
    const prompt = { promptTokenCount: 10, thoughtsTokenCount: 90 }
    const read = { ...none, input: 10, output: 90, reasoning: 90 }
    expect(readUsage('google', { usageMetadata: { ...prompt, totalTokenCount: 100 } })).toEqual(
      read,
    )
    expect(readUsage('google', { usageMetadata: { ...prompt, totalTokenCount: 150 } })).toBeNull()
    expect(readUsage('google', { usageMetadata: prompt })).toBeNull()
  })

  it('adds reasoning that a compatible provider counts beside the completion', () => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 10,
      total_tokens: 122,
      completion_tokens_details: { reasoning_tokens: 100 },
    }
    expect(readUsage('chat', { usage })).toEqual({
      ...none,
      input: 12,
      output: 110,
      reasoning: 100,
    })
    expect(readUsage('chat', { usage: { ...usage, total_tokens: 22 } })).toBeNull()
  })

  it('reads details that are null as nothing', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 4, prompt_tokens_details: null }
    expect(readUsage('chat', { usage })).toEqual({ ...none, input: 3, output: 4 })
  })

  it('is null where the cached part is larger than the whole, or a detail is absurd', () => {
    const chat = { prompt_tokens: 3, completion_tokens: 4 }
    for (const cached_tokens of [4, -1, 0.5, '1', Number.POSITIVE_INFINITY, {}]) {
      expect(
        readUsage('chat', { usage: { ...chat, prompt_tokens_details: { cached_tokens } } }),
      ).toBeNull()
    }
  })

  it.each(APIS)('is null for whatever is no usage (%s)', (api) => {
    for (const usage of [
      undefined,
      null,
      5,
      'x',
      [],
      {},
      { input_tokens: 5 },
      { prompt_tokens: 5 },
    ]) {
      expect(readUsage(api, { usage, usageMetadata: usage })).toBeNull()
    }
    for (const reply of [undefined, null, 5, 'x', []]) expect(readUsage(api, reply)).toBeNull()
  })
})

describe('addUsage', () => {
  it('adds class by class, and knows nothing where either knows nothing', () => {
    const a = { input: 1, cacheRead: 2, cacheWrite: 3, output: 4, reasoning: 5 }
    expect(addUsage(a, a)).toEqual({
      input: 2,
      cacheRead: 4,
      cacheWrite: 6,
      output: 8,
      reasoning: 10,
    })
    expect(addUsage(a, null)).toBeNull()
    expect(addUsage(null, a)).toBeNull()
  })
})

describe('readError', () => {
  it.each([
    [{ error: { message: 'no', code: 'bad' } }, { message: 'no', code: 'bad' }],
    [
      { error: { message: 'no', code: null, type: 'server_error' } },
      { message: 'no', code: 'server_error' },
    ],
    [
      { type: 'error', error: { type: 'overloaded_error', message: 'no' } },
      { message: 'no', code: 'overloaded_error' },
    ],
    [
      [{ error: { code: 429, message: 'no', status: 'RESOURCE_EXHAUSTED' } }],
      { message: 'no', code: '429' },
    ],
    [{ error: 'no' }, { message: 'no', code: '' }],
    [{ error: { oops: 1 } }, { message: '{"oops":1}', code: '' }],
    // OpenRouter reports an error of the model's actual provider inside the choice.
    [
      { choices: [{ error: { code: 502, message: 'no' }, finish_reason: 'error' }] },
      { message: 'no', code: '502' },
    ],
    [
      { choices: [{ message: {}, finish_reason: 'error' }] },
      { message: 'no message', code: 'error' },
    ],
    // The error format of vLLM.
    [
      { object: 'error', message: 'no', type: 'BadRequestError' },
      { message: 'no', code: '' },
    ],
  ])('finds the error in %j', (json, error) => {
    expect(readError(json)).toEqual(error)
  })

  it('finds none in an answer', () => {
    for (const json of [
      { error: null, output: [] },
      { choices: [{ message: {} }] },
      {},
      null,
      'x',
      [],
    ]) {
      expect(readError(json)).toBeNull()
    }
  })
})

describe('isFiltered', () => {
  it('knows the filters that answer with an error', () => {
    expect(isFiltered({ error: { code: 'content_filter', message: 'no' } })).toBe(true)
    expect(
      isFiltered({ error: { code: 'x', innererror: { code: 'ResponsibleAIPolicyViolation' } } }),
    ).toBe(true)
    expect(isFiltered({ error: { message: 'Output blocked by content filtering policy' } })).toBe(
      true,
    )
    expect(isFiltered({ error: { code: 'invalid_prompt', message: 'filter' } })).toBe(false)
    expect(isFiltered({ choices: [] })).toBe(false)
  })
})

describe('hasAnswer', () => {
  it('wants a candidate or a reason for none from Google', () => {
    expect(hasAnswer('google', { candidates: [{}] })).toBe(true)
    expect(hasAnswer('google', { promptFeedback: { blockReason: 'SAFETY' } })).toBe(true)
    expect(hasAnswer('google', { candidates: [] })).toBe(false)
    expect(hasAnswer('google', {})).toBe(false)
  })
})
