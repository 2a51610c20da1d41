/**
 * Creates the errors for requests without an answer. Every failure of a provider becomes one `SubjectError`, which says
 * whether a retry may help. Its message is shown to users and never contains a key.
 */
import { SubjectError, type ReasonCode, type Usage } from '@assay/contract'
import { ReplyTooLarge, type Reply } from './connection.ts'
import { nodeHttp } from './node-http.ts'
import { redactReply } from './redact-reply.ts'
import { retryAfterMs } from './retry-after.ts'
import { readError, type ErrorBody } from './wire.ts'

/** What error messages say about the model and its provider. */
export interface Asked {
  /** The model, in the form provider/model. */
  readonly model: string
  readonly baseUrl: string
  /** The variable or setting that contains the key. Null if no key is used. */
  readonly keyFrom: string | null
  readonly local: boolean
  /**
   * Whether the Responses API is used at a URL other than OpenAI's own. Many servers with a compatible API
   * support only chat completions.
   */
  readonly mayBeChatOnly: boolean
  readonly secrets: readonly string[]
}

/** The status, usage and cost of the request, if the provider reported them. */
export interface Spend {
  readonly status: number | null
  readonly usage: Usage | null
  readonly usd: number | null
}

interface Verdict {
  readonly reason: ReasonCode
  readonly retry: boolean
}

/**
 * Returns an error if the reply is not an answer: it has an error status, an error inside a reply with status 200, or
 * no valid JSON. Otherwise returns null.
 */
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
  const status = `${reply.status} ${nodeHttp().STATUS_CODES[reply.status] ?? ''}`.trim()
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

/** Returns the error for a connection that failed before the reply was complete. */
export function failedConnection(asked: Asked, error: unknown): SubjectError {
  if (error instanceof ReplyTooLarge) {
    return unreadable(asked, error.message, { status: null, usage: null, usd: null })
  }
  const code = errorCode(error)
  const text = error instanceof Error && error.message !== '' ? error.message : code
  // A wrong certificate or protocol is the same in every attempt, so a retry would not help.
  const hopeless = /^(?:CERT_|ERR_TLS|ERR_SSL|EPROTO|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|HPE_)/u.test(
    code,
  )
  // The local server is not running, and nothing starts it automatically. So a retry would not help.
  const notRunning = code === 'ECONNREFUSED' && asked.local
  const unreached = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/u.test(code)
  const check = unreached ? 'Check the base URL, and that this machine reaches it.' : null
  const advice = notRunning ? `Is the server running at ${asked.baseUrl}?` : check
  const what = unreached
    ? `could not be reached at ${asked.baseUrl}`
    : `did not answer, the connection to ${asked.baseUrl} broke`
  return new SubjectError(say(asked, `${what}: ${text}`, advice), {
    reason: 'provider-error',
    retry: !hopeless && !notRunning,
    cause: error,
  })
}

/** Returns the error for a request that exceeded Assay's own deadline. */
export function timedOut(asked: Asked, timeoutMs: number): SubjectError {
  const seconds = Math.round(timeoutMs / 100) / 10
  return new SubjectError(say(asked, `did not answer within ${seconds} s`), {
    reason: 'provider-timeout',
    retry: true,
  })
}

/**
 * Returns the error for a reply that is neither an error nor an answer. It is not valid JSON, or has an unknown form.
 */
export function unreadable(asked: Asked, found: string, spend: Spend): SubjectError {
  // The reply is a web page. So the address is wrong: it belongs to something else, such as a proxy or a log-in page.
  const isPage = /^\s*<(?:!doctype|html|head|body)\b/iu.test(found)
  const advice = isPage
    ? `This is a web page, not an API: check the base URL ${asked.baseUrl}.`
    : null
  return new SubjectError(say(asked, `sent a reply that could not be read: ${found}`, advice), {
    reason: 'bad-reply',
    retry: true,
    ...spend,
  })
}

/**
 * Returns the error for a request that the SDK refused to send, because the API does not support one of its messages or
 * parameters.
 */
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
  // Status 429 can also mean that the account has no credit left. A retry would then not help.
  if (status === 429) return { reason: 'rate-limited', retry: !isOutOfMoney(error) }
  if (status === 408 || status === 409 || status === 425 || status >= 500) {
    return { reason: 'provider-error', retry: true }
  }
  return { reason: 'request-refused', retry: false }
}

/**
 * Classifies an error inside a reply with status 200. The code of such an error is less reliable than an HTTP status.
 * So it never leads to the reason `request-refused`.
 */
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

/**
 * Returns the code of the innermost cause. If several addresses were tried, there is one error for each of them, and
 * the code of the first error is returned.
 */
function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause
  return inner === error ? '' : errorCode(inner)
}
