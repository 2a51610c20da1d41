/**
 * Runs the missing trials of a plan. `pump` starts trials whenever a provider has free slots, and `trial/run-trial.ts`
 * runs each of them. No new trials start while too many answers wait to be graded or written.
 */
import { BudgetUsedUp, RunError, SubjectError } from '@assay/contract'
import type { Ending } from '../../log/index.ts'
import type { Reservation } from './budget.ts'
import { askedCase } from '../trial/asked-case.ts'
import { trialRunner } from '../trial/run-trial.ts'
import type { RunCell, Job, Wait } from './job.ts'
import { OutOfBudget } from '../grade/judge-requests.ts'
import type { Pending } from '../resume/pending.ts'
import { Pool, type PoolLimits, type PoolWatch } from './provider-limiter.ts'

/**
 * Limits above which no new trials start: the number of answers that are not graded yet, their bytes, and the number of
 * answered trials that are not recorded yet.
 */
const MOST_UNGRADED = 256
const MOST_UNGRADED_BYTES = 64 * 1024 * 1024
const MOST_UNRECORDED = 512

/** The trials that use the same provider, in the order in which they are started. */
interface Lane {
  readonly pool: Pool
  readonly order: Iterator<number, void>
  next: number | null
  /** The number of trials that still need an answer. */
  left: number
}

