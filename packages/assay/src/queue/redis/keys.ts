/** The names of all keys that Assay uses in Redis. All keys of one run begin with the same prefix. */

const PREFIX = 'assay'

/** The prefix of the keys that BullMQ, the library for queues, uses itself. */
export const BULL_PREFIX = `${PREFIX}:jobs`
/** The ids of the runs that have not ended. */
export const RUNS = `${PREFIX}:runs`
/** The ids of all workers that have connected. A worker is gone if its own key has expired. */
export const WORKERS = `${PREFIX}:workers`
/** The channel that tells all workers to look for changes. */
export const WAKE = `${PREFIX}:wake`

export const workerKey = (worker: string): string => `${PREFIX}:worker:${worker}`

export interface RunKeys {
  /** A hash with the signed description of the run and the coordinator's signed sign of life. */
  readonly run: string
  /** The run's items (suites, price files, folders), by the hash of their content. */
  readonly items: string
  /** A stream with everything that workers report to the coordinator. */
  readonly out: string
  /** The trials that still have to run. The value is the id of the trial's current job. */
  readonly open: string
  /** The answers that workers have sent and that are not graded yet. */
  readonly answers: string
  /** The answers that the coordinator has written to its disk, and so acknowledged. */
  readonly acks: string
  /** The trials whose result a worker has already added to the stream `out`. */
  readonly finished: string
  /** How many times the subject was asked, for each trial. */
  readonly asked: string
  /** The number of answers that were requested again, because a worker was lost. */
  readonly again: string
  /**
   * For each worker: which lanes (groups of trials with the same needs) it can serve, and why it cannot serve the
   * others.
   */
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

/**
 * Returns the keys for the state of a provider in one run: whether it has answered, and whether Assay gave up on it.
 */
export const runPoolKeys = (run: string, pool: string): { state: string; leases: string } => ({
  state: `${PREFIX}:run:${run}:pool:${pool}`,
  leases: `${PREFIX}:run:${run}:leases:${pool}`,
})

/** Returns the keys for the state of a provider that all runs share. */
export const poolKeys = (
  pool: string,
): { state: string; leases: string; demand: string; sends: string } => ({
  state: `${PREFIX}:pool:${pool}:state`,
  leases: `${PREFIX}:pool:${pool}:leases`,
  demand: `${PREFIX}:pool:${pool}:demand`,
  sends: `${PREFIX}:pool:${pool}:sends`,
})

/**
 * Returns the name of the BullMQ queue for one lane (a group of trials with the same needs). BullMQ does not allow
 * colons in this name.
 */
export const laneQueue = (run: string, lane: string): string => `${run}.${lane}`

/** Returns patterns that match all keys of a run, including those of BullMQ. */
export const runPatterns = (run: string): string[] => [
  `${PREFIX}:run:${run}:*`,
  `${BULL_PREFIX}:${run}.*`,
]
