/**
 * A scripted model behind Anthropic's Messages API, streamed or not. Agents also send requests that are not part of
 * the task, such as for a title or to check a quota. These requests have no tools. They get one word as a reply and
 * do not count as a step of the script.
 */
import {
  STEP_USAGE,
  stepAt,
  type AgentScript,
  type ScriptedReply,
  type ScriptStep,
} from './script.ts'
import { errorBody, type Body, type ReplyUsage } from './wire.ts'

/** Null if the script does not reply. */
export function anthropicReply(
  script: AgentScript,
  body: Body,
  number: number,
): ScriptedReply | null {
  const step = isErrand(body) ? { say: 'ok' } : stepAt(script, spokenIn(body))
  if ('hang' in step) return null
  if ('status' in step) {
    const { status, message = 'scripted failure' } = step
    const headers = { 'content-type': 'application/json', 'retry-after': '0' }
    return { status, headers, body: JSON.stringify(errorBody('anthropic', status, message)) }
  }
  const message = {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model: String(body['model']),
    content: contentOf(step, number),
    stop_reason: 'say' in step ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: usageOf(step.usage ?? STEP_USAGE),
  }
  if (body['stream'] !== true)
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    }
  const events = eventsOf(message)
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: events
      .map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(''),
  }
}

const isErrand = (body: Body): boolean =>
  !Array.isArray(body['tools']) || body['tools'].length === 0

function spokenIn(body: Body): number {
  const messages = Array.isArray(body['messages']) ? (body['messages'] as Body[]) : []
  return messages.filter(({ role }) => role === 'assistant').length
}

type Block = Body

function contentOf(step: ScriptStep, number: number): Block[] {
  const thinking =
    step.thinking === undefined
      ? []
      : [{ type: 'thinking', thinking: step.thinking, signature: 'c2lnbmVk' }]
  if ('say' in step) return [...thinking, { type: 'text', text: step.say }]
  const calls = 'tools' in step ? step.tools : 'tool' in step ? [step.tool] : []
  const text = 'tools' in step && step.text !== undefined ? [{ type: 'text', text: step.text }] : []
  const uses = calls.map(({ name, args }, index) => ({
    type: 'tool_use',
    id: `toolu_${number}_${index}`,
    name,
    input: args,
  }))
  return [...thinking, ...text, ...uses]
}

const usageOf = ({ input, cacheRead, cacheWrite, output }: ReplyUsage): Body => ({
  input_tokens: input,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cacheRead,
  output_tokens: output,
})

/**
 * As in the real service, the first event reports one token of output, and the last but one reports all of them.
 */
function eventsOf(message: Body & { readonly content: readonly Block[]; usage: Body }): Body[] {
  const {
    content,
    stop_reason: reason,
    usage,
  } = message as typeof message & { stop_reason: string }
  const start = {
    ...message,
    content: [],
    stop_reason: null,
    usage: { ...usage, output_tokens: 1 },
  }
  const blocks = content.flatMap((block, index): Body[] => {
    const { empty, delta } = streamed(block)
    return [
      { type: 'content_block_start', index, content_block: empty },
      ...delta.map((one) => ({ type: 'content_block_delta', index, delta: one })),
      { type: 'content_block_stop', index },
    ]
  })
  return [
    { type: 'message_start', message: start },
    ...blocks,
    {
      type: 'message_delta',
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: usage['output_tokens'] },
    },
    { type: 'message_stop' },
  ]
}

function streamed(block: Block): { readonly empty: Body; readonly delta: readonly Body[] } {
  if (block['type'] === 'text')
    return { empty: { ...block, text: '' }, delta: [{ type: 'text_delta', text: block['text'] }] }
  if (block['type'] === 'thinking')
    return {
      empty: { type: 'thinking', thinking: '', signature: '' },
      delta: [
        { type: 'thinking_delta', thinking: block['thinking'] },
        { type: 'signature_delta', signature: block['signature'] },
      ],
    }
  return {
    empty: { ...block, input: {} },
    delta: [{ type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }],
  }
}
