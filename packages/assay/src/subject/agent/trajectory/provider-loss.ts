/**
 * Returns why the provider was lost, from the HTTP status of its last reply. Used for agents that report this status.
 */
import type { LostReason } from '../agent-kind.ts'

export function lossOf(status: number): LostReason {
  if (status === 429) return 'rate-limited'
  if (status === 408 || status === 504) return 'provider-timeout'
  return status >= 400 && status < 500 ? 'request-refused' : 'provider-error'
}
