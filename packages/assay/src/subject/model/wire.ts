/**
 * Reads replies of the four supported APIs itself, where the AI SDK does not read them well enough:
 *
 * - Usage. The SDK turns a missing count into 0, and refuses an answer whose counts are texts. The code here reads all
 *   counts from the reply. If a count is missing, negative, fractional or contradictory, the usage is null. The SDK
 *   gets a copy of the reply without the counts.
 * - Errors inside a reply with status 200. The SDK would read Google's errors as an empty answer, and OpenAI's errors
 *   as status 400.
 */
import type { Usage } from '@assay/contract'
import { child, isRecord, type JsonRecord } from '../json.ts'

/**
 * The supported APIs. `chat` is OpenAI's chat completions API, which compatible servers have too. `responses` is
 * OpenAI's Responses API. The others are named after their provider.
 */
export const APIS = ['chat', 'responses', 'anthropic', 'google'] as const

export type Api = (typeof APIS)[number]

/**
 * Returns the usage of a reply in Assay's token classes. Returns null if there is none or if the counts are not
 * credible.
 */
export function readUsage(api: Api, json: unknown): Usage | null {
  const reported = child(json, api === 'google' ? 'usageMetadata' : 'usage')
  if (!isRecord(reported)) return null
  const usage = READERS[api](reported)
  return usage !== null && Object.values(usage).every(isCredible) ? usage : null
}

/** Whether a reply contains any usage. */
export function reportsUsage(api: Api, json: unknown): boolean {
  const reported = child(json, api === 'google' ? 'usageMetadata' : 'usage')
  return isRecord(reported) && Object.keys(reported).length > 0
}

/**
 * Returns the cost in dollars that a reply of OpenRouter states. Returns undefined if it states none. If the user's own
 * key for another provider was used, the reply states that provider's share separately.
 */
export function readCost(json: unknown): unknown {
  const usage = child(json, 'usage')
  const cost = child(usage, 'cost') ?? undefined
  if (child(usage, 'is_byok') !== true || cost === undefined) return cost
  const upstream = child(child(usage, 'cost_details'), 'upstream_inference_cost')
  if (typeof cost !== 'number' || typeof upstream !== 'number') return undefined
  return cost + upstream
}

/** Returns the sum of two usages. Returns null if one of them is unknown. */
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

/** Returns a copy of the reply for the SDK. Its usage is removed, or replaced by zeros if the SDK requires it. */
export function withoutUsage(api: Api, json: JsonRecord): JsonRecord {
  if (api === 'anthropic') return { ...json, usage: { input_tokens: 0, output_tokens: 0 } }
  const { usage: _, usageMetadata: __, ...rest } = json
  return rest
}

/** An error in the body of a reply. */
export interface ErrorBody {
  readonly message: string
  /** The provider's own code, which may be an HTTP status. */
  readonly code: string
}

/** Returns the error in a reply. Returns null if there is none. */
export function readError(json: unknown): ErrorBody | null {
  // Google sends some errors as a list with one entry.
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

/** Whether the reply contains something that could be an answer. */
export function hasAnswer(api: Api, json: unknown): boolean {
  if (api !== 'google') return true // For the other APIs, the SDK checks this itself.
  const candidates = child(json, 'candidates')
  const blocked = child(child(json, 'promptFeedback'), 'blockReason')
  return (Array.isArray(candidates) && candidates.length > 0) || typeof blocked === 'string'
}

/** Whether the content filter refused the request, because of the prompt or the answer. */
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

/** The highest plausible token count. No model reads or writes more in one request. */
const MOST_TOKENS = 1e9

function isCredible(tokens: number): boolean {
  return Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS
}

/** Reads a required count. If it is not a number, the result is NaN, which all later checks reject. */
function count(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN
}

/** Reads a count that a provider may leave out if it is 0. */
function optional(value: unknown): number {
  return value === undefined || value === null ? 0 : count(value)
}

const READERS: Readonly<Record<Api, (reported: JsonRecord) => Usage | null>> = {
  /** In this API, prompt_tokens includes cached input. */
  chat: (reported) => {
    const prompt = count(reported['prompt_tokens'])
    const completion = count(reported['completion_tokens'])
    const details = reported['prompt_tokens_details']
    // DeepSeek has another name for this count.
    const cacheRead = optional(
      child(details, 'cached_tokens') ?? reported['prompt_cache_hit_tokens'],
    )
    const cacheWrite = optional(child(details, 'cache_write_tokens'))
    const reasoning = optional(child(reported['completion_tokens_details'], 'reasoning_tokens'))
    // Some compatible providers, such as xAI, do not include reasoning tokens in `completion_tokens`. `total_tokens`
    // shows whether they are included.
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
  /** In this API, input_tokens includes cached input. */
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
  /** In this API, input_tokens excludes cached input. */
  anthropic: (reported) =>
    consistent({
      input: count(reported['input_tokens']),
      cacheRead: optional(reported['cache_read_input_tokens']),
      cacheWrite: optional(reported['cache_creation_input_tokens']),
      output: count(reported['output_tokens']),
      reasoning: optional(child(reported['output_tokens_details'], 'thinking_tokens')),
    }),
  /** promptTokenCount includes cached input. candidatesTokenCount excludes thoughts. Counts of 0 are left out. */
  google: (reported) => {
    const prompt =
      count(reported['promptTokenCount']) + optional(reported['toolUsePromptTokenCount'])
    const thoughts = optional(reported['thoughtsTokenCount'])
    const candidates = reported['candidatesTokenCount'] ?? null
    // A missing `candidatesTokenCount` means 0 only if the other counts add up to the total.
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

/**
 * Returns the usage. Returns null if there are more reasoning tokens than output tokens. That is a contradiction,
 * because output includes reasoning.
 */
function consistent(usage: Usage): Usage | null {
  return usage.reasoning <= usage.output ? usage : null
}
