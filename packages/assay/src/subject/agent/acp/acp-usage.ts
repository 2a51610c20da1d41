/**
 * Reads the token counts that an ACP agent reports. Agents count differently: for some, the input includes cached
 * tokens, and for some, the output excludes thoughts. The total shows how an agent counts, because it contains each
 * token once.
 */
import type { Usage } from '@assay/contract'
import { child, isRecord } from '../../json.ts'
import type { TrajectorySink } from '../agent-kind.ts'
import { tokensAt } from '../trajectory/fields.ts'

/**
 * Reads the counts `{inputTokens, outputTokens, totalTokens, thoughtTokens?, cachedReadTokens?, cachedWriteTokens?}`.
 */
export function usageAt(value: unknown, sink: Pick<TrajectorySink, 'odd'>): Usage | null {
  if (!isRecord(value) || child(value, 'inputTokens') === undefined) return null
  const at = tokensAt(sink)
  const given = at(value, 'inputTokens')
  const said = at(value, 'outputTokens')
  const cacheRead = at(value, 'cachedReadTokens')
  const cacheWrite = at(value, 'cachedWriteTokens')
  const thoughts = at(value, 'thoughtTokens')
  const cached = cacheRead + cacheWrite
  const rest = at(value, 'totalTokens') - given - said
  const isApart = cached === 0 || rest >= cached || given < cached
  const input = isApart ? given : given - cached
  const hidden = rest - (isApart ? cached : 0)
  const output = thoughts > 0 && hidden >= thoughts ? said + thoughts : said
  return { input, cacheRead, cacheWrite, output, reasoning: Math.min(thoughts, output) }
}

/** Reads the token counts that Gemini CLI adds to its reply. They are listed by model, in two classes. */
export function quotaAt(
  value: unknown,
  sink: Pick<TrajectorySink, 'odd'>,
): Readonly<Record<string, Usage>> | null {
  const models = child(child(value, 'quota'), 'model_usage')
  if (!Array.isArray(models)) return null
  const at = tokensAt(sink)
  const entries = models.flatMap((one: unknown): [string, Usage][] => {
    const model = child(one, 'model')
    const counts = child(one, 'token_count')
    if (typeof model !== 'string' || !isRecord(counts)) return []
    const own = usageAt(counts, sink)
    const input = at(counts, 'input_tokens')
    const output = at(counts, 'output_tokens')
    return [[model, own ?? { input, cacheRead: 0, cacheWrite: 0, output, reasoning: 0 }]]
  })
  return entries.length === 0 ? null : Object.fromEntries(entries)
}
