/**
 * The queues of a run. Each lane (a group of trials that need the same things from a worker) has its own queue. Jobs
 * are added when workers have taken the earlier ones. So Redis holds only the jobs in progress and a limited reserve,
 * even if millions of trials are planned. The jobs of lost workers go back to the queue.
 */
import { randomUUID } from 'node:crypto'
import { RunError, SubjectError } from '@assay/contract'
import { isToDo, type Job } from '../../run/index.ts'
import { shaped, trialKey, type Lane, type TrialJob } from '../messages.ts'
import type { QueueConnection } from '../redis/connect.ts'
import { forgetTrial } from '../redis/forget-trial.ts'
import { BULL_PREFIX, WAKE, laneQueue, runKeys } from '../redis/keys.ts'
import type { Queue, Worker } from '../redis/load-bullmq.ts'
import type { Signer } from '../sign.ts'
import { textsOf } from '../texts.ts'
import type { PublishedRun } from './publish-run.ts'

/**
 * The number of jobs that a lane (a group of trials with the same needs) has in Redis: `LEAST_RESERVE` before its
 * workers are known, `MOST_RESERVE` at most.
 */
const LEAST_RESERVE = 32
const MOST_RESERVE = 2000
/**
 * If more workers than this were lost during a trial, Assay gives up on the trial, because it may be what ends them.
 */
const MOST_LOST = 5
/**
 * For this long after a job was added, nobody checks whether Redis has lost it. A new job may not be in all lists of
 * Redis yet.
 */
const NEW_MS = 3000

interface Outstanding {
  readonly ordinal: number
  readonly at: number
}

export interface OpenLane {
  readonly lane: Lane
  readonly outstanding: Map<string, Outstanding>
  /** Whether every trial of the lane (a group of trials with the same needs) has a job or is recorded. */
  isExhausted: boolean
  reserve: number
}

export type Lose = (ordinal: number, error: SubjectError) => Promise<void>

export interface FillOptions {
  readonly isOver: () => boolean
  /** Returns why Assay gave up on a provider, so that its trials are not asked. Returns null if it has not. */
  readonly lossOf: (pool: string) => SubjectError | null
  readonly lose: Lose
}

export interface LaneQueues {
  readonly lanes: readonly OpenLane[]
  /** Adds jobs until each lane (a group of trials with the same needs) has enough jobs in Redis. */
  addJobs(options: FillOptions): Promise<void>
  /** Whether every trial is recorded. */
  isDone(): boolean
  /** Must be called when a trial is recorded, or does not need a job. */
  collected(key: string): void
  /** The number of unfinished trials that need a provider. */
  left(pool: string): number
  /** The number of trials with a job in Redis. */
  outstanding(): number
  /** The number of jobs that workers have taken and not finished. */
  active(): Promise<number>
  /** Takes over the jobs that an earlier session of the coordinator left in Redis. */
  adopt(): Promise<void>
  /** Gives the jobs of lost workers to other workers. Jobs that Redis has lost are added again. */
  recover(lose: Lose): Promise<void>
  /** Records the remaining trials of a lane as errored. */
  abandon(lane: OpenLane, error: SubjectError, lose: Lose): Promise<void>
  close(remove: boolean): Promise<void>
}

interface Queued extends OpenLane {
  readonly queue: Queue
  readonly checker: Worker
  readonly order: Iterator<number, void>
  lost: SubjectError | null
}

