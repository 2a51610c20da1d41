/**
 * The four APIs from the side of the server: how a request is read, and how an answer or an error is written. This
 * is separate from the code under test and was written from the providers' documentation, so that both sides must
 * agree with the documentation.
 */
import type { IncomingHttpHeaders } from 'node:http'

export type WireApi = 'chat' | 'responses' | 'anthropic' | 'google'

export const WIRE_APIS: readonly WireApi[] = ['chat', 'responses', 'anthropic', 'google']

export type Body = Readonly<Record<string, unknown>>

/** A request as the server understood it. */
export interface ModelRequest {
  readonly api: WireApi
  readonly model: string
  /** The last user message. */
  readonly prompt: string
  /** All system texts, joined by blank lines; empty if there are none. */
  readonly system: string
  readonly seed: number | null
  readonly body: Body
  readonly headers: IncomingHttpHeaders
  /** The number of the request in order of arrival, from 1. */
  readonly number: number
  /**
   * How many requests with the same key there were, including this one. The key is model and prompt by default.
   */
  readonly attempt: number
}

/** What the server answers. Everything except the text has a default. */
export interface ModelReply {
  readonly text: string
  readonly stop?: 'end' | 'length' | 'filter' | 'refusal'
  readonly usage?: ReplyUsage
  /** Is put into the body unchanged, instead of `usage`. Undefined for no usage. */
  readonly rawUsage?: { readonly value: unknown }
}

/** Separate classes of tokens, as bills count them. Reasoning is part of output. */
export interface ReplyUsage {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
}

/** Returns the API that a path belongs to, and the model if the path contains it. */
export function routeOf(
  path: string,
): { readonly api: WireApi; readonly model: string | null } | null {
  if (path.endsWith('/chat/completions')) return { api: 'chat', model: null }
  if (path.endsWith('/responses')) return { api: 'responses', model: null }
  if (path.endsWith('/messages')) return { api: 'anthropic', model: null }
  const google = /\/models\/([^/]+):generateContent$/u.exec(path)
  return google === null ? null : { api: 'google', model: decodeURIComponent(google[1] ?? '') }
}

interface Turn {
  readonly role: string
  readonly text: string
}

export function readRequest(
  route: { readonly api: WireApi; readonly model: string | null },
  body: Body,
): Pick<ModelRequest, 'api' | 'model' | 'prompt' | 'system' | 'seed' | 'body'> {
  const turns = TURNS[route.api](body)
  const system = turns.filter(({ role }) => role === 'system' || role === 'developer')
  const config = route.api === 'google' ? record(body['generationConfig']) : body
  return {
    api: route.api,
    model: route.model ?? String(body['model']),
    prompt: turns.findLast(({ role }) => role === 'user')?.text ?? '',
    system: system.map(({ text }) => text).join('\n\n'),
    seed: typeof config['seed'] === 'number' ? config['seed'] : null,
    body,
  }
}

const TURNS: Readonly<Record<WireApi, (body: Body) => Turn[]>> = {
  chat: (body) => list(body['messages']).map(turnOf),
  responses: (body) => list(body['input']).map(turnOf),
  anthropic: (body) => [
    { role: 'system', text: textOf(body['system']) },
    ...list(body['messages']).map(turnOf),
  ],
  google: (body) => [
    { role: 'system', text: textOf(record(body['systemInstruction'])['parts']) },
    ...list(body['contents']).map(turnOf),
  ],
}

function turnOf({ role, content, parts }: Body): Turn {
  return { role: typeof role === 'string' ? role : 'user', text: textOf(content ?? parts) }
}

