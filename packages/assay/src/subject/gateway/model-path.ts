/**
 * Recognizes the paths of requests to a model. The gateway passes these requests on and refuses all others. So an agent
 * can use the user's key only for its model, and not for files, batches or settings of the account.
 */
import type { Api } from '../model/wire.ts'

/** The kinds of APIs, by their paths. `openai` is also for servers with a compatible API. */
export type Family = 'anthropic' | 'openai' | 'google'

export interface ModelPath {
  /** The API that uses this path. Null if several APIs use it. */
  readonly family: Family | null
  /** The format in which the reply is read. Null for paths that use no tokens, such as the list of models. */
  readonly api: Api | null
  /** The model, if the path contains its name. Otherwise the body of the request contains it. */
  readonly model: string | null
}

const FIXED: Readonly<Record<string, ModelPath>> = {
  'POST /v1/messages': { family: 'anthropic', api: 'anthropic', model: null },
  'POST /v1/messages/count_tokens': { family: 'anthropic', api: null, model: null },
  'POST /v1/chat/completions': { family: 'openai', api: 'chat', model: null },
  'POST /v1/responses': { family: 'openai', api: 'responses', model: null },
  'POST /v1/responses/compact': { family: 'openai', api: 'responses', model: null },
  'GET /v1/models': { family: null, api: null, model: null },
  'GET /v1beta/models': { family: 'google', api: null, model: null },
}

const NAMED_MODEL = /^GET \/v1\/models\/[\w.:-]{1,200}$/u
const GOOGLE = /^(?:GET|POST) \/v1(?:beta|alpha)?\/models\/([\w.-]{1,200})(?::(\w+))?$/u
const GOOGLE_CALLS = new Set(['generateContent', 'streamGenerateContent'])

/**
 * Returns what a request asks for. Returns null if it is not a request to a model. `path` must not include the query.
 */
export function modelPath(method: string, path: string): ModelPath | null {
  const asked = `${method} ${path}`
  if (Object.hasOwn(FIXED, asked)) return FIXED[asked] ?? null
  if (NAMED_MODEL.test(asked)) return { family: null, api: null, model: null }
  const [found, model = '', call] = GOOGLE.exec(asked) ?? []
  if (found === undefined) return null
  if (call === undefined || call === 'countTokens')
    return (call === undefined) === (method === 'GET')
      ? { family: 'google', api: null, model }
      : null
  return method === 'POST' && GOOGLE_CALLS.has(call)
    ? { family: 'google', api: 'google', model }
    : null
}
