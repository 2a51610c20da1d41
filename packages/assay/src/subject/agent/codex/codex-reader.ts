/**
 * Reads the events of Codex. Important properties of the stream:
 *
 * - Each message, reasoning text and tool call is an item. An item is reported when it starts, when it is
 *   updated and when it completes. Messages and reasoning are reported only when they complete. A call of a tool
 *   that does not exist, or a patch that does not apply, is not an item and leaves no trace.
 * - Requests to the model are not reported. A message or reasoning after a tool's result proves that a new
 *   request has begun. Consecutive tool calls may belong to one request or to several, and count as one. So the
 *   count of requests may be too low but is never too high, and an agent is never stopped because of requests
 *   that it did not make. The notes (codex.ts) correct the count and have the tokens of each request.
 * - Usage is reported when a turn completes, and not when it fails. The reported usage is the sum over the whole
 *   thread, so a resumed thread includes the earlier turns. Input tokens include tokens read from and written to
 *   the cache.
 * - If Codex cannot reach its provider, it waits forever and reports that it is reconnecting.
 * - There is no event for skills. The agent uses a skill by reading its SKILL.md file with a command.
 */
import type { Json, Usage } from '@assay/contract'
import { child, isRecord, parseJson } from '../../json.ts'
import type {
  AgentSettings,
  LostEnd,
  StreamEnd,
  StreamReader,
  TrajectorySink,
} from '../agent-kind.ts'
import { listAt, textAt, tokensAt, wordsOf, type TokensAt } from '../trajectory/fields.ts'
import { lossOf } from '../trajectory/provider-loss.ts'

const NONE: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 }

