/**
 * Reads the events of Cline. Important properties of the stream:
 *
 * - `agent_event` lines contain the agent's work. Text and thoughts come in pieces, and then as a whole in
 *   `content_end`.
 * - `usage` comes with each answer, before the tool calls of that answer. Its input includes tokens read from the
 *   cache.
 * - The last lines are `done` or `error`, then `run_result`. `errorClass` says whether the provider caused the error.
 */
import type { Json } from '@assay/contract'
import { child, isRecord, parseJson } from '../../json.ts'
import type { AgentSettings, StreamReader, TrajectorySink } from '../agent-kind.ts'
import { listAt, textAt, tokensAt } from '../trajectory/fields.ts'

/** Classes of errors that the provider caused, and not the agent. */
const LOST: Readonly<Record<string, 'request-refused' | 'rate-limited' | 'provider-error'>> = {
  auth: 'request-refused',
  rate_limit: 'rate-limited',
  network: 'provider-error',
  provider: 'provider-error',
  server: 'provider-error',
}

/** Events that say nothing about the agent's work, or that a later event repeats. */
const SILENT = new Set(['iteration_start', 'iteration_end', 'content_update'])

export function clineReader(sink: TrajectorySink, settings: AgentSettings): StreamReader {
  let requests = 0
  const at = tokensAt(sink)

  function usage(event: unknown): void {
    const cacheRead = at(event, 'cacheReadTokens')
    const cacheWrite = at(event, 'cacheWriteTokens')
    const all = at(event, 'inputTokens')
    const input = Math.max(0, all - cacheRead - cacheWrite)
    const output = at(event, 'outputTokens')
    sink.request(`request-${++requests}`, {
      model: settings.model,
      usage: { input, cacheRead, cacheWrite, output, reasoning: 0 },
    })
  }

  function content(type: string, event: unknown, raw: string): void {
    const kind = textAt(event, 'contentType')
    if (kind === 'tool') {
      const id = textAt(event, 'toolCallId')
      // The cast is safe, because the value was parsed from JSON.
      const args = (child(event, 'input') ?? null) as Json
      if (type === 'content_start') sink.toolCall({ id, name: textAt(event, 'toolName'), args })
      else sink.toolResult(id, resultOf(event))
    } else if (kind === 'text' || kind === 'reasoning') {
      if (type === 'content_start') sink.begun()
      else if (kind === 'text') sink.message('assistant', textAt(event, 'text'))
      else sink.reasoning(textAt(event, 'text') || textAt(event, 'reasoning'))
    } else sink.other(`${type} ${kind}`.trim(), raw)
  }

  function agentEvent(event: unknown, raw: string): void {
    const type = textAt(event, 'type')
    if (type === 'content_start' || type === 'content_end') content(type, event, raw)
    else if (type === 'usage') usage(event)
    else if (type === 'done') {
      const reason = textAt(event, 'reason')
      sink.answer(textAt(event, 'text'))
      sink.end(
        reason === 'completed' ? { how: 'done' } : { how: 'failed', why: `it ended: ${reason}` },
      )
    } else if (type === 'error') {
      const why = textAt(child(event, 'error'), 'message') || 'an error without a message'
      sink.error(why)
      const reason = LOST[textAt(event, 'errorClass')]
      if (child(event, 'recoverable') !== true)
        sink.end(reason === undefined ? { how: 'failed', why } : { how: 'lost', why, reason })
    } else if (!SILENT.has(type)) sink.other(type, raw)
  }

  function readEvent(given: unknown, raw: string): void {
    const type = textAt(given, 'type')
    if (type === 'agent_event') agentEvent(child(given, 'event'), raw)
    else if (type === 'run_result') {
      const id = textAt(child(given, 'model'), 'id')
      if (id !== '') sink.model(id)
    } else if (type === 'error') sink.error(textAt(given, 'message'))
    else if (type !== 'hook_event') sink.other(type, raw)
  }

  return {
    line: (text) => {
      if (text.trim() === '') return
      const given = parseJson(text)
      if (isRecord(given)) readEvent(given, text)
      else sink.other('text', text)
    },
    turnEnded: () => {},
  }
}

/** Returns the result of a call. The event has a list with one entry for each command or file of the call. */
function resultOf(event: unknown): { readonly text: string; readonly failed: boolean } {
  const parts = listAt(event, 'output')
  const error = textAt(event, 'error')
  if (parts.length === 0) {
    const output = child(event, 'output')
    const text =
      typeof output === 'string' ? output : isRecord(output) ? JSON.stringify(output) : ''
    return { text: text || error, failed: error !== '' }
  }
  const texts = parts.map((one) => textAt(one, 'result') || textAt(one, 'error'))
  const failed = error !== '' || parts.some((one) => child(one, 'success') === false)
  return { text: texts.join('\n'), failed }
}
