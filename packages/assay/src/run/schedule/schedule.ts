/**
 * Runs what a plan still lacks. One loop feeds each provider's pool as places come free; each trial then
 * goes its own way (`conduct.ts`). Dispatch pauses while too much waits to be graded or written.
 */
import { RunError } from '@assay/contract'
import type { Ending } from '../../log/index.ts'
import { trialRunner } from './run-trial.ts'
import type { RunCell, Job } from './job.ts'
import { OutOfBudget } from '../grade/judge-requests.ts'
import type { Pending } from '../resume/pending.ts'
import { Pool } from './provider-limiter.ts'

/** Dispatch pauses above these: answers that wait for a grade, their bytes, trials that wait for the disk. */
const MOST_UNGRADED = 256
const MOST_UNGRADED_BYTES = 64 * 1024 * 1024
const MOST_UNRECORDED = 512

/** One pool with the trials that wait for it, in order. */
interface Lane {
  readonly pool: Pool
  readonly order: Iterator<number, void>
  next: number | null
}

export async function execute(job: Job): Promise<Ending> {
  const { plan, tally, clock, budget } = job
  const hard = new AbortController()
  const pools = makePools(job)
  const lanes = makeLanes(job, pools)
  const idle = Promise.withResolvers<void>()
  let ending: Ending | null = null
  let failure: unknown = null
  let inFlight = 0
  let errored = 0
  /** Whoever takes the events is behind: nothing new starts. */
  let isHeld = false

  const conducting = trialRunner(job, pools, hard.signal, {
    answered: pump,
    outOfBudget: () => {
      ending ??= 'budget'
    },
    settled: (outcome) => {
      if (outcome === 'errored' && ++errored > job.mostErrors) ending ??= 'failed'
    },
  })

  const backlogged = (): boolean =>
    isHeld ||
    conducting.waiting.answers > MOST_UNGRADED ||
    conducting.waiting.bytes > MOST_UNGRADED_BYTES ||
    inFlight > MOST_UNRECORDED

  const mayStart = ({ pool }: Lane): boolean => ending === null && pool.isOpen() && !backlogged()

  /** Starts whatever may start now. Called whenever something has come free. */
  function pump(): void {
    let outOfMoney = false
    for (const lane of lanes)
      while (lane.next !== null && mayStart(lane)) {
        const ordinal = lane.next
        const kept = job.pending.get(ordinal)
        const cell = plan.cellAt(ordinal)
        const reserved =
          kept === undefined ? budget.reserve(cell.subject.estimateUsd(cell.case)) : 0
        if (reserved === false) {
          // What is in flight may turn out cheaper than reserved; with nothing in flight it is final.
          outOfMoney = true
          break
        }
        lane.next = upcoming(job, lane.order)
        if (kept === undefined) lane.pool.take()
        inFlight++
        void run(ordinal, cell, lane.pool, reserved, kept)
      }
    if (inFlight > 0) return
    if (isHeld && ending === null && lanes.some(({ next }) => next !== null)) return
    if (outOfMoney) ending ??= 'budget'
    idle.resolve()
  }

  function holdUntilReady(): void {
    const ready = isHeld ? null : job.ready()
    if (ready === null) return
    isHeld = true
    void ready.catch(fail).finally(() => {
      isHeld = false
      pump()
    })
  }

  function fail(error: unknown): void {
    failure ??= error
    ending = 'failed'
    hard.abort(new Error('the run cannot go on'))
  }

  async function run(
    ordinal: number,
    cell: RunCell,
    pool: Pool,
    reserved: number,
    kept: Pending | undefined,
  ): Promise<void> {
    try {
      const trial = await conducting.conduct(ordinal - cell.first, cell, pool, reserved, kept)
      tally.add(trial)
      job.onEvent({ type: 'trial', trial })
      holdUntilReady()
    } catch (error) {
      // After the hard stop a trial that ends without a record is a cancelled one, nothing else.
      // Neither is one that the budget leaves without its judge a failure.
      if (error instanceof OutOfBudget) return
      if (!hard.signal.aborted || error instanceof RunError) fail(error)
    } finally {
      inFlight--
      pump()
    }
  }

  const onAbort = (): void => {
    ending ??= 'interrupted'
    void clock
      .sleep(job.graceMs, hard.signal)
      .then(() => hard.abort(new Error('the run was stopped')))
      .catch(() => {})
    // With nothing under way and the receiver of events behind, there is nothing left to wait for.
    pump()
  }
  if (job.signal.aborted) onAbort()
  else job.signal.addEventListener('abort', onAbort, { once: true })
  try {
    pump()
    await idle.promise
  } finally {
    job.signal.removeEventListener('abort', onAbort)
    hard.abort(new Error('the run has ended'))
  }
  if (failure !== null) throw failure
  return ending ?? 'complete'
}

/** Judges share the places of their provider with the subjects that it has. */
function makePools({ plan, judges, parallelism }: Job): Map<string, Pool> {
  const limits = new Map<string, { start: number; most: number }>()
  for (const { pool, concurrency } of [...plan.subjects, ...judges]) {
    const known = limits.get(pool)
    const most = Math.max(
      known?.most ?? 0,
      Math.min(concurrency.most, parallelism ?? concurrency.most),
    )
    limits.set(pool, { start: Math.max(known?.start ?? 0, concurrency.start), most })
  }
  return new Map([...limits].map(([name, limit]) => [name, new Pool(name, limit)]))
}

function makeLanes(job: Job, pools: ReadonlyMap<string, Pool>): Lane[] {
  const answering = new Set(job.plan.subjects.map(({ pool }) => pool))
  return [...pools].flatMap(([name, pool]) => {
    if (!answering.has(name)) return []
    const order = job.plan.order(job.seed, name)
    return [{ pool, order, next: upcoming(job, order) }]
  })
}

/** The next trial of a lane that is not recorded yet. */
function upcoming(job: Job, order: Iterator<number, void>): number | null {
  const { tally, keepErrors, regrading, pending } = job
  for (;;) {
    const { value, done } = order.next()
    if (done === true) return null
    if (regrading && !pending.has(value)) continue
    const outcome = tally.outcomeAt(value)
    if (outcome === null || (outcome === 'errored' && !keepErrors)) return value
  }
}
