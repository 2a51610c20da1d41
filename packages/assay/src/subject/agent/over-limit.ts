/**
 * Checks the limits of an agent: the limits of its case (turns, tokens, cost), and the limits of the sandbox on
 * the resources that the agent and its child processes use.
 */
import type { AgentLimits, WorkspaceEnd } from '@assay/contract'
import type { Counts } from './trajectory/trajectory-builder.ts'

/** Checks what an agent has done so far. Returns a message that says which limit was exceeded; null if none was. */
export function overLimit(limits: AgentLimits, counts: Counts): string | null {
  const of = (what: string, most: number | null, count: number): string | null =>
    most !== null && count > most ? `more than ${most} ${what}: ${count}` : null
  return (
    of('turns', limits.turns, counts.turns) ??
    of('tool calls', limits.toolCalls, counts.toolCalls) ??
    of('tokens', limits.tokens, counts.tokens) ??
    of('US dollars', limits.usd, Number(counts.usd.toPrecision(6)))
  )
}

type Resource = NonNullable<WorkspaceEnd['reached']>

/** Messages for an agent that reached the sandbox's limit on a resource, together with its child processes. */
export const REACHED: Readonly<Record<Resource, string>> = {
  disk: 'wrote more to the disk than it may',
  memory: 'used more memory than it may',
  processes: 'started more processes than it may',
}

/**
 * Returns a message for a trial in which the machine ran out of a resource while the agent was below its own
 * limit.
 */
export const starvedBy = (short: Resource): string =>
  `the machine ran out of ${short} while the agent ran; the agent was below its own limit`