/** The content is a string, or a list of parts that have a text. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
    .join('')
}

function list(value: unknown): Body[] {
  return Array.isArray(value) ? (value as Body[]) : []
}

function record(value: unknown): Body {
  return typeof value === 'object' && value !== null ? (value as Body) : {}
}

// ── Answers ──────────────────────────────────────────────────────────────────────────────────────────

const MOMENT = 1_700_000_000

type Written = Required<Pick<ModelReply, 'text' | 'stop'>> & {
  readonly model: string
  readonly id: number
  readonly usage: unknown
}

export function replyBody({ api, number, model }: ModelRequest, reply: ModelReply): Body {
  const { text, stop = 'end', rawUsage } = reply
  const usage = rawUsage === undefined ? USAGES[api](reply.usage ?? SOME_USAGE) : rawUsage.value
  return REPLIES[api]({ text, stop, model, id: number, usage })
}

const REPLIES: Readonly<Record<WireApi, (written: Written) => Body>> = {
  chat: ({ text, stop, model, id, usage }) => ({
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created: MOMENT,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: stop === 'refusal' ? null : text,
          refusal: stop === 'refusal' ? text : null,
        },
        logprobs: null,
        finish_reason: { end: 'stop', length: 'length', filter: 'content_filter', refusal: 'stop' }[
          stop
        ],
      },
    ],
    usage,
  }),
  responses: ({ text, stop, model, id, usage }) => {
    const cut = { length: 'max_output_tokens', filter: 'content_filter', end: null, refusal: null }[
      stop
    ]
    const part =
      stop === 'refusal'
        ? { type: 'refusal', refusal: text }
        : { type: 'output_text', text, annotations: [], logprobs: [] }
    return {
      id: `resp_${id}`,
      object: 'response',
      created_at: MOMENT,
      status: cut === null ? 'completed' : 'incomplete',
      error: null,
      incomplete_details: cut === null ? null : { reason: cut },
      model,
      output: [
        { type: 'reasoning', id: `rs_${id}`, summary: [] },
        {
          type: 'message',
          id: `msg_${id}`,
          status: 'completed',
          role: 'assistant',
          content: text === '' ? [] : [part],
        },
      ],
      usage,
    }
  },
  anthropic: ({ text, stop, model, id, usage }) => ({
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: text === '' ? [] : [{ type: 'text', text }],
    stop_reason: { end: 'end_turn', length: 'max_tokens', filter: 'refusal', refusal: 'refusal' }[
      stop
    ],
    stop_sequence: null,
    usage,
  }),
  google: ({ text, stop, model, id, usage }) => ({
    candidates: [
      {
        content: text === '' ? {} : { role: 'model', parts: [{ text }] },
        finishReason: { end: 'STOP', length: 'MAX_TOKENS', filter: 'SAFETY', refusal: 'SAFETY' }[
          stop
        ],
        index: 0,
      },
    ],
    usageMetadata: usage,
    modelVersion: model,
    responseId: `google-${id}`,
  }),
}

const SOME_USAGE: ReplyUsage = { input: 12, cacheRead: 0, cacheWrite: 0, output: 7, reasoning: 0 }

/** The classes of tokens as each provider counts them. Only Anthropic counts them separately. */
const USAGES: Readonly<Record<WireApi, (usage: ReplyUsage) => Body>> = {
  chat: ({ input, cacheRead, cacheWrite, output, reasoning }) => ({
    prompt_tokens: input + cacheRead + cacheWrite,
    completion_tokens: output,
    total_tokens: input + cacheRead + cacheWrite + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }),
  responses: ({ input, cacheRead, cacheWrite, output, reasoning }) => ({
    input_tokens: input + cacheRead + cacheWrite,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + cacheRead + cacheWrite + output,
  }),
  anthropic: ({ input, cacheRead, cacheWrite, output, reasoning }) => ({
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    output_tokens_details: { thinking_tokens: reasoning },
  }),
  // Google writes to a cache only by a separate call. Zeros are left out, as protobuf does.
  google: ({ input, cacheRead, output, reasoning }) => ({
    promptTokenCount: input + cacheRead,
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    ...(output > reasoning ? { candidatesTokenCount: output - reasoning } : {}),
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    totalTokenCount: input + cacheRead + output,
  }),
}

/** Returns a usage as the provider reports it. */
export const usageBody = (api: WireApi, usage: ReplyUsage): Body => USAGES[api](usage)

// ── Errors ───────────────────────────────────────────────────────────────────────────────────────────

const GOOGLE_STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

const ANTHROPIC_TYPE: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

export function errorBody(api: WireApi, status: number, message: string, code?: string): Body {
  if (api === 'google') {
    return { error: { code: status, message, status: code ?? GOOGLE_STATUS[status] ?? 'UNKNOWN' } }
  }
  if (api === 'anthropic') {
    const type = code ?? ANTHROPIC_TYPE[status] ?? 'api_error'
    return { type: 'error', error: { type, message }, request_id: 'req_test' }
  }
  const type = status >= 500 ? 'server_error' : 'error'
  return { error: { message, type, param: null, code: code ?? null } }
}
