/**
 * The four APIs as they are on the wire, where the AI SDK's reading of them does not serve:
 *
 * - Usage. The SDK turns a missing count into 0, and refuses an answer whose counts are strings. Here the
 *   counts are read from the reply itself, all or none: what is missing, negative, fractional or
 *   contradictory is null, and the SDK gets a reply without them.
 * - Errors inside a 200. Google's would pass as an empty answer, OpenAI's as a 400.
 */
import type { Usage } from '@assay/contract'
import { child, isRecord, type JsonRecord } from '../json.ts'

/** chat: OpenAI chat completions and what is compatible; responses: OpenAI; the others by their maker. */
export const APIS = ['chat', 'responses', 'anthropic', 'google'] as const

export type Api = (typeof APIS)[number]

/** The usage a reply reports, in our classes; null where it does not, or not credibly. */
export function readUsage(api: Api, json: unknown): Usage | null {
  const reported = child(json, api === 'google' ? 'usageMetadata' : 'usage')
  if (!isRecord(reported)) return null
  const usage = READERS[api](reported)
  return usage !== null && Object.values(usage).every(isCredible) ? usage : null
}

/** Whether a reply says anything of its usage. */
export function reportsUsage(api: Api, json: unknown): boolean {
  const reported = child(json, api === 'google' ? 'usageMetadata' : 'usage')
  return isRecord(reported) && Object.keys(reported).length > 0
}

/** The two as one; unknown where either is. */
export function addUsage(a: Usage | null, b: Usage | null): Usage | null {
  if (a === null || b === null) return null
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
  }
}

/** The reply for the SDK: its usage replaced by one that it accepts and nobody reads. */
export function withoutUsage(api: Api, json: JsonRecord): JsonRecord {
  if (api === 'anthropic') return { ...json, usage: { input_tokens: 0, output_tokens: 0 } }
  const { usage: _, usageMetadata: __, ...rest } = json
  return rest
}

/** An error that came with a status of success. */
export interface ErrorBody {
  readonly message: string
  /** The provider's own code, which may be an HTTP status. */
  readonly code: string
}

/** The error that a reply holds; null where it holds none. */
export function readError(json: unknown): ErrorBody | null {
  // Google answers some errors as a list of one.
  const body: unknown = Array.isArray(json) ? json[0] : json
  const choices = child(body, 'choices')
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  const error = child(body, 'error') ?? child(choice, 'error')
  if (typeof error === 'string' && error !== '') return { message: error, code: '' }
  if (isRecord(error)) {
    const message = child(error, 'message')
    const code = child(error, 'code') ?? child(error, 'type')
    return {
      message: typeof message === 'string' ? message : JSON.stringify(error),
      code: typeof code === 'string' || typeof code === 'number' ? String(code) : '',
    }
  }
  if (child(choice, 'finish_reason') === 'error') return { message: 'no message', code: 'error' }
  const message = child(body, 'message') ?? child(body, 'detail')
  if (child(body, 'type') === 'error' || child(body, 'object') === 'error') {
    return { message: typeof message === 'string' ? message : JSON.stringify(body), code: '' }
  }
  return null
}

/** Whether there is anything in the reply that could be an answer. */
export function hasAnswer(api: Api, json: unknown): boolean {
  if (api !== 'google') return true // The SDK finds that out itself.
  const candidates = child(json, 'candidates')
  const blocked = child(child(json, 'promptFeedback'), 'blockReason')
  return (Array.isArray(candidates) && candidates.length > 0) || typeof blocked === 'string'
}

/** Whether a refused request was refused by the content filter, for what was asked or answered. */
export function isFiltered(json: unknown): boolean {
  const error = child(json, 'error')
  const code = child(error, 'code')
  const inner = child(child(error, 'innererror'), 'code')
  const message = child(error, 'message')
  return (
    code === 'content_filter' ||
    code === 'content_policy_violation' ||
    inner === 'ResponsibleAIPolicyViolation' ||
    (typeof message === 'string' && /blocked by content filtering policy/iu.test(message))
  )
}

// ── Usage ────────────────────────────────────────────────────────────────────────────────────────────

/** More tokens than any model reads or writes at once. */
const MOST_TOKENS = 1e9

function isCredible(tokens: number): boolean {
  return Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS
}

/** A count that must be there: NaN, which no check lets through, where it is not a number. */
function count(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN
}

/** A count that providers leave out when it is nothing. */
function optional(value: unknown): number {
  return value === undefined || value === null ? 0 : count(value)
}

const READERS: Readonly<Record<Api, (reported: JsonRecord) => Usage | null>> = {
  /** Cached input is inside prompt_tokens. */
  chat: (reported) => {
    const prompt = count(reported['prompt_tokens'])
    const completion = count(reported['completion_tokens'])
    const details = reported['prompt_tokens_details']
    const cacheRead = optional(child(details, 'cached_tokens'))
    const cacheWrite = optional(child(details, 'cache_write_tokens'))
    const reasoning = optional(child(reported['completion_tokens_details'], 'reasoning_tokens'))
    // Some compatible providers (xAI) count reasoning beside the completion; their total tells.
    const beside = reasoning > 0 && reported['total_tokens'] === prompt + completion + reasoning
    const output = beside ? completion + reasoning : completion
    return consistent({
      input: prompt - cacheRead - cacheWrite,
      cacheRead,
      cacheWrite,
      output,
      reasoning,
    })
  },
  /** Cached input is inside input_tokens. */
  responses: (reported) => {
    const details = reported['input_tokens_details']
    const cacheRead = optional(child(details, 'cached_tokens'))
    const cacheWrite = optional(child(details, 'cache_write_tokens'))
    return consistent({
      input: count(reported['input_tokens']) - cacheRead - cacheWrite,
      cacheRead,
      cacheWrite,
      output: count(reported['output_tokens']),
      reasoning: optional(child(reported['output_tokens_details'], 'reasoning_tokens')),
    })
  },
  /** Cached input is counted apart. */
  anthropic: (reported) =>
    consistent({
      input: count(reported['input_tokens']),
      cacheRead: optional(reported['cache_read_input_tokens']),
      cacheWrite: optional(reported['cache_creation_input_tokens']),
      output: count(reported['output_tokens']),
      reasoning: optional(child(reported['output_tokens_details'], 'thinking_tokens')),
    }),
  /** Cached input is inside promptTokenCount; thoughts are beside the candidates. Zeros are left out. */
  google: (reported) => {
    const prompt =
      count(reported['promptTokenCount']) + optional(reported['toolUsePromptTokenCount'])
    const thoughts = optional(reported['thoughtsTokenCount'])
    const candidates = reported['candidatesTokenCount'] ?? null
    // No candidates is 0 only where the total agrees.
    if (candidates === null && reported['totalTokenCount'] !== prompt + thoughts) return null
    const cacheRead = optional(reported['cachedContentTokenCount'])
    return consistent({
      input: prompt - cacheRead,
      cacheRead,
      cacheWrite: 0,
      output: optional(candidates) + thoughts,
      reasoning: thoughts,
    })
  },
}

/** Reasoning is a part of the output, or the counts contradict each other. */
function consistent(usage: Usage): Usage | null {
  return usage.reasoning <= usage.output ? usage : null
}
