/**
 * Inserts an agent's requests to its model between the agent's own steps. Assay's gateway, through which the requests
 * went, recorded them.
 */
import type { ModelRequest, Step } from '@assay/contract'
import { oneLine, tokenWords } from './step-words.ts'

export interface RequestStep extends ModelRequest {
  readonly kind: 'request'
  /** The user's turn in which the request was made. */
  readonly turn: number
}

/** Returns steps and requests sorted by time. Steps keep their own order. */
export function withRequests(
  steps: readonly Step[],
  requests: readonly ModelRequest[],
): readonly (Step | RequestStep)[] {
  const waiting = requests.toSorted((a, b) => a.at - b.at)
  const lines: (Step | RequestStep)[] = []
  let next = 0
  const addBefore = (time: number): void => {
    for (; next < waiting.length; next++) {
      const request = waiting[next] as ModelRequest
      if (request.at >= time) return
      lines.push({ ...request, kind: 'request', turn: lines.at(-1)?.turn ?? 0 })
    }
  }
  for (const step of steps) {
    addBefore(step.at)
    lines.push(step)
  }
  addBefore(Number.POSITIVE_INFINITY)
  return lines
}

/** Formats a request, such as `claude-x: 100 in, 10 out`. */
export function requestWords({
  model,
  status,
  usage,
  attempts,
  error,
  estimated,
}: Omit<ModelRequest, 'at' | 'ms' | 'usd'>): string {
  const said = [
    ...(usage === null ? [] : [tokenWords(usage)]),
    ...(estimated === true ? ['estimated'] : []),
    ...(attempts === undefined ? [] : [`sent ${attempts} times`]),
    ...(error === undefined ? [] : [`${status === null ? '' : `status ${status}, `}${error}`]),
  ]
  return oneLine(`${model}: ${said.join('; ')}`)
}

/**
 * Whether a step is known only from the agent's own report. The gateway saw the agent's requests, but they do not
 * confirm the step.
 */
export const isClaimed = (step: Step | RequestStep): boolean =>
  'evidence' in step && step.evidence === 'claimed'
