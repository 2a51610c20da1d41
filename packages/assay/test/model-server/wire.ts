/**
 * The four APIs from the server's side: what a request says, and how an answer or an error is written.
 * Kept apart from the code under test, and written from the providers' documentation, so that both
 * must agree with a third.
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
  /** In order of arrival, from 1. */
  readonly number: number
  /** How many requests with the same key there were, this one included; the key is model and prompt unless told. */
  readonly attempt: number
}

/** What the server answers; everything but the text has a default. */
export interface ModelReply {
  readonly text: string
  readonly stop?: 'end' | 'length' | 'filter' | 'refusal'
  readonly usage?: ReplyUsage
  /** Goes into the body as it is, instead of `usage`; undefined for none at all. */
  readonly rawUsage?: { readonly value: unknown }
}

/** Disjoint classes, as bills count them; reasoning is a part of output. */
export interface ReplyUsage {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
}

/** Which API a path belongs to, and the model where the path names it. */
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

/** Content is a string, or parts that have a text. */
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

/** The classes as each provider counts them: only Anthropic's are disjoint. */
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
  // Nothing is written to a cache without a call of its own; zeros are left out, as protobuf does.
  google: ({ input, cacheRead, output, reasoning }) => ({
    promptTokenCount: input + cacheRead,
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    ...(output > reasoning ? { candidatesTokenCount: output - reasoning } : {}),
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    totalTokenCount: input + cacheRead + output,
  }),
}

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
