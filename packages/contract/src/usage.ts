/**
 * Token counts by class. `input` excludes cached input, which is in `cacheRead` and `cacheWrite`. `output`
 * includes `reasoning`.
 */
export interface Usage {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
}
