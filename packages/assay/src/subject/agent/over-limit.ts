/**
 * Checks the limits of an agent. The case sets limits on turns, tokens and cost. The sandbox sets limits on the
 * resources that the agent and its child processes use.
 */
import type { AgentLimits, WorkspaceEnd } from '@assay/contract'
import type { Counts } from './trajectory/trajectory-builder.ts'

/**
 * Checks what an agent has done so far. Returns a message that names the exceeded limit. Returns null if none is
 * exceeded.
 */
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

/** Messages for an agent that reached the sandbox's limit on a resource. Its child processes count too. */
export const REACHED: Readonly<Record<Resource, string>> = {
  disk: 'wrote more to the disk than it may',
  memory: 'used more memory than it may',
  processes: 'started more processes than it may',
}

/**
 * Returns the message for a trial in which the machine ran out of a resource although the agent was below its own
 * limit.
 */
export const starvedBy = (short: Resource): string =>
  `the machine ran out of ${short} while the agent ran; the agent was below its own limit`
