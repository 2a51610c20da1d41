/** The requests of an agent to its model, as the gateway saw them, between the agent's own steps. */
import type { ModelRequest, Step } from '@assay/contract'
import { oneLine, tokenWords } from './step-words.ts'

export interface RequestStep extends ModelRequest {
  readonly kind: 'request'
  /** The user's turn in which it was made. */
  readonly turn: number
}

/** Returns steps and requests in the order of their times. Steps keep their own order. */
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

/** Whether only the agent tells of a step, although its requests were seen. */
export const isClaimed = (step: Step | RequestStep): boolean =>
  'evidence' in step && step.evidence === 'claimed'
