/** Which kind of loss an HTTP status is, for agents that tell the status of their provider's last reply. */
import type { LostReason } from '../agent-kind.ts'

export function lossOf(status: number): LostReason {
  if (status === 429) return 'rate-limited'
  if (status === 408 || status === 504) return 'provider-timeout'
  return status >= 400 && status < 500 ? 'request-refused' : 'provider-error'
}