export function openLanes({
  job,
  connection,
  signer,
  published,
  lockMs,
}: {
  readonly job: Job
  readonly connection: QueueConnection
  readonly signer: Signer
  readonly published: PublishedRun
  readonly lockMs: number
}): LaneQueues {
  const { plan, run, clock } = job
  const { client, packages } = connection
  const keys = runKeys(run)
  const left = new Map<string, number>()
  let connectedAt = 0
  client.on('ready', () => {
    connectedAt = clock.now()
  })
  const lanes: Queued[] = [...published.lanes.values()].map((lane) => {
    const name = laneQueue(run, lane.id)
    const queue = new packages.bullmq.Queue(name, { connection: client, prefix: BULL_PREFIX })
    const checker = new packages.bullmq.Worker(name, null, {
      connection: client,
      prefix: BULL_PREFIX,
      autorun: false,
      lockDuration: lockMs,
      stalledInterval: lockMs / 2,
      maxStalledCount: MOST_LOST,
    })
    // The Redis client connects again after a lost connection. Without a listener, the error would end the process.
    queue.on('error', () => {})
    checker.on('error', () => {})
    return {
      ...{ lane, queue, checker, lost: null },
      outstanding: new Map<string, Outstanding>(),
      order: plan.order(job.seed, lane.pool),
      isExhausted: false,
      reserve: LEAST_RESERVE,
    }
  })
  for (const cell of plan.cells)
    for (let ordinal = cell.first; ordinal < cell.first + cell.trials; ordinal++)
      if (isToDo(job, ordinal)) left.set(cell.subject.pool, (left.get(cell.subject.pool) ?? 0) + 1)
  const byId = new Map(lanes.map((one) => [one.lane.id, one]))

  const keyAt = (ordinal: number): string => {
    const { suite, case: one, subject } = plan.cellAt(ordinal)
    const identity = {
      suite: suite.id,
      case: one.id,
      subject: subject.id,
      index: plan.indexAt(ordinal),
    }
    return trialKey(identity, one.hash)
  }

  /** Returns the next trials of a lane (a group of trials with the same needs) that still have to run. */
  function upcoming(one: Queued, most: number): number[] {
    const found: number[] = []
    while (found.length < most) {
      const { value, done } = one.order.next()
      if (done === true) {
        one.isExhausted = true
        break
      }
      const cell = plan.cellAt(value)
      if (published.laneOfCell.get(cell) !== one.lane.id || !isToDo(job, value)) continue
      if (!one.outstanding.has(keyAt(value))) found.push(value)
    }
    return found
  }

  async function add(one: Queued, ordinals: readonly number[]): Promise<void> {
    if (ordinals.length === 0) return
    const open = client.multi()
    const jobs: { name: string; data: { s: string }; opts: object }[] = []
    for (const ordinal of ordinals) {
      const { suite, case: asked, subject } = plan.cellAt(ordinal)
      const k = keyAt(ordinal)
      // Each job has its own id, so that an older job of the same trial can be recognized.
      const n = randomUUID()
      const index = plan.indexAt(ordinal)
      const identity = { suite: suite.id, case: asked.id, subject: subject.id, index }
      const firstUsd = job.usdOfFirstAnswer(identity)
      const acts =
        subject.kind === 'agent' || (subject.kind === 'command' && asked.workspace !== null)
      const value: TrialJob = {
        ...{ k, n, lane: one.lane.id, ...identity, caseHash: asked.hash },
        timeoutMs: job.timeoutOf(suite, asked, acts),
        ...(firstUsd === undefined ? {} : { firstUsd }),
      }
      one.outstanding.set(k, { ordinal, at: clock.now() })
      open.hset(keys.open, k, n)
      open.hdel(keys.finished, k)
      const kept = job.pending.get(ordinal)
      if (kept !== undefined) {
        const texts = await textsOf(kept.answer, job.readKept)
        open.hset(keys.answers, k, signer.sign('answer', run, { k, pending: kept, texts }))
        open.hset(keys.acks, k, '1')
      }
      jobs.push({
        name: 'trial',
        data: { s: signer.sign('job', run, value) },
        opts: { jobId: k, removeOnComplete: true, removeOnFail: false, attempts: 1 },
      })
    }
    await open.exec()
    await one.queue.addBulk(jobs)
    await client.publish(WAKE, run)
  }

  let filling: Promise<void> | null = null

  async function fillAll({ isOver, lossOf, lose }: FillOptions): Promise<void> {
    for (const one of lanes) {
      const lost = one.lost ?? lossOf(one.lane.pool)
      while (!isOver() && !one.isExhausted) {
        if (lost !== null) {
          const ordinals = upcoming(one, 64)
          // A trial that already has an answer gets a job, because a worker can still grade the answer.
          await add(
            one,
            ordinals.filter((ordinal) => job.pending.has(ordinal)),
          )
          for (const ordinal of ordinals)
            if (!job.pending.has(ordinal)) {
              await lose(ordinal, lost)
              countDown(one.lane.pool)
            }
          continue
        }
        const space = one.reserve - one.outstanding.size
        if (space <= 0) break
        await add(one, upcoming(one, Math.min(space, 200)))
      }
    }
  }

  const countDown = (pool: string): void => {
    left.set(pool, Math.max(0, (left.get(pool) ?? 0) - 1))
  }

  /** Returns the jobs of a lane (a group of trials with the same needs) that are in Redis, except failed ones. */
  async function present({ queue }: Queued): Promise<Set<string>> {
    const ids = await queue.getRanges(['wait', 'active', 'delayed', 'prioritized'], 0, -1)
    return new Set(ids)
  }

  async function recoverFailed(one: Queued, lose: Lose): Promise<void> {
    for (const failed of await one.queue.getFailed(0, 99)) {
      const key = failed.id ?? ''
      const known = one.outstanding.get(key)
      // A worker refused this job, because somebody had changed it in Redis. It is removed here, and then added again.
      if (!failed.failedReason.includes('stalled')) {
        await failed.remove()
        continue
      }
      if (known !== undefined && isToDo(job, known.ordinal)) {
        await lose(
          known.ordinal,
          new SubjectError(
            `${MOST_LOST + 1} workers were lost while they ran this trial: it may be what ends them`,
            { reason: 'sandbox-failed', retry: false },
          ),
        )
      }
      await failed.remove()
      await forget(key)
      api.collected(key)
    }
  }

  const forget = (key: string): Promise<void> => forgetTrial(client, keys, key)

  async function recoverMissing(one: Queued): Promise<void> {
    if (one.outstanding.size === 0) return
    const there = await present(one)
    const now = clock.now()
    const missing: number[] = []
    for (const [key, { ordinal, at }] of one.outstanding) {
      if (there.has(key) || now - at < NEW_MS) continue
      if ((await client.hexists(keys.finished, key)) === 1) continue
      if (one.outstanding.has(key) && isToDo(job, ordinal)) missing.push(ordinal)
    }
    for (const ordinal of missing) one.outstanding.delete(keyAt(ordinal))
    await add(one, missing)
  }

  const api: LaneQueues = {
    lanes,
    addJobs(options) {
      filling ??= fillAll(options).finally(() => {
        filling = null
      })
      return filling
    },
    isDone: () => lanes.every((one) => one.isExhausted && one.outstanding.size === 0),
    collected(key) {
      for (const one of lanes)
        if (one.outstanding.delete(key)) {
          countDown(one.lane.pool)
          return
        }
    },
    left: (pool) => left.get(pool) ?? 0,
    outstanding: () => lanes.reduce((sum, { outstanding }) => sum + outstanding.size, 0),
    async active() {
      let sum = 0
      for (const { queue } of lanes) sum += await queue.getActiveCount()
      return sum
    },
    async adopt() {
      for (const one of lanes)
        for (const found of await one.queue.getJobs(
          ['wait', 'active', 'delayed', 'prioritized'],
          0,
          -1,
        )) {
          const value = shaped('job', signer.open('job', run, String(found.data?.s ?? '')))
          const ordinal = value === null ? null : plan.ordinalOf(value)
          const isOurs =
            value !== null &&
            ordinal !== null &&
            keyAt(ordinal) === value.k &&
            isToDo(job, ordinal) &&
            (await client.hget(keys.open, value.k)) === value.n
          if (isOurs) one.outstanding.set(value.k, { ordinal, at: clock.now() })
          else await found.remove().catch(() => {})
        }
    },
    async recover(lose) {
      const isSettled = clock.now() - connectedAt > lockMs
      for (const one of lanes) {
        // After a lost connection to Redis, workers first get time to renew the locks of their jobs. Otherwise their
        // jobs would be given to others.
        if (isSettled) await one.checker['moveStalledJobsToWait']()
        await recoverFailed(one, lose)
        await recoverMissing(one)
      }
    },
    async abandon(open, error, lose) {
      const one = byId.get(open.lane.id)
      if (one === undefined || one.lost !== null) return
      one.lost = error
      for (const [key, { ordinal }] of one.outstanding) {
        const found = await one.queue.getJob(key)
        await found?.remove().catch(() => {})
        if (!isToDo(job, ordinal)) continue
        await lose(ordinal, error)
        await forget(key)
        api.collected(key)
      }
    },
    async close(remove) {
      for (const { queue, checker } of lanes) {
        if (remove) await queue.obliterate({ force: true }).catch(() => {})
        await checker.close(true).catch(() => {})
        await queue.close().catch(() => {})
      }
    },
  }
  if (lanes.length === 0) throw new RunError('the plan has no trials')
  return api
}

export const reserveFor = (answering: number): number =>
  Math.max(LEAST_RESERVE, Math.min(MOST_RESERVE, 2 * answering))
