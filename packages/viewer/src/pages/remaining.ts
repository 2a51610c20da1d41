/** Estimates how long a run still takes, from the counts that a page has seen. */

export interface Sample {
  /** In seconds, of any clock. */
  readonly at: number
  readonly done: number
}

/** Only this much of the past counts, because a run's speed changes with its providers. */
const WINDOW_SECONDS = 60

/** Returns null if the run has not moved while it was watched, or did so for too short a time. */
export function secondsLeft(samples: readonly Sample[], planned: number): number | null {
  const last = samples.at(-1)
  if (last === undefined) return null
  const first = samples.find(({ at }) => last.at - at <= WINDOW_SECONDS)
  if (first === undefined || last.done <= first.done || last.at - first.at < 2) return null
  return ((planned - last.done) * (last.at - first.at)) / (last.done - first.done)
}
