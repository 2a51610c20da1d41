/**
 * The steps of a scripted model, for agents that run without a real model. In each step, the model calls a tool or
 * answers with text. The files script-*.ts offer the same script in each provider's protocol. The number of the
 * model's replies in the request's conversation shows which step is next. So the server keeps no state, a repeated
 * request gets the same step, and a resumed session continues where it was.
 */
import type { ReplyUsage } from './wire.ts'

export interface AgentScript {
  readonly steps: readonly ScriptStep[]
}

export type ScriptStep = (
  | { readonly tool: ScriptedCall }
  /** Several calls at once, after some text. */
  | { readonly tools: readonly ScriptedCall[]; readonly text?: string }
  | { readonly say: string }
  /** The provider fails instead, each time it is asked. */
  | { readonly status: number; readonly message?: string }
  /** Never replies. */
  | { readonly hang: true }
) & { readonly usage?: ReplyUsage; readonly thinking?: string }

export interface ScriptedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** The usage of a step that does not set it. */
export const STEP_USAGE: ReplyUsage = {
  input: 100,
  cacheRead: 0,
  cacheWrite: 0,
  output: 10,
  reasoning: 0,
}

/**
 * Returns the step for a conversation with this many replies of the model. After the last step, the model is done.
 */
export function stepAt(script: AgentScript, spoken: number): ScriptStep {
  return script.steps[spoken] ?? { say: 'There is nothing left to do.' }
}

/** A reply as it is sent. Null: no reply is sent, and the connection stays open. */
export interface ScriptedReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
