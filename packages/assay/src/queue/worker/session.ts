/**
 * One run on one worker. It takes and runs the trials of those lanes (groups of trials with the same needs) that the
 * worker can serve.
 */
import { randomUUID } from 'node:crypto'
import { RunError, type Case, type Subject, type Suite } from '@assay/contract'
import { redactor } from '../../log/index.ts'
import {
  askedCase,
  OutOfBudget,
  redactorsFor,
  systemClock,
  trialRunner,
  type Pending,
  type Reservation,
  type Semaphore,
  type TrialCell,
} from '../../run/index.ts'
import {
  shaped,
  type Fit,
  type Head,
  type Lane,
  type QueueEvent,
  type TrialJob,
} from '../messages.ts'
import { callScript } from '../redis/call-script.ts'
import type { QueueConnection } from '../redis/connect.ts'
import { BULL_PREFIX, laneQueue, runKeys } from '../redis/keys.ts'
import type { Job as BullJob, Worker } from '../redis/load-bullmq.ts'
import { RENEW_LOCKS, TAKE } from '../redis/scripts.ts'
import type { Signer } from '../sign.ts'
import { readerOf } from '../texts.ts'
import type { Acknowledgements } from './acknowledgements.ts'
import type { PreparedRun } from './prepare-run.ts'
import { QueueBudget } from './queue-budget.ts'
import { GivenUp, QueueSlots, type Leases } from './slots.ts'
import { TrialGone, trialStore } from './trial-store.ts'

/**
 * The result of trying to take a job. `waitMs` is the time after which the queue of this lane (a group of trials with
 * the same needs) is tried again.
 */
export type Taken =
  | { readonly started: true }
  | { readonly started: false; readonly waitMs: number }

export interface SessionHooks {
  /**
   * `began` is called when a trial begins, `answered` when its slot at the provider is free, and `ended` when it is
   * over.
   */
  began(): void
  answered(): void
  /** Called with 1 when an answer begins to wait for the coordinator to write it, and with -1 when it stops waiting. */
  waits(change: 1 | -1): void
  ended(outcome: string, ms: number): void
  /** Called if a job is not executed, because it is not signed, is damaged, or does not belong to this run. */
  refused(why: string): void
}

export interface SessionOptions {
  readonly head: Head
  readonly headHash: string
  readonly prepared: PreparedRun
  readonly connection: QueueConnection
  readonly signer: Signer
  readonly leases: Leases
  readonly worker: string
  readonly grading: Semaphore
  readonly acknowledgements: Acknowledgements
  readonly hooks: SessionHooks
}

interface OpenLane {
  readonly lane: Lane
  readonly worker: Worker
  /** The jobs in progress, with the tokens of their locks. */
  readonly held: Map<string, string>
  notBefore: number
}

/**
 * If a lane (a group of trials with the same needs) has no jobs, it is not tried again for this long. A message can
 * wake the worker earlier.
 */
const EMPTY_MS = 500
const OUT_OF_MONEY_MS = 200
/** If the coordinator has given no sign of life for this long, no new trials of its run are taken. */
const SILENT_MS = 15_000
const MISSING_MS = 3000

export class Session {
  readonly head: Head
  readonly headHash: string
  readonly fit: Pick<Fit, 'lanes' | 'setup'>
  readonly lanes: readonly OpenLane[]
  readonly #options: SessionOptions
  readonly #suites: ReadonlyMap<string, IndexedSuite>
  readonly #budget: QueueBudget
  readonly #stop = new AbortController()
  /** The limits of each provider. It includes providers of agents' models, which the coordinator may not know. */
  readonly #limits: Head['pools']
  readonly #givenUp = new Map<string, GivenUp>()
  readonly #active = new Set<Promise<void>>()
  readonly #told = new Set<string>()
  readonly #secrets: readonly string[]
  #beatAt = 0
  #beatSeen = performance.now()
  #missingSince: number | null = null
  isTaking = true