export function codexReader(sink: TrajectorySink, { model }: AgentSettings): StreamReader {
  const tokens = tokensAt(sink)
  /**
   * The number of the current request in this start of the program. `isTold` below says whether it was reported to the
   * sink.
   */
  let request = 0
  let isTold = true
  /** The id of the thread (Codex's word for a session). `before` is its usage before this start of the program. */
  let thread = ''
  let before = NONE
  let sum = NONE
  let begun = new Set<string>()
  /** The message that Codex prints while it tries to reach its provider. */
  let reconnecting: string | null = null
  let lastError = ''
  /**
   * Requests that were already read from the notes. Each reading of the notes repeats the requests of earlier starts.
   */
  const noted = new Set<string>()
  let notes = 0

  const speaks = (): void => {
    reconnecting = null
    if (!isTold) return
    request++
    isTold = false
  }
  const calls = (): void => {
    reconnecting = null
    if (request === 0) speaks()
  }
  const answered = (): void => {
    if (request === 0 || isTold) return
    isTold = true
    sink.request(`request-${request}`, { model, usage: null })
  }

  function event(given: unknown, raw: string): void {
    const type = textAt(given, 'type')
    const item = child(given, 'item')
    if (type === 'item.started' || type === 'item.updated' || type === 'item.completed')
      itemOf(item, type === 'item.completed', type === 'item.updated', raw)
    else if (type === 'thread.started') threadOf(textAt(given, 'thread_id'))
    else if (type === 'turn.started') return
    else if (type === 'turn.completed') {
      answered()
      usageOfTurn(child(given, 'usage'))
      sink.end({ how: 'done' })
    } else if (type === 'turn.failed') {
      answered()
      failed(textAt(child(given, 'error'), 'message'))
    } else if (type === 'error') {
      const message = textAt(given, 'message')
      if (RECONNECTING.test(message)) {
        reconnecting = message
        sink.odd('the connection to the provider was lost and looked for again')
      } else errorOf(message)
    } else sink.other(type, raw)
  }

  function threadOf(id: string): void {
    if (id !== thread) before = NONE
    thread = id
    if (id !== '') sink.session(id)
    if (model !== null) sink.model(model)
  }

  function itemOf(item: unknown, isDone: boolean, isUpdate: boolean, raw: string): void {
    const type = textAt(item, 'type')
    const id = textAt(item, 'id')
    if (type === 'agent_message' || type === 'reasoning') {
      if (!isDone) return
      speaks()
      if (type === 'reasoning') sink.reasoning(textAt(item, 'text'))
      else sink.message('assistant', textAt(item, 'text'))
    } else if (type === 'error') errorOf(textAt(item, 'message'))
    else if (CALLS.has(type)) {
      calls()
      // A to-do list is a single item, and each call of the tool updates it. So each update counts as a call.
      if (!begun.has(id) || isUpdate) call(item, type, isUpdate ? `${id}/${begun.size}` : id)
      if (isDone) result(item, type, id)
    } else sink.other(`item/${type}`, raw)
  }

  function call(item: unknown, type: string, id: string): void {
    begun.add(id)
    sink.toolCall({ id, name: nameOf(item, type), args: argumentsOf(item, type) })
  }

  function result(item: unknown, type: string, id: string): void {
    const status = textAt(item, 'status')
    const code = child(item, 'exit_code')
    const isFailed = status === 'failed' || status === 'declined' || (code !== 0 && isNumber(code))
    sink.toolResult(id, { text: resultOf(item, type), failed: isFailed })
    answered()
    if (isFailed) return
    if (type === 'command_execution')
      for (const name of skillsIn(textAt(item, 'command'))) sink.skill(name)
    if (type !== 'file_change') return
    for (const change of listAt(item, 'changes'))
      sink.fileChange(textAt(change, 'path'), CHANGES[textAt(change, 'kind')] ?? 'changed')
  }

  function errorOf(message: string): void {
    lastError = message
    sink.error(message)
  }

  function failed(message: string): void {
    // Usually an error event with the same message came just before. The message is then not reported again.
    if (message !== lastError) sink.error(message)
    sink.end(endOf(message))
  }

  function usageOfTurn(usage: unknown): void {
    if (!isRecord(usage)) return
    sum = usageOf(usage, tokens)
    const since = minus(sum, before)
    sink.totals({ [model ?? 'unknown']: since ?? sum }, null)
  }

  return {
    line(text) {
      if (text.trim() === '') return
      const given = parseJson(text)
      if (isRecord(given)) event(given, text)
      else sink.other('text', text)
    },
    note(text) {
      const payload = child(parseJson(text), 'payload')
      const id = textAt(payload, 'response_id')
      const usage = child(payload, 'usage')
      if (id === '' || noted.has(id) || !isRecord(usage)) return
      noted.add(id)
      notes++
      sink.request(`request-${notes}`, { model, usage: usageOf(usage, tokens) })
    },
    lost: () => (reconnecting === null ? null : lostBy(reconnecting.slice(0, MOST_SAID))),
    turnEnded() {
      answered()
      before = sum
      request = 0
      isTold = true
      begun = new Set()
      reconnecting = null
      lastError = ''
      notes = 0
    },
  }
}

// ── Items ────────────────────────────────────────────────────────────────────────────────────────────

const CALLS = new Set([
  'command_execution',
  'file_change',
  'mcp_tool_call',
  'web_search',
  'todo_list',
  'collab_tool_call',
])

const CHANGES: Readonly<Record<string, 'added' | 'changed' | 'deleted'>> = {
  add: 'added',
  update: 'changed',
  delete: 'deleted',
}

function nameOf(item: unknown, type: string): string {
  if (type === 'mcp_tool_call') return `${textAt(item, 'server')}.${textAt(item, 'tool')}`
  return type === 'collab_tool_call' ? textAt(item, 'tool') : type
}

/** For each item type, the fields that contain the arguments of the call. The other fields contain its result. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  command_execution: ['command'],
  file_change: ['changes'],
  web_search: ['query'],
  todo_list: ['items'],
  collab_tool_call: ['prompt', 'receiver_thread_ids'],
}

/** Returns the arguments of a call. The casts are safe, because the values were parsed from JSON. */
function argumentsOf(item: unknown, type: string): Json {
  if (type === 'mcp_tool_call') return (child(item, 'arguments') ?? null) as Json
  return Object.fromEntries(
    (ASKED[type] ?? []).flatMap((key) => {
      const value = child(item, key)
      return value === undefined ? [] : [[key, value as Json]]
    }),
  )
}

