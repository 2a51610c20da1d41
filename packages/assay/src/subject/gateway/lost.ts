/** Whose fault it is that a request has no answer: the agent's, or its provider's. */
import type { SubjectError } from '@assay/contract'
import type { LostEnd, LostReason } from '../agent/agent-kind.ts'
import type { Upstream } from './route.ts'

/** The statuses below 500 that can be the provider's or the account's fault. For all others, the agent's request is. */
const PROVIDERS_FAULTS = new Set([401, 402, 403, 408, 409, 425, 429])

export const isAgentsFault = ({ status }: SubjectError): boolean =>
  status !== null && status >= 400 && status < 500 && !PROVIDERS_FAULTS.has(status)

export const reasonOf = ({ reason }: SubjectError): LostReason =>
  reason === 'rate-limited' || reason === 'provider-timeout' || reason === 'request-refused'
    ? reason
    : 'provider-error'

export const lostBy = (upstream: Upstream, reason: LostReason, why: string): LostEnd => ({
  how: 'lost',
  why: `${upstream.route.title} at ${upstream.baseUrl}: ${why}`,
  reason,
})
