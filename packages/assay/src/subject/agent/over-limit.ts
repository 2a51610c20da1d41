/** Checks what an agent has done so far against the limits of its case. */
import type { AgentLimits } from '@assay/contract'
import type { Counts } from './trajectory/trajectory-builder.ts'

/** Returns a text for people that says which limit was exceeded; null if none was. */
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
