/**
 * What a scripted model does, step by step, for agents that are driven without a real one: call a tool, or
 * say something. The same script is spoken in each provider's protocol (script-*.ts). Which step comes next
 * is read off the conversation in the request (how often the model has spoken in it), so that the server
 * keeps no state, a retried request gets the same step again, and a resumed session goes on where it was.
 */
import type { ReplyUsage } from './wire.ts'

export interface AgentScript {
  readonly steps: readonly ScriptStep[]
}

export type ScriptStep = (
  | { readonly tool: ScriptedCall }
  /** Several at once, after some words. */
  | { readonly tools: readonly ScriptedCall[]; readonly text?: string }
  | { readonly say: string }
  /** The provider fails instead; as often as it is asked. */
  | { readonly status: number; readonly message?: string }
  /** Never answers. */
  | { readonly hang: true }
) & { readonly usage?: ReplyUsage; readonly thinking?: string }

export interface ScriptedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** What a step uses where it does not say. */
export const STEP_USAGE: ReplyUsage = {
  input: 100,
  cacheRead: 0,
  cacheWrite: 0,
  output: 10,
  reasoning: 0,
}

/** The step for a conversation in which the model has spoken so often; beyond the script it is done. */
export function stepAt(script: AgentScript, spoken: number): ScriptStep {
  return script.steps[spoken] ?? { say: 'There is nothing left to do.' }
}

/** A reply on the wire; null: none, the connection stays open. */
export interface ScriptedReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
