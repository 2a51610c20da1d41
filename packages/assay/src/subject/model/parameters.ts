/** The parameters of a request to a model. If a parameter is not set, the provider's default applies. */
import { type Json, UsageError } from '@assay/contract'

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

export type Effort = (typeof EFFORTS)[number]

export interface ModelParameters {
  readonly temperature?: number | undefined
  /** The most tokens of an answer. It overrides the limit of the case. */
  readonly maxTokens?: number | undefined
  readonly topP?: number | undefined
  /**
   * The seed of the first trial. Trial i uses seed + i. So each trial is a different sample, and the run can still be
   * repeated. Some providers ignore the seed.
   */
  readonly seed?: number | undefined
  /** The system prompt. It is sent before all other messages. */
  readonly system?: string | undefined
  /** How much a reasoning model should reason. */
  readonly effort?: Effort | undefined
}

const NAMES = ['temperature', 'maxTokens', 'topP', 'seed', 'system', 'effort']

/** Returns the parameters that are set, for the subject's record. Throws a `UsageError` if a parameter is not valid. */
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
  // Providers store seeds as signed 32-bit numbers, so larger seeds are refused.
  if (seed !== undefined && !(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31)) {
    mistake('seed', 'a whole number from 0 to 2147483647', seed)
  }
  if (system !== undefined && typeof system !== 'string') mistake('system', 'a text', system)
  if (effort !== undefined && !EFFORTS.includes(effort)) {
    mistake('effort', `one of ${EFFORTS.join(', ')}`, effort)
  }
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined))
}
