/**
 * Reads the events of Claude Code. Important properties of the stream:
 *
 * - One answer of the model comes as several `assistant` events with the same message id, one per content block.
 *   Each of them reports the usage at the start of the answer, which has only one output token. The complete
 *   usage is in the `stream_event`s before and after them, if partial messages were requested. Answers of
 *   subagents have no `stream_event`s.
 * - `input_tokens` excludes tokens that were read from or written to the cache. Assay counts the same way.
 * - A `result` has the sums by model in `modelUsage`. In a resumed session, they include the earlier turns.
 *   `model_usage_since_last_result` does not include them. Older versions lack that field, and their sums start
 *   at zero with each start of the program.
 * - One start of the program may print several results, if a background task ends later.
 * - If the provider fails, the stream has an answer of the model `<synthetic>`, followed by a `result` with
 *   `is_error` and, in spite of the error, the subtype `success`.
 */
import type { Json, Usage } from '@assay/contract'
import { child, isRecord, parseJson } from '../../json.ts'
import type { LostEnd, LostReason, StreamEnd, StreamReader, TrajectorySink } from '../agent-kind.ts'
import { IMPOSSIBLE_COST, soundUsd } from '../../amounts.ts'
import { countAt, listAt, textAt, tokensAt, wordsOf, type TokensAt } from '../trajectory/fields.ts'
import { plus } from '../trajectory/spent.ts'

/** An answer of the model whose usage is not complete yet. */
interface Open {
  readonly id: string
  readonly model: string | null
  usage: Usage
}

/** System events that only report progress. They are ignored. */
const PASSING = new Set(['status', 'thinking_tokens', 'background_tasks_changed', 'task_progress'])

const MOST_PARTIAL = 256 * 1024

