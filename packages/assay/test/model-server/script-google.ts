/**
 * A scripted model behind Google's API: `generateContent`, and `streamGenerateContent` as server-sent events.
 * Agents also send requests that are not part of the task, such as to choose a model. These requests have no tools.
 * They get one word as a reply, or the JSON that they ask for, and do not count as a step of the script.
 */
import {
  STEP_USAGE,
  stepAt,
  type AgentScript,
  type ScriptedReply,
  type ScriptStep,
} from './script.ts'
import { errorBody, type Body, type ReplyUsage } from './wire.ts'

export interface GoogleRequest {
  readonly model: string
  readonly streamed: boolean
}

/** Returns what a path asks for, or null if it is not a path of Google's API. */
export function googleRequest(path: string): GoogleRequest | null {
  const found = /\/models\/([^/]+):(generateContent|streamGenerateContent)$/u.exec(path)
  if (found === null) return null
  return {
    model: decodeURIComponent(found[1] ?? ''),
    streamed: found[2] === 'streamGenerateContent',
  }
}

/** Null if the script does not reply. */
export function googleReply(
  script: AgentScript,
  body: Body,
  number: number,
  { model, streamed }: GoogleRequest,
): ScriptedReply | null {
  const step = isErrand(body) ? { say: errandReply(body) } : stepAt(script, spokenIn(body))
  if ('hang' in step) return null
  if ('status' in step) {
    const { status, message = 'scripted failure' } = step
    const headers = { 'content-type': 'application/json' }
    return { status, headers, body: JSON.stringify(errorBody('google', status, message)) }
  }
  const reply = {
    candidates: [
      { content: { role: 'model', parts: partsOf(step, number) }, finishReason: 'STOP', index: 0 },
    ],
    usageMetadata: usageOf(step.usage ?? STEP_USAGE),
    modelVersion: model,
    responseId: `google-${number}`,
  }
  const text = JSON.stringify(reply)
  return streamed
    ? { status: 200, headers: { 'content-type': 'text/event-stream' }, body: `data: ${text}\n\n` }
    : { status: 200, headers: { 'content-type': 'application/json' }, body: text }
}

const listOf = (value: unknown): Body[] => (Array.isArray(value) ? (value as Body[]) : [])

const isErrand = (body: Body): boolean => listOf(body['tools']).length === 0

/** The only question that the agent asks in JSON is which model it should use for a prompt. */
const errandReply = ({ generationConfig }: Body): string =>
  JSON.stringify(generationConfig ?? {}).includes('application/json')
    ? JSON.stringify({ reasoning: 'It is simple.', model_choice: 'flash' })
    : 'ok'

const spokenIn = (body: Body): number =>
  listOf(body['contents']).filter(({ role }) => role === 'model').length

function partsOf(step: ScriptStep, number: number): Body[] {
  const thinking = step.thinking === undefined ? [] : [{ text: step.thinking, thought: true }]
  if ('say' in step) return [...thinking, { text: step.say }]
  const calls = 'tools' in step ? step.tools : 'tool' in step ? [step.tool] : []
  const text = 'tools' in step && step.text !== undefined ? [{ text: step.text }] : []
  const uses = calls.map(({ name, args }, index) => ({
    functionCall: { id: `call_${number}_${index}`, name, args },
  }))
  return [...thinking, ...text, ...uses]
}

/**
 * Cached input is part of the prompt's count. Thoughts are counted separately from the candidates. Zeros are left
 * out.
 */
const usageOf = ({ input, cacheRead, output, reasoning }: ReplyUsage): Body => ({
  promptTokenCount: input + cacheRead,
  ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
  ...(output > reasoning ? { candidatesTokenCount: output - reasoning } : {}),
  ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
  totalTokenCount: input + cacheRead + output,
})
