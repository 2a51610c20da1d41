/** The names of all keys that Assay uses in Redis. Everything of one run begins with the same prefix. */

const PREFIX = 'assay'

/** The prefix of BullMQ's own keys. */
export const BULL_PREFIX = `${PREFIX}:jobs`
/** The ids of the runs that are not over. */
export const RUNS = `${PREFIX}:runs`
/** The ids of the workers that were seen. A worker whose own key has expired is gone. */
export const WORKERS = `${PREFIX}:workers`
/** Messages to all workers: something may have changed for them. */
export const WAKE = `${PREFIX}:wake`

export const workerKey = (worker: string): string => `${PREFIX}:worker:${worker}`

export interface RunKeys {
  /** A hash: the signed description of the run, and the signed sign of life of its coordinator. */
  readonly run: string
  /** The content-addressed items of the run. */
  readonly items: string
  /** A stream with everything that workers report to the coordinator. */
  readonly out: string
  /** The trials that are to be done, each with the number of its job. */
  readonly open: string
  /** Answers that arrived and are not graded yet. */
  readonly answers: string
  /** The answers that the coordinator has written to the disk. */
  readonly acks: string
  /** Trials whose result is in the stream. */
  readonly finished: string
  /** How often each trial was asked. */
  readonly asked: string
  /** How many answers were requested again. */
  readonly again: string
  /** For each worker: which lanes it can serve, and why not the others. */
  readonly fit: string
  readonly budget: string
  readonly reservations: string
  readonly reserved: string
  /** The channel on which acknowledged answers are announced. */
  readonly ack: string
}

export function runKeys(run: string): RunKeys {
  const of = (name: string): string => `${PREFIX}:run:${run}:${name}`
  return {
    run: of('head'),
    items: of('items'),
    out: of('out'),
    open: of('open'),
    answers: of('answers'),
    acks: of('acks'),
    finished: of('finished'),
    asked: of('asked'),
    again: of('again'),
    fit: of('fit'),
    budget: of('budget'),
    reservations: of('reservations'),
    reserved: of('reserved'),
    ack: of('ack'),
  }
}

/** The state of a provider in one run: whether it has answered yet, and whether Assay gave up on it. */
export const runPoolKeys = (run: string, pool: string): { state: string; leases: string } => ({
  state: `${PREFIX}:run:${run}:pool:${pool}`,
  leases: `${PREFIX}:run:${run}:leases:${pool}`,
})

/** The state of a provider that all runs share. */
export const poolKeys = (
  pool: string,
): { state: string; leases: string; demand: string; sends: string } => ({
  state: `${PREFIX}:pool:${pool}:state`,
  leases: `${PREFIX}:pool:${pool}:leases`,
  demand: `${PREFIX}:pool:${pool}:demand`,
  sends: `${PREFIX}:pool:${pool}:sends`,
})

/** The name of the BullMQ queue of one lane of a run. BullMQ does not allow colons in it. */
export const laneQueue = (run: string, lane: string): string => `${run}.${lane}`

/** The pattern of all keys of a run, BullMQ's included. */
export const runPatterns = (run: string): string[] => [
  `${PREFIX}:run:${run}:*`,
  `${BULL_PREFIX}:${run}.*`,
]
