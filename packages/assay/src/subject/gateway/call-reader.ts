/**
 * Reads the tool calls in a model's reply, in the formats of the four supported APIs, for streams and for whole
 * replies. The provider sent these calls. So they show what the model asked for, even if the agent reports something
 * else. A reply can contain anything.
 */
import type { Json } from '@assay/contract'
import { boundedJson, boundedText } from '../agent/trajectory/bounded.ts'
import { listAt, numberAt, textAt } from '../agent/trajectory/fields.ts'
import { child, isRecord, parseJson, type JsonRecord } from '../json.ts'
import type { Api } from '../model/wire.ts'

export interface RepliedCall {
  /**
   * The provider's id of the call. The agent sends the call's result back with this id. Empty if the API has no ids.
   */
  readonly id: string
  readonly name: string
  readonly args: Json
}

export interface CallReader {
  /** Reads one event of a stream. */
  event(json: JsonRecord): void
  /** Reads a reply that is not a stream. */
  whole(json: unknown): void
  /** Returns the calls, including those that were cut off. `isCut` is true if there were too many calls. */
  end(): { readonly calls: readonly RepliedCall[]; readonly isCut: boolean }
}

const MOST_CALLS = 1000
/** The most characters that are kept of the arguments of one call while they arrive in parts. */
const MOST_PARTS = 1024 * 1024
const MOST_NAME = 500

/** A call whose arguments arrive in parts. */
interface OpenCall {
  id: string
  name: string
  parts: string
  /** The arguments, if they arrived in one piece. */
  args: unknown
}

export function callReader(api: Api): CallReader {
  const calls = new Map<string, OpenCall>()
  let isCut = false
  const at = (key: string): OpenCall => {
    const known = calls.get(key)
    if (known !== undefined) return known
    const fresh: OpenCall = { id: '', name: '', parts: '', args: undefined }
    if (calls.size < MOST_CALLS) calls.set(key, fresh)
    else isCut = true
    return fresh
  }
  const add = (key: string, id: string, name: string, args: unknown): void => {
    const call = at(key)
    if (id !== '') call.id = id
    if (name !== '') call.name = name
    if (args !== undefined) call.args = args
  }
  const part = (key: string, text: string): void => {
    const call = at(key)
    if (call.parts.length + text.length <= MOST_PARTS) call.parts += text
    else isCut = true
  }
  const { event, whole } = READERS[api](add, part)
  return {
    event,
    whole,
    end: () => ({
      calls: [...calls.values()].map(({ id, name, parts, args }) => ({
        id: boundedText(id, MOST_NAME).value,
        name: boundedText(name, MOST_NAME).value,
        args: boundedJson(parts === '' ? (args ?? null) : (parseJson(parts) ?? parts)).value,
      })),
      isCut,
    }),
  }
}

type Add = (key: string, id: string, name: string, args: unknown) => void
type Part = (key: string, text: string) => void
type Reading = Pick<CallReader, 'event' | 'whole'>

const READERS: Readonly<Record<Api, (add: Add, part: Part) => Reading>> = {
  anthropic: (add, part) => {
    const block = (given: unknown, index: number): void => {
      if (textAt(given, 'type').endsWith('tool_use'))
        add(String(index), textAt(given, 'id'), textAt(given, 'name'), child(given, 'input'))
    }
    return {
      event(json) {
        const type = textAt(json, 'type')
        if (type === 'content_block_start')
          block(child(json, 'content_block'), numberAt(json, 'index'))
        const partial = textAt(child(json, 'delta'), 'partial_json')
        if (type === 'content_block_delta' && partial !== '')
          part(String(numberAt(json, 'index')), partial)
      },
      whole: (json) => listAt(json, 'content').forEach(block),
    }
  },

  chat: (add, part) => {
    const call = (given: unknown, key: string): void => {
      const { name, text } = functionOf(child(given, 'function') ?? child(given, 'custom'))
      add(key, textAt(given, 'id'), name, undefined)
      if (text !== '') part(key, text)
    }
    const message = (given: unknown, choice: number): void => {
      for (const [i, one] of listAt(given, 'tool_calls').entries())
        call(one, `${choice}/${child(one, 'index') === undefined ? i : numberAt(one, 'index')}`)
      // The older form of OpenAI's API, in which an answer can contain only one call.
      const old = child(given, 'function_call')
      if (isRecord(old)) call({ function: old }, `${choice}/function`)
    }
    return {
      event: (json) =>
        listAt(json, 'choices').forEach((one) =>
          message(child(one, 'delta'), numberAt(one, 'index')),
        ),
      whole: (json) =>
        listAt(json, 'choices').forEach((one, i) => message(child(one, 'message'), i)),
    }
  },

  responses: (add) => {
    const item = (given: unknown): void => {
      const call = responsesCall(given)
      if (call !== null) add(call.id, call.id, call.name, call.args)
    }
    const whole = (json: unknown): void => listAt(json, 'output').forEach(item)
    return {
      event(json) {
        if (textAt(json, 'type').startsWith('response.output_item.')) item(child(json, 'item'))
        else whole(child(json, 'response'))
      },
      whole,
    }
  },

  google: (add) => {
    let calls = 0
    const reply = (json: unknown): void => {
      for (const candidate of listAt(json, 'candidates'))
        for (const one of listAt(child(candidate, 'content'), 'parts')) {
          const call = child(one, 'functionCall')
          if (isRecord(call))
            add(String(calls++), textAt(call, 'id'), textAt(call, 'name'), child(call, 'args'))
        }
    }
    return {
      event: reply,
      whole: (json) => (Array.isArray(json) ? json.forEach(reply) : reply(json)),
    }
  },
}

const functionOf = (given: unknown): { readonly name: string; readonly text: string } => ({
  name: textAt(given, 'name'),
  text: textAt(given, 'arguments') || textAt(given, 'input'),
})

/**
 * Reads a call of OpenAI's Responses API. Tools that OpenAI's servers run themselves have no name. They are named after
 * the type of their item, such as `web_search_call`.
 */
function responsesCall(item: unknown): RepliedCall | null {
  const type = textAt(item, 'type')
  if (!type.endsWith('_call')) return null
  const id = textAt(item, 'call_id') || textAt(item, 'id')
  const space = textAt(item, 'namespace')
  const name = textAt(item, 'name') || type.replace(/_call$/u, '')
  const { text } = functionOf(item)
  const args = text === '' ? (child(item, 'action') ?? null) : (parseJson(text) ?? text)
  // The cast is safe, because the value was parsed from JSON.
  return { id, name: space === '' ? name : `${space}.${name}`, args: args as Json }
}
