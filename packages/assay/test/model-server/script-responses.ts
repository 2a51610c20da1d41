/**
 * A scripted model behind OpenAI's Responses API, streamed or not. A tool that the request describes as `custom`
 * takes one text instead of JSON. In the script, this text is the argument `input` of the call. A tool in a
 * namespace is called `namespace.name` in the script.
 */
import {
  STEP_USAGE,
  stepAt,
  type AgentScript,
  type ScriptedCall,
  type ScriptedReply,
  type ScriptStep,
} from './script.ts'
import { errorBody, type Body, type ReplyUsage } from './wire.ts'

/** Null if the script does not reply. */
export function responsesReply(
  script: AgentScript,
  body: Body,
  number: number,
): ScriptedReply | null {
  const step = stepAt(script, spokenIn(body))
  if ('hang' in step) return null
  if ('status' in step) {
    const { status, message = 'scripted failure' } = step
    const headers = { 'content-type': 'application/json' }
    return { status, headers, body: JSON.stringify(errorBody('responses', status, message)) }
  }
  const response = {
    id: `resp_${number}`,
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: String(body['model']),
    output: outputOf(step, number, customTools(body)),
    usage: usageOf(step.usage ?? STEP_USAGE),
  }
  if (body['stream'] !== true)
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(response),
    }
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: eventsOf(response)
      .map((event, index) => {
        const data = JSON.stringify({ ...event, sequence_number: index })
        return `event: ${String(event['type'])}\ndata: ${data}\n\n`
      })
      .join(''),
  }
}

/**
 * Counts how often the model has replied. Each reply is a sequence of items of the model, which ends at an item of
 * a tool or the user.
 */
function spokenIn(body: Body): number {
  const items = Array.isArray(body['input']) ? (body['input'] as Body[]) : []
  const own = items.map(isOwn)
  return own.filter((mine, index) => mine && own[index - 1] !== mine).length
}

function isOwn({ type, role }: Body): boolean {
  if (type === 'reasoning' || type === 'function_call' || type === 'custom_tool_call') return true
  return role === 'assistant'
}

const listOf = (value: unknown): Body[] => (Array.isArray(value) ? (value as Body[]) : [])

function customTools(body: Body): ReadonlySet<string> {
  const custom = listOf(body['tools']).filter(({ type }) => type === 'custom')
  return new Set(custom.map(({ name }) => String(name)))
}

function outputOf(step: ScriptStep, number: number, custom: ReadonlySet<string>): Body[] {
  const reasoning =
    step.thinking === undefined
      ? []
      : [
          {
            type: 'reasoning',
            id: `rs_${number}`,
            summary: [{ type: 'summary_text', text: step.thinking }],
            encrypted_content: 'c2VhbGVk',
          },
        ]
  if ('say' in step) return [...reasoning, message(step.say, number)]
  const calls = 'tools' in step ? step.tools : 'tool' in step ? [step.tool] : []
  const text = 'tools' in step && step.text !== undefined ? [message(step.text, number)] : []
  return [
    ...reasoning,
    ...text,
    ...calls.map((call, index) => callItem(call, number, index, custom)),
  ]
}

const message = (text: string, number: number): Body => ({
  type: 'message',
  id: `msg_${number}`,
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
})

function callItem(
  { name, args }: ScriptedCall,
  number: number,
  index: number,
  custom: ReadonlySet<string>,
): Body {
  const head = { status: 'completed', call_id: `call_${number}_${index}`, name }
  if (custom.has(name))
    return { type: 'custom_tool_call', id: `ctc_${number}_${index}`, ...head, input: args['input'] }
  const id = `fc_${number}_${index}`
  const call = { type: 'function_call', id, ...head, arguments: JSON.stringify(args) }
  const dot = name.indexOf('.')
  return dot < 0 ? call : { ...call, namespace: name.slice(0, dot), name: name.slice(dot + 1) }
}

/** Cached input is part of the input count, and reasoning is part of the output count. */
const usageOf = ({ input, cacheRead, cacheWrite, output, reasoning }: ReplyUsage): Body => ({
  input_tokens: input + cacheRead + cacheWrite,
  input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + cacheRead + cacheWrite + output,
})

function eventsOf(response: Body & { readonly output: readonly Body[] }): Body[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  const items = response.output.flatMap((item, index): Body[] => [
    {
      type: 'response.output_item.added',
      output_index: index,
      item: { ...item, status: 'in_progress' },
    },
    ...deltasOf(item, index),
    { type: 'response.output_item.done', output_index: index, item },
  ])
  return [
    { type: 'response.created', response: begun },
    ...items,
    { type: 'response.completed', response },
  ]
}

function deltasOf(item: Body, index: number): Body[] {
  const at = { item_id: item['id'], output_index: index, content_index: 0 }
  if (item['type'] === 'message') {
    const text = textIn(item['content'])
    return [{ type: 'response.output_text.delta', ...at, delta: text }]
  }
  if (item['type'] !== 'reasoning') return []
  const text = textIn(item['summary'])
  return [
    { type: 'response.reasoning_summary_part.added', ...at, summary_index: 0 },
    { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta: text },
    { type: 'response.reasoning_summary_text.done', ...at, summary_index: 0, text },
  ]
}

function textIn(parts: unknown): string {
  const text = listOf(parts)[0]?.['text']
  return typeof text === 'string' ? text : ''
}
