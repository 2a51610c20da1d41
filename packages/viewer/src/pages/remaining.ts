/** Estimates how long a run will still take, from the counts that a page has seen. */

export interface Sample {
  /** The time in seconds. The clock may have any starting point. */
  readonly at: number
  readonly done: number
}

/** The estimate uses only the last seconds up to this number, because a run's speed changes with its providers. */
const WINDOW_SECONDS = 60

/**
 * Returns the remaining time. Null if the run made no progress while it was watched, or was watched for too short a
 * time.
 */
export function secondsLeft(samples: readonly Sample[], planned: number): number | null {
  const last = samples.at(-1)
  if (last === undefined) return null
  const first = samples.find(({ at }) => last.at - at <= WINDOW_SECONDS)
  if (first === undefined || last.done <= first.done || last.at - first.at < 2) return null
  return ((planned - last.done) * (last.at - first.at)) / (last.done - first.done)
}