export function claudeReader(sink: TrajectorySink): StreamReader {
  const tokens = tokensAt(sink)
  /** The answer that is being streamed: its `message_start` was read, and its `message_delta` has not come yet. */
  let streamed: Open | null = null
  /**
   * An answer that comes only as complete blocks, without `stream_event`s. Any other event shows that the answer is
   * complete.
   */
  let blocks: Open | null = null
  let told = new Set<string>()
  let calls = new Map<string, { readonly name: string; readonly input: unknown }>()
  let spent = new Map<string, Usage>()
  let spentUsd: number | null = 0
  let knownUsd = 0
  /** The text of an incomplete block. It is reported if the complete block never comes. */
  let partial = ''
  /** The last failed attempt to reach the provider. Null as soon as the provider has answered. */
  let retrying: unknown = null

  const answered = ({ id, model, usage }: Open): void => {
    told.add(id)
    sink.request(id, { model, usage })
  }
  const closeBlocks = (): void => {
    if (blocks !== null) answered(blocks)
    blocks = null
  }

  function event(given: unknown, raw: string): void {
    const type = textAt(given, 'type')
    if (type !== 'assistant') closeBlocks()
    if (type === 'assistant') assistant(given, raw)
    else if (type === 'user') user(given, raw)
    else if (type === 'stream_event') partOf(child(given, 'event'))
    else if (type === 'result') result(given)
    else if (type === 'system') system(given, raw)
    else sink.other(type, raw)
  }

  function system(given: unknown, raw: string): void {
    const subtype = textAt(given, 'subtype')
    if (subtype === 'init') {
      sink.session(textAt(given, 'session_id'))
      const [model, version] = [textAt(given, 'model'), textAt(given, 'claude_code_version')]
      if (model !== '') sink.model(model)
      if (version !== '') sink.version(version)
    } else if (subtype === 'api_retry') {
      retrying = given
      sink.other('system/api_retry', raw)
    } else if (subtype === 'compact_boundary') sink.message('system', 'The context was compacted.')
    else if (subtype === 'task_started') {
      const [about, agent] = [textAt(given, 'description'), textAt(given, 'subagent_type')]
      const named = [about, agent === '' ? '' : `(${agent})`].filter(Boolean).join(' ')
      sink.message('system', `A task was started${named === '' ? '.' : `: ${named}`}`)
    } else if (!PASSING.has(subtype)) sink.other(`system/${subtype}`, raw)
  }

  function assistant(given: unknown, raw: string): void {
    const message = child(given, 'message')
    const content = child(message, 'content')
    const model = textAt(message, 'model')
    partial = ''
    if (model === '<synthetic>' || child(given, 'is_api_error_message') === true) {
      closeBlocks()
      sink.error(wordsOf(content))
      return
    }
    const id = textAt(message, 'id')
    if (blocks !== null && blocks.id !== id) closeBlocks()
    retrying = null
    if (typeof content === 'string') sink.message('assistant', content)
    else if (!Array.isArray(content)) sink.other('assistant', raw)
    else for (const block of content) part(block, raw)
    if (id === '' || id === streamed?.id || told.has(id)) return
    blocks = {
      id,
      model: model === '' ? null : model,
      usage: usageOf(child(message, 'usage'), tokens),
    }
  }

  function part(block: unknown, raw: string): void {
    const type = textAt(block, 'type')
    const id = textAt(block, 'id')
    if (type === 'text') sink.message('assistant', textAt(block, 'text'))
    else if (type === 'thinking') {
      if (textAt(block, 'thinking') !== '') sink.reasoning(textAt(block, 'thinking'))
    } else if (type.endsWith('tool_use')) {
      const [name, input] = [textAt(block, 'name'), child(block, 'input')]
      calls.set(id, { name, input })
      // The cast is safe, because the value was parsed from JSON.
      sink.toolCall({ id, name, args: (input ?? null) as Json })
    } else if (type.endsWith('tool_result')) toolResult(block, undefined)
    else sink.other(`assistant/${type}`, raw)
  }

  function user(given: unknown, raw: string): void {
    const content = child(child(given, 'message'), 'content')
    if (typeof content === 'string') sink.message('system', content)
    else if (!Array.isArray(content)) sink.other('user', raw)
    else
      for (const block of content)
        if (textAt(block, 'type') === 'tool_result')
          toolResult(block, child(given, 'tool_use_result'))
        else if (wordsOf([block]) === '') sink.other('user', raw)
        else sink.message('system', wordsOf([block]))
  }

  function toolResult(block: unknown, details: unknown): void {
    const id = textAt(block, 'tool_use_id')
    const failed = child(block, 'is_error') === true
    sink.toolResult(id, { text: wordsOf(child(block, 'content')), failed })
    const call = calls.get(id)
    calls.delete(id)
    if (call === undefined || failed) return
    const path = textAt(call.input, 'file_path') || textAt(call.input, 'notebook_path')
    for (const name of claudeSkills(call.name, call.input)) sink.skill(name)
    if (WRITING.has(call.name) && path !== '')
      sink.fileChange(path, textAt(details, 'type') === 'create' ? 'added' : 'changed')
  }

  function partOf(given: unknown): void {
    const type = textAt(given, 'type')
    if (type === 'message_start') {
      if (streamed !== null) answered(streamed)
      const message = child(given, 'message')
      const [id, model] = [textAt(message, 'id'), textAt(message, 'model')]
      streamed = { id, model: model || null, usage: usageOf(child(message, 'usage'), tokens) }
      retrying = null
      sink.begun()
    } else if (type === 'content_block_delta') {
      const text = textAt(child(given, 'delta'), 'text')
      if (partial.length < MOST_PARTIAL) partial += text
    } else if (type === 'message_delta' && streamed !== null) {
      streamed.usage = whole(streamed.usage, usageOf(child(given, 'usage'), tokens))
      answered(streamed)
      streamed = null
    }
  }

  function result(given: unknown): void {
    const since = child(given, 'model_usage_since_last_result')
    if (!isRecord(since)) {
      spent = new Map()
      spentUsd = 0
      knownUsd = 0
    }
    const models = isRecord(since) ? since : child(given, 'modelUsage')
    for (const [model, used] of isRecord(models) ? Object.entries(models) : []) {
      spent.set(model, plus(spent.get(model), totalOf(used, tokens)))
      const reported = child(used, 'costUSD') ?? null
      const usd = soundUsd(reported)
      if (reported !== null && usd === null) sink.odd(IMPOSSIBLE_COST)
      // If Claude Code does not know a model's price, it reports a guess. A guess does not count as a cost.
      const known = textAt(used, 'costBasis') === 'unknown' ? null : usd
      spentUsd = spentUsd === null || known === null ? null : spentUsd + known
      knownUsd += known ?? 0
    }
    if (isRecord(models)) sink.totals(Object.fromEntries(spent), spentUsd, knownUsd)
    const denied = listAt(given, 'permission_denials').length
    if (denied > 0) sink.odd(denied === 1 ? '1 call was denied' : `${denied} calls were denied`)
    const words = child(given, 'result')
    const end = endOf(given)
    if (typeof words === 'string' && end.how === 'done') sink.answer(words)
    sink.end(end)
  }

  return {
    line(text) {
      if (text.trim() === '') return
      const given = parseJson(text)
      if (isRecord(given)) event(given, text)
      else sink.other('text', text)
    },
    lost: () => (retrying === null ? null : lostWhile(retrying)),
    turnEnded() {
      closeBlocks()
      retrying = null
      if (partial !== '') sink.message('assistant', partial)
      if (streamed !== null) answered(streamed)
      streamed = null
      partial = ''
      told = new Set()
      calls = new Map()
      spent = new Map()
      spentUsd = 0
      knownUsd = 0
    },
  }
}