  constructor(options: SessionOptions) {
    this.#options = options
    const { head, prepared, connection } = options
    this.head = head
    this.headHash = options.headHash
    this.fit = prepared.fit
    this.#suites = new Map(
      prepared.suites.map((suite) => [
        suite.id,
        { suite, cases: new Map(suite.cases.map((one) => [one.id, one])) },
      ]),
    )
    const everyone = [...prepared.subjects.values(), ...prepared.judges]
    this.#limits = { ...requestLimits(everyone, head.parallelism), ...head.pools }
    this.#secrets = [...new Set(everyone.flatMap(({ secrets }) => secrets))]
    this.#budget = new QueueBudget({
      client: connection.client,
      run: head.run,
      worker: options.worker,
      isLimited: head.hasBudget,
      report: (event) => this.report(event),
      signal: this.#stop.signal,
    })
    this.lanes = head.lanes
      .filter(({ id }) => prepared.fit.lanes[id] === null)
      .map((lane) => {
        const worker = new connection.packages.bullmq.Worker(laneQueue(head.run, lane.id), null, {
          connection: connection.client,
          prefix: BULL_PREFIX,
          autorun: false,
          lockDuration: head.lockMs,
          skipStalledCheck: true,
        })
        worker.on('error', () => {})
        return { lane, worker, held: new Map<string, string>(), notBefore: 0 }
      })
  }

  get active(): number {
    return this.#active.size
  }

  /**
   * Called with the coordinator's sign of life. Trials are taken only while the coordinator is running and not silent.
   */
  sees({ at, state }: { readonly at: number; readonly state: string }): void {
    this.#missingSince = null
    if (at !== this.#beatAt) this.#beatSeen = performance.now()
    this.#beatAt = at
    this.isTaking = state === 'running' && performance.now() - this.#beatSeen < SILENT_MS
  }

  /** Whether the run has been missing in Redis for a while. It is called only while the run is missing. */
  isGone(): boolean {
    this.#missingSince ??= performance.now()
    return performance.now() - this.#missingSince > MISSING_MS
  }

  /** Reports an event to the coordinator, with secrets masked. */
  report(event: QueueEvent): void {
    const { connection, signer } = this.#options
    const { run } = this.head
    const redact = redactor(this.#secrets)
    const masked = Object.fromEntries(
      Object.entries(event).map(([key, value]) => [
        key,
        typeof value === 'string' && key !== 'type' ? redact(value) : value,
      ]),
    )
    void connection.client
      .xadd(runKeys(run).out, '*', 't', 'event', 'v', signer.sign('event', run, masked))
      .catch(() => {})
  }

  #warnOnce(text: string): void {
    if (this.#told.has(text)) return
    this.#told.add(text)
    this.report({ type: 'warning', text })
  }

  #gaveUp(pool: string): GivenUp {
    let found = this.#givenUp.get(pool)
    if (found === undefined) this.#givenUp.set(pool, (found = new GivenUp()))
    return found
  }

  #slots(pool: string, trial: () => string | null, signal: AbortSignal): QueueSlots {
    const { connection, signer, leases } = this.#options
    return new QueueSlots({
      ...{ client: connection.client, signer, leases, head: this.head, pool, signal, trial },
      report: (event) => this.report(event),
      gaveUp: this.#gaveUp(pool),
      limits: this.#limits[pool] ?? { start: 1, most: 1, probes: false },
    })
  }

  /** Tries to take a job from the queue of a lane (a group of trials with the same needs), and to start its trial. */
  async take(one: OpenLane): Promise<Taken> {
    const none = (waitMs: number): Taken => {
      one.notBefore = performance.now() + waitMs
      return { started: false, waitMs }
    }
    let key: string | null = null
    const slots = this.#slots(one.lane.pool, () => key, this.#stop.signal)
    const wait = await slots.tryEnter()
    if (wait > 0) return none(Math.min(wait, 1000))
    let job: BullJob | undefined
    const token = randomUUID()
    try {
      job = await one.worker.getNextJob(token, { block: false })
      if (job === undefined) {
        slots.leave()
        return none(EMPTY_MS)
      }
      const { id = '' } = job
      one.held.set(id, token)
      const found = await this.#opened(job, token, one)
      if (found === null) {
        one.held.delete(id)
        slots.leave()
        return { started: false, waitMs: 0 }
      }
      key = found.trial.k
      let reserved: Reservation | null = null
      if (found.kept === undefined) {
        const { subject } = found.cell
        const taken = await this.#budget.tryReserve(
          subject.id,
          subject.estimateUsd(askedCase(subject, found.cell.suite.id, found.cell.case)),
        )
        if (taken === null || taken === 'later') {
          slots.leave()
          await this.#giveBack(job, token, one)
          return none(OUT_OF_MONEY_MS)
        }
        reserved = taken
      } else slots.leave()
      this.#start(one, job, token, slots, { ...found, reserved })
      return { started: true }
    } catch (error) {
      slots.leave()
      if (job !== undefined) await this.#giveBack(job, token, one)
      throw error
    }
  }

  /** Checks a job and finds its case, subject and answer. Returns null if the job must not or need not be executed. */
  async #opened(job: BullJob, token: string, one: OpenLane): Promise<Found | null> {
    const { connection, signer, prepared, hooks } = this.#options
    const { run } = this.head
    const keys = runKeys(run)
    const data = job.data as { readonly s?: unknown } | null
    const signed = typeof data?.s === 'string' ? data.s : ''
    const trial = shaped('job', signer.open('job', run, signed))
    const refused = async (why: string): Promise<null> => {
      hooks.refused(why)
      await job.moveToFailed(new Error(`refused: ${why}`), token, false).catch(() => {})
      return null
    }
    if (trial === null) return refused('the job is not signed with the key of this worker')
    if (trial.k !== job.id || trial.lane !== one.lane.id)
      return refused('the job was moved to another place in Redis')
    const { suite, cases } = this.#suites.get(trial.suite) ?? {}
    const asked = cases?.get(trial.case)
    const subject = prepared.subjects.get(trial.subject)
    if (suite === undefined || asked === undefined || subject === undefined)
      return refused('the job names something that the run does not have')
    if (asked.hash !== trial.caseHash)
      return refused('the case has changed since the job was added')
    const [isOpen, answer, isAcknowledged] = await callScript<[number, string, number]>(
      connection.client,
      TAKE,
      [keys.open, keys.finished, keys.answers, keys.acks],
      [trial.k, trial.n],
    )
    if (isOpen === 0) {
      await job.moveToCompleted('gone', token, false).catch(() => {})
      return null
    }
    const found = { trial, cell: { suite, case: asked, subject } }
    if (answer === '') return { ...found, kept: undefined, texts: {}, isAcknowledged: false }
    const message = shaped('answer', signer.open('answer', run, answer))
    if (message === null || message.k !== trial.k) {
      await connection.client.hdel(keys.answers, trial.k)
      await connection.client.hdel(keys.acks, trial.k)
      return { ...found, kept: undefined, texts: {}, isAcknowledged: false }
    }
    // Masking changed the stored answer, so the original cannot be graded. The subject is asked again.
    if ((message.pending.masked ?? []).length > 0) {
      await connection.client.hdel(keys.answers, trial.k)
      await connection.client.hdel(keys.acks, trial.k)
      const firstUsd = message.pending.spentUsd
      return {
        ...found,
        trial: { ...trial, firstUsd },
        kept: undefined,
        texts: {},
        isAcknowledged: false,
      }
    }
    return {
      ...found,
      kept: message.pending,
      texts: message.texts,
      isAcknowledged: isAcknowledged === 1,
    }
  }

  #start(one: OpenLane, job: BullJob, token: string, slots: QueueSlots, found: Started): void {
    const { hooks } = this.#options
    const from = performance.now()
    hooks.began()
    let hasAnswered = false
    const answered = (): void => {
      if (hasAnswered) return
      hasAnswered = true
      hooks.answered()
    }
    if (found.kept !== undefined) answered()
    const work = this.#finish(one, job, token, this.#conduct(slots, found, answered))
      .then((outcome) => hooks.ended(outcome, performance.now() - from))
      .catch(() => {})
      .finally(() => {
        answered()
        slots.leave()
        this.#active.delete(work)
      })
    this.#active.add(work)
  }

  /** Completes the job of a trial that has ended, or gives the job back. Resolves with the outcome. */
  async #finish(
    one: OpenLane,
    job: BullJob,
    token: string,
    trial: Promise<string>,
  ): Promise<string> {
    let outcome: string
    try {
      outcome = await trial
    } catch (error) {
      if (!(error instanceof TrialGone)) {
        const isStopped = this.#stop.signal.aborted || error instanceof OutOfBudget
        if (!isStopped)
          this.report({ type: 'fault', text: `a worker failed: ${(error as Error).message}` })
        await this.#giveBack(job, token, one)
        return isStopped ? 'given back' : 'errored'
      }
      outcome = 'gone'
    }
    one.held.delete(job.id ?? '')
    // Completing the job fails if the worker has lost its lock. This does no harm, because the result is already
    // reported.
    await job.moveToCompleted(outcome, token, false).catch(() => {})
    return outcome
  }

  async #conduct(slots: QueueSlots, found: Started, answered: () => void): Promise<string> {
    const { head, prepared, connection, signer, worker, grading, acknowledgements, hooks } =
      this.#options
    const { trial, cell, kept, texts, reserved } = found
    const { signal } = this.#stop
    // A trial that waits for its coordinator does not count as busy. Otherwise an unreachable coordinator would keep
    // the worker from the trials of other runs.
    const acknowledged = async (key: string): Promise<void> => {
      hooks.waits(1)
      try {
        await acknowledgements.of(head.run, key, signal)
      } finally {
        hooks.waits(-1)
      }
    }
    if (kept !== undefined && !found.isAcknowledged) await acknowledged(trial.k)
    // The requests of judges and of agents need their own slots, in addition to the slot for asking the subject.
    const pools = new Map(
      Object.keys(this.#limits).map(
        (pool) => [pool, this.#slots(pool, () => null, signal)] as const,
      ),
    )
    const runner = trialRunner(
      {
        store: trialStore({
          ...{ client: connection.client, run: head.run, signer, trial, worker },
          secrets: this.#secrets,
          report: (event) => this.report(event),
          kept: () => {
            slots.leave()
            answered()
          },
          acknowledged,
        }),
        budget: this.#budget,
        judges: prepared.judges,
        redactFor: redactorsFor(this.#secrets),
        usdOfFirstAnswer: () => trial.firstUsd,
        readKept: readerOf(texts),
        regrading: head.regrading,
        seed: head.seed,
        spentOnStopped: (usd) => {
          if (usd > 0) this.report({ type: 'spent', usd, late: false })
        },
        timeoutMs: head.timeoutMs,
        agentTimeoutMs: head.agentTimeoutMs,
        timeoutOf: () => trial.timeoutMs,
        gradeTimeoutMs: head.gradeTimeoutMs,
        grading,
        sandbox: prepared.code?.sandbox ?? null,
        sandboxGraders: head.sandboxGraders,
        workspaces: prepared.workspaces,
        cache: null,
        clock: systemClock,
        policy: head.retry,
        warn: (text) => this.#warnOnce(text),
      },
      pools,
      signal,
      {
        answered,
        released: () => {},
        settled: () => {},
        outOfBudget: () => {},
      },
    )
    const { outcome } = await runner.conduct(trial.index, cell, slots, reserved, kept)
    return outcome
  }

  async #giveBack(job: BullJob, token: string, one: OpenLane): Promise<void> {
    one.held.delete(job.id ?? '')
    await job.moveToWait(token).catch(() => {})
  }

  /**
   * Renews the locks of all jobs in progress and their reservations of money. Otherwise other workers would get the
   * jobs.
   */
  async renew(): Promise<void> {
    await this.#budget.renew()
    const { client } = this.#options.connection
    for (const { lane, held } of this.lanes) {
      if (held.size === 0) continue
      const prefix = `${BULL_PREFIX}:${laneQueue(this.head.run, lane.id)}:`
      const keys = [`${prefix}stalled`, `${prefix}active`]
      await callScript(client, RENEW_LOCKS, keys, [prefix, this.head.lockMs, ...[...held].flat()])
    }
  }

  /** Resolves when no trial of this run is in progress. */
  async idle(): Promise<void> {
    while (this.#active.size > 0) await Promise.allSettled([...this.#active])
  }

  /** Stops the trials in progress, gives their jobs back, and closes everything. */
  async close(): Promise<void> {
    this.isTaking = false
    this.#stop.abort(new RunError('the worker stops'))
    await this.idle()
    for (const { worker } of this.lanes) await worker.close(true).catch(() => {})
    await this.#options.prepared.close()
  }
}

interface IndexedSuite {
  readonly suite: Suite
  readonly cases: ReadonlyMap<string, Case>
}

/** Returns the limits of the providers to which agents send requests with this worker's API keys. */
const requestLimits = (subjects: readonly Subject[], parallelism: number | null): Head['pools'] =>
  Object.fromEntries(
    subjects.flatMap(({ requestPools = [] }) =>
      requestPools.map(({ pool, concurrency: { start, most } }) => [
        pool,
        { start: parallelism ?? start, most: parallelism ?? most, probes: false },
      ]),
    ),
  )

interface Found {
  readonly trial: TrialJob
  readonly cell: TrialCell
  readonly kept: Pending | undefined
  readonly texts: Readonly<Record<string, string>>
  readonly isAcknowledged: boolean
}

interface Started extends Found {
  readonly reserved: Reservation | null
}
