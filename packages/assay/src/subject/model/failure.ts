/**
 * Why there is no answer. Every way a provider can fail becomes one `SubjectError` that says whether
 * asking again may help; its text is for people and never holds a key.
 */
import http from 'node:http'
import { SubjectError, type ReasonCode, type Usage } from '@assay/contract'
import { ReplyTooLarge, type Reply } from './connection.ts'
import { redactReply } from './redact-reply.ts'
import { retryAfterMs } from './retry-after.ts'
import { readError, type ErrorBody } from './wire.ts'

/** What the texts need to know about who was asked. */
export interface Asked {
  /** provider/model */
  readonly model: string
  readonly baseUrl: string
  /** The variable or setting that holds the key; null where none is used. */
  readonly keyFrom: string | null
  readonly local: boolean
  /** It is asked for responses, at an address that is not the provider's own: many servers there know chat alone. */
  readonly mayBeChatOnly: boolean
  readonly secrets: readonly string[]
}

/** What the request came to, where the provider said. */
export interface Spend {
  readonly status: number | null
  readonly usage: Usage | null
  readonly usd: number | null
}

interface Verdict {
  readonly reason: ReasonCode
  readonly retry: boolean
}

/** A reply that is no answer: an error status, an error inside a 200, or no JSON. Null where it is fine. */
export function failedReply(
  asked: Asked,
  reply: Reply,
  json: unknown,
  now: number,
  spend: Spend,
): SubjectError | null {
  const error = readError(json)
  if (reply.status >= 200 && reply.status < 300) {
    if (json === undefined) {
      return unreadable(asked, reply.text === '' ? 'it is empty' : reply.text, spend)
    }
    if (error === null) return null
    return new SubjectError(say(asked, `answered with an error: ${error.message}`), {
      ...byCode(error),
      ...spend,
      retryAfterMs: retryAfterMs(reply, json, now),
    })
  }
  const verdict = byStatus(reply.status, error)
  const status = `${reply.status} ${http.STATUS_CODES[reply.status] ?? ''}`.trim()
  const said = error?.message ?? reply.text
  const advice = adviceFor(asked, reply)
  return new SubjectError(
    say(asked, `answered ${status}${said === '' ? '' : `: ${said}`}`, advice),
    {
      ...verdict,
      ...spend,
      retryAfterMs: verdict.retry ? retryAfterMs(reply, json, now) : null,
    },
  )
}

/** The connection failed before the reply was complete. */
export function failedConnection(asked: Asked, error: unknown): SubjectError {
  if (error instanceof ReplyTooLarge) {
    return unreadable(asked, error.message, { status: null, usage: null, usd: null })
  }
  const code = errorCode(error)
  const text = error instanceof Error && error.message !== '' ? error.message : code
  // A certificate or protocol that is wrong now is wrong a second later.
  const hopeless = /^(?:CERT_|ERR_TLS|ERR_SSL|EPROTO|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|HPE_)/u.test(
    code,
  )
  // On the user's own machine nobody will start the server meanwhile.
  const notRunning = code === 'ECONNREFUSED' && asked.local
  const advice = notRunning ? `Is the server running at ${asked.baseUrl}?` : null
  const what = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/u.test(code)
    ? `could not be reached at ${asked.baseUrl}`
    : `did not answer, the connection to ${asked.baseUrl} broke`
  return new SubjectError(say(asked, `${what}: ${text}`, advice), {
    reason: 'provider-error',
    retry: !hopeless && !notRunning,
    cause: error,
  })
}

/** Our own deadline passed. */
export function timedOut(asked: Asked, timeoutMs: number): SubjectError {
  const seconds = Math.round(timeoutMs / 100) / 10
  return new SubjectError(say(asked, `did not answer within ${seconds} s`), {
    reason: 'provider-timeout',
    retry: true,
  })
}

/** A reply that is no error and yet no answer: no JSON, or none that is known for one. */
export function unreadable(asked: Asked, found: string, spend: Spend): SubjectError {
  return new SubjectError(say(asked, `sent a reply that could not be read: ${found}`), {
    reason: 'bad-reply',
    retry: true,
    ...spend,
  })
}

/** The SDK would not even send it: a message or parameter that the API has no place for. */
export function unsendable(asked: Asked, why: string): SubjectError {
  return new SubjectError(say(asked, `could not be asked: ${why}`), {
    reason: 'request-refused',
    retry: false,
  })
}

function say(asked: Asked, text: string, advice: string | null = null): string {
  const said = redactReply(`${asked.model} ${text}`, asked.secrets)
  return advice === null ? said : `${said}${/[.!?…]$/u.test(said) ? '' : '.'} ${advice}`
}

function byStatus(status: number, error: ErrorBody | null): Verdict {
  // An account without money answers 429 as well, and will go on doing so.
  if (status === 429) return { reason: 'rate-limited', retry: !isOutOfMoney(error) }
  if (status === 408 || status === 409 || status === 425 || status >= 500) {
    return { reason: 'provider-error', retry: true }
  }
  return { reason: 'request-refused', retry: false }
}

/** An error inside a 200: what passes for a status code there is only trusted to slow us down. */
function byCode(error: ErrorBody): Verdict {
  const limited = /^(?:429|rate_limit.*|RESOURCE_EXHAUSTED)$/u.test(error.code)
  return { reason: limited ? 'rate-limited' : 'provider-error', retry: !isOutOfMoney(error) }
}

function isOutOfMoney(error: ErrorBody | null): boolean {
  return /^(?:insufficient_quota|billing_.*)$/u.test(error?.code ?? '')
}

function adviceFor(asked: Asked, reply: Reply): string | null {
  if (reply.status >= 300 && reply.status < 400) {
    return 'Redirects are not followed, so that the key goes nowhere else: correct the base URL.'
  }
  if (reply.status === 401 || reply.status === 403) {
    return asked.keyFrom === null ? 'The server wants a key.' : `Check ${asked.keyFrom}.`
  }
  if (asked.mayBeChatOnly && [404, 405, 501].includes(reply.status))
    return `The server at ${asked.baseUrl} may know chat completions alone, and this provider is asked by the Responses API. Add to assay.toml [providers.mine] with baseUrl = "${asked.baseUrl}" and api = "chat", and ask mine/${asked.model.slice(asked.model.indexOf('/') + 1)}.`
  if (reply.status === 404) return `Check the model's name and the base URL ${asked.baseUrl}.`
  return null
}

/** The code of the innermost cause; connecting to several addresses fails with several errors at once. */
function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause
  return inner === error ? '' : errorCode(inner)
}