/** Returns the skill that a call uses. Only calls of the tool that loads skills use one. */
export function claudeSkills(name: string, input: unknown): string[] {
  const skill = textAt(input, 'skill') || textAt(input, 'command')
  return name === 'Skill' && skill !== '' ? [skill] : []
}

const WRITING = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit'])

// ── Tokens ───────────────────────────────────────────────────────────────────────────────────────────

const usageOf = (usage: unknown, tokens: TokensAt): Usage => ({
  input: tokens(usage, 'input_tokens'),
  cacheRead: tokens(usage, 'cache_read_input_tokens'),
  cacheWrite: tokens(usage, 'cache_creation_input_tokens'),
  output: tokens(usage, 'output_tokens'),
  reasoning: tokens(child(usage, 'output_tokens_details'), 'thinking_tokens'),
})

/**
 * Combines the usage at the start of an answer with the usage at its end. A count at the end replaces the count at the
 * start, unless it is 0.
 */
const whole = (start: Usage, end: Usage): Usage => ({
  input: end.input || start.input,
  cacheRead: end.cacheRead || start.cacheRead,
  cacheWrite: end.cacheWrite || start.cacheWrite,
  output: end.output || start.output,
  reasoning: end.reasoning || start.reasoning,
})

const totalOf = (used: unknown, tokens: TokensAt): Usage => ({
  input: tokens(used, 'inputTokens'),
  cacheRead: tokens(used, 'cacheReadInputTokens'),
  cacheWrite: tokens(used, 'cacheCreationInputTokens'),
  output: tokens(used, 'outputTokens'),
  reasoning: tokens(used, 'thinkingTokens'),
})

// ── Ends ─────────────────────────────────────────────────────────────────────────────────────────────

function endOf(given: unknown): StreamEnd {
  const subtype = textAt(given, 'subtype')
  const errors = listAt(given, 'errors').filter((one) => typeof one === 'string')
  const why = errors.join('; ') || textAt(given, 'result') || subtype
  if (textAt(given, 'stop_reason') === 'refusal') return { how: 'refused', why }
  if (subtype === 'error_max_turns' || subtype === 'error_max_budget_usd')
    return { how: 'limit', why }
  if (child(given, 'is_error') !== true) return { how: 'done' }
  const status = countAt(given, 'api_error_status')
  const isProviders = status > 0 || textAt(given, 'terminal_reason') === 'api_error'
  // The conversation became too long for the model. This is the agent's fault, not the provider's.
  if (!isProviders || /too long/iu.test(why)) return { how: 'failed', why }
  return { how: 'lost', why: advised(why), reason: lostBy(status, why) }
}

/**
 * Returns the end of an agent that was stopped at its time limit while it was still retrying a request to its provider.
 */
function lostWhile(retry: unknown): LostEnd {
  const status = countAt(retry, 'error_status')
  const error = textAt(retry, 'error')
  const said = [status === 0 ? '' : `status ${status}`, error].filter((one) => one !== '')
  const why = `no answer after ${countAt(retry, 'attempt')} tries (${said.join(', ')})`
  return { how: 'lost', why: advised(why), reason: lostBy(status, why) }
}

function lostBy(status: number, why: string): LostReason {
  if (status === 429) return 'rate-limited'
  if (status === 408 || /timed? ?out/iu.test(why)) return 'provider-timeout'
  if (status >= 400 && status < 500) return 'request-refused'
  return status === 0 && NO_LOGIN.test(why) ? 'request-refused' : 'provider-error'
}

const NO_LOGIN = /not logged in|log ?in|authenticat|api key/iu

const advised = (why: string): string =>
  NO_LOGIN.test(why)
    ? `${why} (the agent sees no login of yours: set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN from "claude setup-token")`
    : why
