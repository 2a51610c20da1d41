/** How a model is asked. What is not given is the provider's own default. */
import { type Json, UsageError } from '@assay/contract'

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

export type Effort = (typeof EFFORTS)[number]

export interface ModelParameters {
  readonly temperature?: number | undefined
  /** Most tokens of an answer. Wins over the case's own limit. */
  readonly maxTokens?: number | undefined
  readonly topP?: number | undefined
  /**
   * Trial i is asked with seed + i: a repeated trial is another draw, and the run can be repeated. Only
   * as good as the provider's word; some ignore it.
   */
  readonly seed?: number | undefined
  /** Goes before everything else. */
  readonly system?: string | undefined
  /** How much a model that can reason shall do so. */
  readonly effort?: Effort | undefined
}

const NAMES = ['temperature', 'maxTokens', 'topP', 'seed', 'system', 'effort']

/** Throws the user's mistake; otherwise returns what is set, for the subject's record. */
export function checkParameters(
  parameters: ModelParameters,
  subject: string,
): { readonly [key: string]: Json } {
  const { temperature, maxTokens, topP, seed, system, effort } = parameters
  const unknown = Object.keys(parameters).find((name) => !NAMES.includes(name))
  if (unknown !== undefined) {
    throw new UsageError(`${subject}: there is no parameter "${unknown}", only ${NAMES.join(', ')}`)
  }
  const mistake = (name: string, expected: string, found: unknown): never => {
    throw new UsageError(`${subject}: ${name} must be ${expected}, found ${JSON.stringify(found)}`)
  }
  if (temperature !== undefined && !(temperature >= 0 && temperature <= 2)) {
    mistake('temperature', 'a number from 0 to 2', temperature)
  }
  if (topP !== undefined && !(topP > 0 && topP <= 1)) {
    mistake('topP', 'a number above 0, up to 1', topP)
  }
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens > 0)) {
    mistake('maxTokens', 'a whole number above 0', maxTokens)
  }
  // Providers keep seeds in 32 bits; trials count upward from it.
  if (seed !== undefined && !(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31)) {
    mistake('seed', 'a whole number from 0 to 2147483647', seed)
  }
  if (system !== undefined && typeof system !== 'string') mistake('system', 'a text', system)
  if (effort !== undefined && !EFFORTS.includes(effort)) {
    mistake('effort', `one of ${EFFORTS.join(', ')}`, effort)
  }
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined))
}