function resultOf(item: unknown, type: string): string {
  if (type === 'command_execution') return textAt(item, 'aggregated_output')
  if (type === 'file_change')
    return listAt(item, 'changes')
      .map((change) => `${textAt(change, 'kind')} ${textAt(change, 'path')}`)
      .join('\n')
  const error = textAt(child(item, 'error'), 'message')
  return error === '' ? wordsOf(child(child(item, 'result'), 'content')) : error
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

/** Returns the names of the skills whose SKILL.md file the command reads. */
export function skillsIn(command: string): Set<string> {
  const read = command
    .split(/[\s'"]+/u)
    .filter((word) => word.endsWith('/SKILL.md') && word.includes('skills/'))
  return new Set(read.map((path) => path.split('/').at(-2) ?? ''))
}

// ── Tokens ───────────────────────────────────────────────────────────────────────────────────────────

function usageOf(usage: unknown, tokens: TokensAt): Usage {
  const cacheRead = tokens(usage, 'cached_input_tokens')
  const cacheWrite = tokens(usage, 'cache_write_input_tokens')
  return {
    input: Math.max(0, tokens(usage, 'input_tokens') - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite,
    output: tokens(usage, 'output_tokens'),
    reasoning: tokens(usage, 'reasoning_output_tokens'),
  }
}

/** Subtracts token counts. Returns null if a count has become smaller, because the counts are then not running sums. */
function minus(sum: Usage, part: Usage): Usage | null {
  const rest = {
    input: sum.input - part.input,
    cacheRead: sum.cacheRead - part.cacheRead,
    cacheWrite: sum.cacheWrite - part.cacheWrite,
    output: sum.output - part.output,
    reasoning: sum.reasoning - part.reasoning,
  }
  return Object.values(rest).some((count) => count < 0) ? null : rest
}

// ── Ends ─────────────────────────────────────────────────────────────────────────────────────────────

/** The most characters of an error message that are searched for known phrases and reported. */
const MOST_SAID = 2000
const RECONNECTING = /^Reconnecting\.\.\./u
const STATUS = /status:? (\d{3})\b/u

function endOf(message: string): StreamEnd {
  const why = message.slice(0, MOST_SAID)
  // The conversation became too long for the model. This is the agent's fault, not the provider's.
  if (/context[ _]window|context_length/iu.test(why)) return { how: 'failed', why }
  if (/content_filter|safety|cyber_policy/iu.test(why)) return { how: 'refused', why }
  return isProviders(why) ? lostBy(why) : { how: 'failed', why }
}

/**
 * Whether an error comes from the provider. Its message then contains an HTTP status, the provider's error as JSON, or
 * a known phrase.
 */
const isProviders = (why: string): boolean =>
  STATUS.test(why) || why.startsWith('{"error"') || PHRASES.test(why) || NO_KEY.test(why)

const PHRASES =
  /high demand|stream disconnected|connection failed|error sending request|timed? ?out|usage limit|quota|at capacity|overloaded|unauthorized/iu
const NO_KEY = /missing environment variable|not logged in|api key/iu

function lostBy(why: string): LostEnd {
  const status = Number(STATUS.exec(why)?.[1] ?? 0)
  if (status > 0)
    return { how: 'lost', why: status === 401 ? advised(why) : why, reason: lossOf(status) }
  if (NO_KEY.test(why)) return { how: 'lost', why: advised(why), reason: 'request-refused' }
  if (why.startsWith('{"error"')) return { how: 'lost', why, reason: 'request-refused' }
  if (/usage limit|quota|rate limit/iu.test(why))
    return { how: 'lost', why, reason: 'rate-limited' }
  const isLate = /timed? ?out/iu.test(why)
  return { how: 'lost', why, reason: isLate ? 'provider-timeout' : 'provider-error' }
}

const advised = (why: string): string =>
  `${why} (the agent sees no login of yours: set OPENAI_API_KEY or CODEX_API_KEY)`
