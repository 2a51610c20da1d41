/**
 * All faults of providers, by name. A fault is data: it says what is sent instead of the answer, or how the answer
 * is changed. A mix of faults is drawn with a seed. The request decides which fault it meets, not the time of
 * arrival, so a run meets the same faults at any concurrency.
 */
import { createHash } from 'node:crypto'
import { errorBody, type Body, type ModelReply, type ModelRequest } from './wire.ts'

/** What is sent instead of an answer. */
export interface RawReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

export type Effect =
  | { readonly kind: 'raw'; readonly reply: RawReply }
  | { readonly kind: 'reply'; readonly change: (reply: ModelReply) => ModelReply }
  /** The connection is reset: before the reply, or in the middle of its body. */
  | { readonly kind: 'reset'; readonly midBody: boolean }
  /** The reply stops: at its start, or after half of its body. */
  | { readonly kind: 'hang'; readonly midBody: boolean }

export const FAULTS = {
  '429': (request) => status(request, 429, 'Too many requests'),
  '429-seconds': (request) => status(request, 429, 'Too many requests', { 'retry-after': '3' }),
  '429-date': (request, now) =>
    status(request, 429, 'Too many requests', {
      'retry-after': new Date(now + 5000).toUTCString(),
      date: new Date(now).toUTCString(),
    }),
  '429-ms': (request) => status(request, 429, 'Too many requests', { 'retry-after-ms': '250' }),
  /** Only the headers that say when a limit allows requests again. */
  '429-headers': (request, now) =>
    status(
      request,
      429,
      'Too many requests',
      request.api === 'anthropic'
        ? {
            'anthropic-ratelimit-requests-remaining': '0',
            'anthropic-ratelimit-requests-reset': new Date(now + 7000).toISOString(),
            'anthropic-ratelimit-tokens-remaining': '9000',
            'anthropic-ratelimit-tokens-reset': new Date(now + 90_000).toISOString(),
          }
        : {
            'x-ratelimit-remaining-requests': '0',
            'x-ratelimit-reset-requests': '7s',
            'x-ratelimit-remaining-tokens': '9000',
            'x-ratelimit-reset-tokens': '1m30s',
          },
    ),
  /** An account without money. */
  quota: (request) =>
    status(request, 429, 'You exceeded your current quota', {}, 'insufficient_quota'),
  '400': (request) => status(request, 400, 'Bad request'),
  '401': (request) => status(request, 401, 'Incorrect API key'),
  '403': (request) => status(request, 403, 'Not allowed'),
  '404': (request) => status(request, 404, 'No such model'),
  '408': (request) => status(request, 408, 'Request timeout'),
  '409': (request) => status(request, 409, 'Conflict'),
  '422': (request) => status(request, 422, 'Unprocessable'),
  '500': (request) => status(request, 500, 'Internal error'),
  '503': (request) => status(request, 503, 'Unavailable', { 'retry-after': '2' }),
  '529': (request) => status(request, 529, 'Overloaded'),
  /** The page of a proxy instead of the JSON of the API. */
  '502-html': () => raw(502, '<html><body><h1>502 Bad Gateway</h1></body></html>', 'text/html'),
  redirect: () => ({
    kind: 'raw',
    reply: { status: 307, headers: { location: 'http://127.0.0.1:9/elsewhere' }, body: '' },
  }),
  reset: () => ({ kind: 'reset', midBody: false }),
  'reset-mid-body': () => ({ kind: 'reset', midBody: true }),
  hang: () => ({ kind: 'hang', midBody: false }),
  'hang-mid-body': () => ({ kind: 'hang', midBody: true }),
  malformed: () => raw(200, '{"choices": [{"message": '),
  'not-an-answer': () => raw(200, '{"hello": "world"}'),
  'empty-body': () => raw(200, ''),
  'error-body': (request) => json(200, errorBody(request.api, 500, 'The model crashed')),
  /** An error that contains the key: whole, in a header, and masked. */
  'echo-key': (request) => {
    const key = keyOf(request)
    const masked = `${key.slice(0, 5)}*****${key.slice(-4)}`
    const message = `Incorrect API key provided: ${key}. Authorization: Bearer ${key}. You sent ${masked}.`
    return status(request, 401, message)
  },
  'echo-key-200': (request) =>
    json(200, errorBody(request.api, 500, `Bad key "${keyOf(request)}"`)),
  empty: () => change(() => ({ text: '' })),
  filter: (request) =>
    // For Anthropic, the filter is an error, and a refusal of the model is a stop reason.
    request.api === 'anthropic'
      ? status(request, 400, 'Output blocked by content filtering policy')
      : change(() => ({ text: '', stop: 'filter' })),
  refusal: () => change(() => ({ text: 'I cannot help with that.', stop: 'refusal' })),
  length: () => change((reply) => ({ ...reply, stop: 'length' })),
  'usage-missing': () => change((reply) => ({ ...reply, rawUsage: { value: undefined } })),
  'usage-empty': () => change((reply) => ({ ...reply, rawUsage: { value: {} } })),
  'usage-negative': (request) => badUsage(request, -5),
  'usage-strings': (request) => badUsage(request, '12'),
  'usage-fraction': (request) => badUsage(request, 1.5),
  'usage-huge': (request) => badUsage(request, 1e300),
  'usage-nan': (request) => badUsage(request, 'NaN'),
  'usage-null': (request) => badUsage(request, null),
} satisfies Record<string, (request: ModelRequest, now: number) => Effect>