export async function execute(job: Job): Promise<Ending> {
  const { plan, clock, budget } = job
  const hard = new AbortController()
  const pools = makePools(job, { maxWaitMs: job.maxWaitMs, waits: onWait, gaveUp: onGiveUp })
  const lanes = makeLanes(job, pools)
  announceTrials(job)
  const laneOf = new Map(lanes.map((lane) => [lane.pool, lane]))
  const idle = Promise.withResolvers<void>()
  let ending: Ending | null = null
  let failure: unknown = null
  let inFlight = 0
  /** The number of trials in flight that have no answer yet. */
  let asking = 0
  let errored = 0
  let isPartial = false
  /** Whether the receiver of events is too slow. While it is, no new trial starts. */
  let isHeld = false

  const warn = (text: string): void => job.onEvent({ type: 'warning', text })
  const conducting = trialRunner({ ...job, warn }, pools, hard.signal, {
    released: pump,
    answered: (pool) => {
      asking--
      const lane = laneOf.get(pool)
      if (lane !== undefined) lane.left--
      pump()
    },
    outOfBudget: () => {
      ending ??= 'budget'
    },
    settled: ({ outcome, reason }, pool) => {
      // Some errors do not count towards the limit that stops the run: Assay has given up on the provider, or the case
      // could not be set up. Trials of other providers and cases can still succeed.
      if (outcome !== 'errored' || pool.givenUp !== null || reason?.code === 'workspace-failed')
        return
      if (++errored > job.mostErrors) ending ??= 'failed'
    },
  })

  const backlogged = (): boolean =>
    isHeld ||
    conducting.waiting.answers > MOST_UNGRADED ||
    conducting.waiting.bytes > MOST_UNGRADED_BYTES ||
    inFlight - asking > MOST_UNRECORDED

  const isOver = (): boolean => ending !== null || backlogged()

  /** Returns why a trial becomes errored without asking its subject. Returns null if the subject is asked. */
  const lossOf = ({ pool }: Lane, { case: one }: RunCell): SubjectError | null => {
    const lack = job.lacks.get(one)
    return lack === undefined
      ? pool.givenUp
      : new SubjectError(lack, { reason: 'sandbox-failed', retry: false })
  }

  /** Starts every trial that may start now. Called whenever a slot or a part of the budget becomes free. */
  function pump(): void {
    let outOfMoney = false
    for (const lane of lanes)
      while (lane.next !== null && !isOver()) {
        const ordinal = lane.next
        const kept = job.pending.get(ordinal)
        const cell = plan.cellAt(ordinal)
        const lost = kept === undefined ? lossOf(lane, cell) : null
        const isAsked = kept === undefined && lost === null
        if (isAsked && !lane.pool.isOpen()) break
        const reserved = isAsked
          ? budget.reserve(
              cell.subject.id,
              cell.subject.estimateUsd(askedCase(cell.subject, cell.suite.id, cell.case)),
            )
          : null
        if (isAsked && reserved === null) {
          // There is not enough money for this trial now. But requests in flight may turn out cheaper than reserved, so
          // the budget ends the run only if none are in flight.
          outOfMoney = true
          break
        }
        lane.next = upcoming(job, lane.order)
        inFlight++
        if (isAsked) {
          asking++
          lane.pool.take()
        } else lane.left--
        void run(ordinal, cell, lane, { reserved, kept, lost })
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

  function onWait(pool: Pool, { why, until }: { why: string; until: number }): void {
    const wait = { provider: pool.name, why, until: new Date(until).toISOString() }
    const trials = waitingFor(pool)
    job.onEvent({ type: 'wait', ...wait, trials })
    keepWait({ ...wait, trials })
  }

  function onGiveUp(pool: Pool, { reason, message }: SubjectError): void {
    isPartial = true
    const { name: provider } = pool
    const trials = waitingFor(pool)
    job.onEvent({ type: 'give-up', provider, code: reason, text: message, trials })
    const until = new Date(clock.now()).toISOString()
    keepWait({ provider, why: message, until, trials, gaveUp: true })
    pump()
  }

  /**
   * Returns the number of trials that wait for a provider. If only judges use the provider, it has no lane, so the
   * requests in its pool are counted instead.
   */
  const waitingFor = (pool: Pool): number => laneOf.get(pool)?.left ?? pool.waiting

  function keepWait(wait: Wait): void {
    try {
      job.keepWait(wait)
    } catch (error) {
      fail(error)
    }
  }

  function fail(error: unknown): void {
    failure ??= error
    ending = 'failed'
    hard.abort(new Error('the run cannot go on'))
  }

  async function run(
    ordinal: number,
    cell: RunCell,
    lane: Lane,
    { reserved, kept, lost }: Begun,
  ): Promise<void> {
    const index = plan.indexAt(ordinal)
    try {
      const trial =
        lost === null
          ? await conducting.conduct(index, cell, lane.pool, reserved, kept)
          : await conducting.lose(index, cell, lost)
      job.onEvent({ type: 'trial', trial })
      holdUntilReady()
    } catch (error) {
      // Two kinds of trials end without a record and are not failures. The budget did not allow a request that the
      // trial needs. Or the run was stopped, and the trial was cancelled.
      if (error instanceof OutOfBudget || error instanceof BudgetUsedUp) {
        ending ??= 'budget'
        return
      }
      if (!hard.signal.aborted || error instanceof RunError) fail(error)
    } finally {
      inFlight--
      job.workspaces?.done(cell.case)
      pump()
    }
  }

  const onAbort = (): void => {
    ending ??= 'interrupted'
    void clock
      .sleep(job.graceMs, hard.signal)
      .then(() => hard.abort(new Error('the run was stopped')))
      .catch(() => {})
    // If the receiver of events is slow and no trial is in flight, nothing else would call `pump`, and the run would
    // not end.
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
  return ending ?? (isPartial ? 'partial' : 'complete')
}

interface Begun {
  readonly reserved: Reservation | null
  readonly kept: Pending | undefined
  readonly lost: SubjectError | null
}

/**
 * Returns the number of parallel requests for each provider. A number that the user set is used from the first answer
 * on and does not grow. Judges share the slots of their provider with its subjects.
 */
export function poolLimits({
  plan,
  judges,
  parallelism,
  rate,
}: Pick<Job, 'plan' | 'judges' | 'parallelism' | 'rate'>): Map<string, PoolLimits> {
  const limits = new Map<string, PoolLimits>()
  const pools = [...plan.subjects, ...judges].flatMap(
    ({ pool, concurrency, kind, requestPools }) => [
      { pool, concurrency, kind },
      // The requests of an agent to its model use the same slots as the requests of plain models at that provider.
      ...(requestPools ?? []).map((one) => ({ ...one, kind: 'agent' as const })),
    ],
  )
  for (const { pool, concurrency, kind } of pools) {
    const known = limits.get(pool)
    const { start, most } =
      parallelism === null ? concurrency : { start: parallelism, most: parallelism }
    limits.set(pool, {
      start: Math.max(known?.start ?? 0, start),
      most: Math.max(known?.most ?? 0, most),
      // Only models are tested with one trial first. All requests to a model go to the same server, so one failure
      // predicts the next. For programs it does not.
      probes: kind === 'model' || known?.probes === true,
      ...(rate === null ? {} : { rate }),
    })
  }
  return limits
}

const makePools = (job: Job, watch: PoolWatch): Map<string, Pool> =>
  new Map([...poolLimits(job)].map(([name, limits]) => [name, new Pool(name, limits, watch)]))

function makeLanes(job: Job, pools: ReadonlyMap<string, Pool>): Lane[] {
  const left = new Map<string, number>()
  for (const { first, trials, subject } of job.plan.cells)
    for (let ordinal = first; ordinal < first + trials; ordinal++)
      if (isToDo(job, ordinal)) left.set(subject.pool, (left.get(subject.pool) ?? 0) + 1)
  const answering = new Set(job.plan.subjects.map(({ pool }) => pool))
  return [...pools].flatMap(([name, pool]) => {
    if (!answering.has(name)) return []
    const order = job.plan.order(job.seed, name)
    return [{ pool, order, next: upcoming(job, order), left: left.get(name) ?? 0 }]
  })
}

/**
 * Tells the workspace store how many trials of each case are left. The store then removes files that no trial needs.
 */
function announceTrials(job: Job): void {
  if (job.workspaces === null) return
  for (const { first, trials, case: one } of job.plan.cells) {
    let left = 0
    for (let ordinal = first; ordinal < first + trials; ordinal++) if (isToDo(job, ordinal)) left++
    if (left > 0) job.workspaces.expect(one, left)
  }
}

/** Returns the next trial that still has to run, from `order`. Null if there is none. */
function upcoming(job: Job, order: Iterator<number, void>): number | null {
  for (;;) {
    const { value, done } = order.next()
    if (done === true) return null
    if (isToDo(job, value)) return value
  }
}

export function isToDo(
  {
    tally,
    keepErrors,
    regrading,
    pending,
  }: Pick<Job, 'tally' | 'keepErrors' | 'regrading' | 'pending'>,
  ordinal: number,
): boolean {
  if (regrading && !pending.has(ordinal)) return false
  const outcome = tally.outcomeAt(ordinal)
  return outcome === null || (outcome === 'errored' && !keepErrors)
}
