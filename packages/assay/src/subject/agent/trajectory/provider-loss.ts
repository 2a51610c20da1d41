/** Returns the reason for a provider's HTTP status, for agents that report the status of the last reply. */
import type { LostReason } from '../agent-kind.ts'

export function lossOf(status: number): LostReason {
  if (status === 429) return 'rate-limited'
  if (status === 408 || status === 504) return 'provider-timeout'
  return status >= 400 && status < 500 ? 'request-refused' : 'provider-error'
}
