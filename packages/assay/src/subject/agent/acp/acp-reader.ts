/**
 * Reads what an ACP agent sends: updates of the session, requests for permission, and the replies to Assay's requests.
 * Important properties of the stream:
 *
 * - Text and thoughts come in pieces. They end when a piece of another kind or of another message comes.
 * - A call is reported when it begins, often without its arguments. Later updates with the same id complete it.
 * - The tool's name can be in several places, or missing. If it is missing, the kind of the call (`execute`, `edit`) is
 *   used as its name.
 * - Tokens come with each answer (Qwen Code), with the reply to the prompt (most others), or not at all. The cost in
 *   `usage_update` is the cost of the whole session.
 */
import type { Json } from '@assay/contract'
import { child, isRecord, parseJson } from '../../json.ts'
import type { AgentSettings, StreamReader, TrajectorySink } from '../agent-kind.ts'
import { listAt, textAt } from '../trajectory/fields.ts'
import { quotaAt, usageAt } from './acp-usage.ts'

/** Updates that say nothing about the agent's work. They are not read, but the stored stream contains them. */
const SILENT = new Set([
  'user_message_chunk',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'plan',
])

/** The most characters of a text that is collected from pieces. */
const MOST_PIECES = 8 * 1024 * 1024
/** The most characters of a call's id. */
const MOST_ID = 500
/** Matches a title that is the name of a tool. Other titles are sentences, commands or files. */
const A_NAME = /^[a-z][\w-]{0,79}$/iu

interface Call {
  name: string
  args: unknown
  isDone: boolean
  changed: Map<string, 'added' | 'changed' | 'deleted'>
}

type Pieces = { readonly kind: 'text' | 'thought'; readonly message: string; text: string }

export function acpReader(sink: TrajectorySink, settings: AgentSettings): StreamReader {
  let calls = new Map<string, Call>()
  let pieces: Pieces | null = null
  let requests = 0
  /** The session's cost so far. `settledUsd` is the part of it that belongs to earlier turns. */
  let usd: number | null = null
  let settledUsd = 0
  let hasUsage = false

  function flush(): void {
    if (pieces === null) return
    const { kind, text } = pieces
    pieces = null
    if (text === '') return
    if (kind === 'text') sink.message('assistant', text)
    else sink.reasoning(text)
  }

  function piece(kind: Pieces['kind'], update: unknown): void {
    const message = textAt(update, 'messageId')
    const text = textAt(child(update, 'content'), 'text')
    if (pieces !== null && (pieces.kind !== kind || pieces.message !== message)) flush()
    pieces ??= { kind, message, text: '' }
    if (text !== '') sink.begun()
    if (pieces.text.length + text.length <= MOST_PIECES) pieces.text += text
    else sink.odd('a message was cut')
    // Qwen Code reports the usage of a request in an empty piece.
    request(child(child(update, '_meta'), 'usage'))
  }

  function request(value: unknown): void {
    const usage = usageAt(value, sink)
    if (usage === null) return
    flush()
    hasUsage = true
    sink.request(`request-${++requests}`, { model: settings.model, usage })
  }

  function tool(update: unknown): void {
    flush()
    const id = textAt(update, 'toolCallId').slice(0, MOST_ID)
    const known = calls.get(id)
    const call = known ?? { name: '', args: null, isDone: false, changed: new Map() }
    const name = nameOf(update, known === undefined) ?? call.name
    const args = argsOf(update) ?? call.args
    const isNew = JSON.stringify([name, args]) !== JSON.stringify([call.name, call.args])
    call.name = name
    call.args = args
    // The cast is safe, because the value was parsed from JSON.
    const told = { id, name, args: (args ?? null) as Json }
    if (known === undefined) {
      if (id !== '') calls.set(id, call)
      sink.toolCall(told)
    } else if (isNew && !call.isDone) sink.toolDetails(told)
    for (const [path, change] of changesIn(update)) call.changed.set(path, change)
    const status = textAt(update, 'status')
    if (call.isDone || (status !== 'completed' && status !== 'failed')) return
    call.isDone = true
    sink.toolResult(id, { text: resultOf(update), failed: status === 'failed' })
    if (status === 'completed')
      for (const [path, change] of call.changed) sink.fileChange(path, change)
  }

  function readUpdate(value: unknown, raw: string): void {
    const type = textAt(value, 'sessionUpdate')
    if (type === 'agent_message_chunk') piece('text', value)
    else if (type === 'agent_thought_chunk') piece('thought', value)
    else if (type === 'tool_call' || type === 'tool_call_update') tool(value)
    else if (type === 'usage_update') {
      const cost = child(value, 'cost')
      const amount = child(cost, 'amount')
      if (typeof amount === 'number' && textAt(cost, 'currency') === 'USD') usd = amount
    } else if (!SILENT.has(type)) sink.other(type === '' ? 'session/update' : type, raw)
  }

  /** Reads the reply to a prompt, which has a stop reason. Replies to other requests have none. */
  function reply(result: unknown): void {
    const stop = child(result, 'stopReason')
    if (typeof stop !== 'string') return
    flush()
    const usage = usageAt(child(result, 'usage'), sink)
    const byModel = quotaAt(child(result, '_meta'), sink)
    const cost = usd === null ? null : usd - settledUsd
    if (!hasUsage && usage !== null)
      sink.request(`request-${++requests}`, { model: settings.model, usage })
    if (byModel !== null) sink.totals(byModel, cost)
    else if (cost !== null)
      sink.totals(usage === null ? {} : { [settings.model ?? 'unknown']: usage }, cost)
    if (usd !== null) settledUsd = usd
    hasUsage = false
    end(stop)
  }

  function end(stop: string): void {
    if (stop === 'end_turn') sink.end({ how: 'done' })
    else if (stop === 'refusal') sink.end({ how: 'refused', why: 'it refused to go on' })
    else if (stop === 'max_tokens') sink.end({ how: 'limit', why: 'its answer became too long' })
    else if (stop === 'max_turn_requests')
      sink.end({ how: 'limit', why: 'it made as many requests as it may' })
    else sink.end({ how: 'failed', why: `it stopped with the reason "${stop.slice(0, 100)}"` })
  }

  function event(given: unknown, raw: string): void {
    const method = child(given, 'method')
    const params = child(given, 'params')
    if (method === 'session/update') readUpdate(child(params, 'update'), raw)
    else if (method === 'session/request_permission') {
      // For some agents, the request for permission is the first report of a call.
      const asked = child(params, 'toolCall')
      if (isRecord(asked)) tool({ ...asked, status: undefined })
    } else if (typeof method === 'string') sink.other(method, raw)
    else if (child(given, 'result') !== undefined) reply(child(given, 'result'))
    else if (isRecord(child(given, 'error'))) sink.error(errorText(child(given, 'error')))
    else sink.other('message', raw)
  }

  return {
    format: 'acp',
    line: (text) => {
      if (text.trim() === '') return
      const given = parseJson(text)
      if (isRecord(given)) event(given, text)
      else {
        sink.odd('a line is no message of the protocol')
        sink.other('text', text)
      }
    },
    turnEnded: () => {
      flush()
      calls = new Map()
    },
  }
}

