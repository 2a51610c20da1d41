/**
 * Describes an agent's actions as lines of text for people and judges. Each step with content has one line, in which
 * arguments and results are cut to a few words. All of this text comes from the agent, so control characters and
 * line breaks are escaped.
 */
import { type Json, type Step, type Trajectory, plain } from '@assay/contract'
import { counted } from '../../text/index.ts'
import { shownJson } from '../json-value.ts'
import { quoted, shortened } from '../shown.ts'
import { isClaimed } from './acted.ts'

export type ToolCall = Extract<Step, { readonly kind: 'tool-call' }>

const MOST_WORDS = 200
const MOST_NAME = 60
const MOST_EVIDENCE = 30

/**
 * Returns the tool calls that count. If the agent's requests went through the gateway, calls that only the agent
 * reports do not count.
 */
export const toolCalls = ({ steps }: Trajectory): ToolCall[] =>
  steps.filter((step) => step.kind === 'tool-call').filter((step) => !isClaimed(step))

/**
 * Returns the line that describes a step. Returns null for the user's messages and for unknown events, because
 * neither is an action of the agent.
 */
export function stepLine(step: Step, most = MOST_WORDS): string | null {
  switch (step.kind) {
    case 'message':
      return step.role === 'user' ? null : `${step.role} says ${quoted(step.text, most)}`
    case 'reasoning':
      return `thinks ${quoted(step.text, most)}`
    case 'tool-call':
      return `${callLine(step, most)}${claimedWords(step)}`
    case 'file-change':
      return `${step.change} ${quoted(step.path, most)}`
    case 'skill':
      return `uses the skill ${quoted(step.name, MOST_NAME)}${claimedWords(step)}`
    case 'error':
      return `error ${quoted(step.text, most)}`
    default:
      return null
  }
}

const claimedWords = (step: Step): string =>
  isClaimed(step) ? ' (only the agent says so: its requests do not show it)' : ''

function callLine({ name, args, result, failed }: ToolCall, most: number): string {
  const end = result === null ? 'no result' : `${failed ? 'failed ' : ''}${quoted(result, most)}`
  return `calls ${shownName(name)} ${shownArgs(args, most)}, ${end}`
}

export const shownName = (name: string): string => plain(shortened(name, MOST_NAME))

const shownArgs = (args: Json, most: number): string => plain(shownJson(args, most))

/** Formats the tool calls of a trial as evidence for a grade. */
export function callEvidence(calls: readonly ToolCall[]): string {
  const shown = calls.slice(0, MOST_EVIDENCE).map((call, i) => `${i + 1}. ${callLine(call, 80)}`)
  const more = calls.length - shown.length
  if (more > 0) shown.push(`and ${counted(more, 'more call', 'more calls')}`)
  return shown.length === 0 ? 'no tool was called' : shown.join('\n')
}
