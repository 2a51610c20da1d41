/**
 * A scripted model behind OpenAI's Chat Completions API, streamed or not. As with Anthropic, a request without tools
 * (such as for a title) gets one word as a reply and does not count as a step of the script.
 */
import {
  STEP_USAGE,
  stepAt,
  type AgentScript,
  type ScriptedReply,
  type ScriptStep,
} from './script.ts'
import { errorBody, usageBody, type Body } from './wire.ts'

/** Null if the script does not reply. */
export function chatReply(script: AgentScript, body: Body, number: number): ScriptedReply | null {
  const step = isErrand(body) ? { say: 'ok' } : stepAt(script, spokenIn(body))
  if ('hang' in step) return null
  if ('status' in step) {
    const { status, message = 'scripted failure' } = step
    const headers = { 'content-type': 'application/json' }
    return { status, headers, body: JSON.stringify(errorBody('chat', status, message)) }
  }
  const head = { id: `chatcmpl-${number}`, created: 1_700_000_000, model: String(body['model']) }
  const message = messageOf(step, number)
  const finish = message['tool_calls'] === undefined ? 'stop' : 'tool_calls'
  const usage = usageBody('chat', step.usage ?? STEP_USAGE)
  if (body['stream'] !== true) {
    const choices = [{ index: 0, message, finish_reason: finish }]
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...head, object: 'chat.completion', choices, usage }),
    }
  }
  const chunk = { ...head, object: 'chat.completion.chunk' }
  const chunks = [
    { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    ...(wantsUsage(body) ? [{ ...chunk, choices: [], usage }] : []),
  ]
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: [...chunks.map((one) => JSON.stringify(one)), '[DONE]']
      .map((data) => `data: ${data}\n\n`)
      .join(''),
  }
}

const isErrand = (body: Body): boolean =>
  !Array.isArray(body['tools']) || body['tools'].length === 0

const wantsUsage = (body: Body): boolean =>
  (body['stream_options'] as Body | undefined)?.['include_usage'] === true

function spokenIn(body: Body): number {
  const messages = Array.isArray(body['messages']) ? (body['messages'] as Body[]) : []
  return messages.filter(({ role }) => role === 'assistant').length
}

function messageOf(step: ScriptStep, number: number): Body {
  const head = {
    role: 'assistant',
    ...(step.thinking === undefined ? {} : { reasoning_content: step.thinking }),
  }
  if ('say' in step) return { ...head, content: step.say }
  const calls = 'tools' in step ? step.tools : 'tool' in step ? [step.tool] : []
  return {
    ...head,
    content: 'tools' in step ? (step.text ?? null) : null,
    tool_calls: calls.map(({ name, args }, index) => ({
      index,
      id: `call_${number}_${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    })),
  }
}
