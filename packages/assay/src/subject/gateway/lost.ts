/** Decides who is responsible for a request without an answer: the agent or its provider. */
import type { SubjectError } from '@assay/contract'
import type { LostEnd, LostReason } from '../agent/agent-kind.ts'
import type { Upstream } from './route.ts'

/**
 * HTTP statuses below 500 for which the provider or the user's account may be responsible. For all others, it is the
 * agent.
 */
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
