/** Token classes, normalised: cached input is in neither `input` nor counted twice; reasoning is a part of output. */
export interface Usage {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
}