/** Returns the tool's name. Returns null if the update does not contain one. */
function nameOf(update: unknown, isFirst: boolean): string | null {
  const meta = child(update, '_meta')
  const inside = isRecord(meta) ? Object.values(meta).map((one) => textAt(one, 'toolName')) : []
  const title = textAt(update, 'title')
  const named = [textAt(update, 'name'), textAt(meta, 'toolName'), ...inside].find(
    (one) => one !== '',
  )
  if (named !== undefined) return named
  if (!isFirst) return null
  return A_NAME.test(title) ? title : textAt(update, 'kind') || title
}

/**
 * Returns the arguments of a call. Some agents report only a title, such as the command. Returns null if there is
 * neither.
 */
function argsOf(update: unknown): unknown {
  const given = child(update, 'rawInput')
  if (given !== undefined && given !== null) return given
  const title = textAt(update, 'title')
  return title === '' || textAt(update, 'sessionUpdate') === 'tool_call_update' ? null : { title }
}

/** Returns the files that a call changes, as the agent reports them. */
function changesIn(update: unknown): [string, 'added' | 'changed' | 'deleted'][] {
  return listAt(update, 'content').flatMap((one): [string, 'added' | 'changed' | 'deleted'][] => {
    if (textAt(one, 'type') !== 'diff' || textAt(one, 'path') === '') return []
    const before = child(one, 'oldText')
    const isAdded = before === null || before === undefined || before === ''
    return [[textAt(one, 'path'), isAdded ? 'added' : 'changed']]
  })
}

function resultOf(update: unknown): string {
  const texts = listAt(update, 'content').flatMap((one) => {
    const text = textAt(child(one, 'content'), 'text')
    return text === '' ? [] : [text]
  })
  if (texts.length > 0) return texts.join('\n')
  const raw = child(update, 'rawOutput')
  if (typeof raw === 'string') return raw
  const output = textAt(raw, 'output') || textAt(raw, 'content')
  return output !== '' || raw === undefined || raw === null ? output : JSON.stringify(raw)
}

/** Returns the text of an error. Some agents put details next to it, which are added. */
export function errorText(error: unknown): string {
  const message = textAt(error, 'message') || 'an error without a message'
  const data = child(error, 'data')
  const details =
    typeof data === 'string' ? data : textAt(data, 'details') || textAt(data, 'message')
  return details === '' || details === message ? message : `${message}: ${details}`
}