export type Fault = keyof typeof FAULTS

export function effectOf(fault: Fault, request: ModelRequest, now: number): Effect {
  return FAULTS[fault](request, now)
}

/** The shares of requests that meet each fault. All others are answered. */
export interface FaultMix {
  readonly seed: number
  readonly shares: Readonly<Partial<Record<Fault, number>>>
}

/**
 * Returns the fault that a request meets, or null. It depends on the request and how often it was sent, never on
 * the order.
 */
export function drawFault({ seed, shares }: FaultMix, request: ModelRequest): Fault | null {
  const what = [seed, request.model, request.prompt, request.seed, request.attempt].join('\u0000')
  let draw = createHash('sha256').update(what).digest().readUInt32BE() / 2 ** 32
  for (const [fault, share] of Object.entries(shares)) {
    draw -= share
    if (draw < 0) return fault as Fault
  }
  return null
}

export function keyOf({ headers }: ModelRequest): string {
  const key = headers['x-api-key'] ?? headers['x-goog-api-key']
  return typeof key === 'string' ? key : (headers.authorization ?? '').replace(/^Bearer /u, '')
}

function status(
  { api }: ModelRequest,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  reason?: string,
): Effect {
  return json(code, errorBody(api, code, message, reason), headers)
}

function json(code: number, body: Body, headers: Readonly<Record<string, string>> = {}): Effect {
  return { kind: 'raw', reply: { status: code, headers, body: JSON.stringify(body) } }
}

function raw(code: number, body: string, type = 'application/json'): Effect {
  return { kind: 'raw', reply: { status: code, headers: { 'content-type': type }, body } }
}

function change(made: (reply: ModelReply) => ModelReply): Effect {
  return { kind: 'reply', change: made }
}

const COUNTS = {
  chat: ['prompt_tokens', 'completion_tokens'],
  responses: ['input_tokens', 'output_tokens'],
  anthropic: ['input_tokens', 'output_tokens'],
  google: ['promptTokenCount', 'candidatesTokenCount'],
} as const

/** One valid count and one invalid count. If only one were used, it would show. */
function badUsage({ api }: ModelRequest, value: unknown): Effect {
  const [first, second] = COUNTS[api]
  return change((reply) => ({ ...reply, rawUsage: { value: { [first]: 12, [second]: value } } }))
}
