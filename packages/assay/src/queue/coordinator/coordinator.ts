/**
 * The coordinator of a run on a queue. It plans the run, adds jobs when workers have taken the earlier ones, and
 * collects the workers' reports. Only the coordinator writes the run folder, so a run on a queue is recorded exactly
 * like a local run. The run survives the loss of all data in Redis: recorded trials are in the run folder, and the jobs
 * of all other trials are added again.
 */
import { basename } from 'node:path'
import { RunError, SubjectError, type ReasonCode } from '@assay/contract'
import type { Ending } from '../../log/index.ts'
import { askedCase, trialRunner, type Engine, type Job } from '../../run/index.ts'
import { sha256, type QueueEvent, type ResultMessage } from '../messages.ts'
import { connectQueue } from '../redis/connect.ts'
import { RUNS, WAKE, runKeys, runPoolKeys } from '../redis/keys.ts'
import { doneWithin } from '../redis/within.ts'
import { queueKey, signerOf } from '../sign.ts'
import { removeRun } from '../remove-run.ts'
import { openLanes } from './lane-queues.ts'
import { publishBudget } from './publish-budget.ts'
import { publishRun } from './publish-run.ts'
import type { SubjectRecipe } from './recipe.ts'
import { readReports } from './read-reports.ts'
import { watchWorkers } from './watch-workers.ts'

export interface QueueEngineOptions {
  readonly url: string
  readonly recipe: SubjectRecipe
  /** The project: the folder with the programs and commands that the run uses. Default: the working directory. */
  readonly project?: string
  /** The folder for items that are too large for Redis. */
  readonly store?: string | null
  /** How long a worker may be silent before its jobs are given to another worker. */
  readonly lockMs?: number
  /** The name of the run that users see. */
  readonly name: string
  /** How long the end of the run waits for Redis if it does not answer. */
  readonly awayMs?: number
  /** The key that signs all messages. Default: the value of the variable ASSAY_QUEUE_KEY. */
  readonly key?: string
}

export const LOCK_MS = 30_000
const BEAT_MS = 1000
const AWAY_MS = 10_000
/** How long the data of a run stays in Redis after its coordinator has ended. A resumed run uses this data. */
const KEPT_MS = 7 * 24 * 3600 * 1000

/** Returns an engine that runs trials on workers. */
export const queueEngine = (options: QueueEngineOptions): Engine => ({
  execute: (job) => coordinate(job, options),
})

async function coordinate(job: Job, options: QueueEngineOptions): Promise<Ending> {
  const { run, plan, clock } = job
  const { lockMs = LOCK_MS, store = null, awayMs = AWAY_MS } = options
  const signer = signerOf(options.key ?? queueKey())
  const connection = await connectQueue(options.url)
  const { client } = connection
  const keys = runKeys(run)
  const warn = (text: string): void => job.onEvent({ type: 'warning', text })
  const over = new AbortController()
  const done = Promise.withResolvers<void>()
  let ending: Ending | null = null
  let failure: unknown = null
  let isPartial = false
  let errored = 0
  let lateUsd = 0
  let hasLostData = false
  const givenUp = new Map<string, SubjectError>()

  const fail = (error: unknown): void => {
    failure ??= error
    ending = 'failed'
    done.resolve()
  }
  /** Records trials as errored without asking their subject. */
  const runner = trialRunner({ ...job, warn }, new Map(), over.signal, {
    answered: () => {},
    released: () => {},
    settled: () => {},
    outOfBudget: () => {},
  })

  try {
    for (const text of connection.warnings) warn(text)
    const published = await publishRun(
      job,
      { client, run, store },
      {
        lockMs,
        name: options.name === '' ? basename(run) : options.name,
        at: new Date(clock.now()).toISOString(),
        recipe: options.recipe,
        project: options.project ?? '.',
      },
    )
    const head = signer.sign('run', run, published.head)
    const lanes = openLanes({ job, connection, signer, published, lockMs })
    const workers = watchWorkers({ job, client, signer, lanes, shown: connection.shown })

    /**
     * Publishes the description of the run and a sign of life. If Redis has lost data of the run, the data is written
     * again.
     */
    const beat = async (): Promise<void> => {
      const state = ending === null ? 'running' : 'stopping'
      const value = { at: Date.now(), state, head: sha256(head) } as const
      await restore()
      await client
        .multi()
        .sadd(RUNS, run)
        .hset(keys.run, 'head', head, 'beat', signer.sign('beat', run, value))
        .pexpire(keys.run, KEPT_MS)
        .pexpire(keys.items, KEPT_MS)
        .pexpire(keys.again, KEPT_MS)
        .exec()
    }

    /**
     * Writes data of the run to Redis again that Redis has lost. The jobs are not included: `recover` adds them again.
     */
    const restore = async (): Promise<void> => {
      const wanted = job.budget.isLimited ? [keys.items, keys.budget] : [keys.items]
      if ((await client.exists(...wanted)) === wanted.length) return
      await published.restore()
      await publishBudget(job, client)
      if (hasLostData) return
      hasLostData = true
      warn(
        `Redis has lost the data of this run, which goes on. Answers that were under way at that time, at most ${lanes.outstanding()}, may be requested again; they are not counted`,
      )
    }

    const lose = async (ordinal: number, error: SubjectError): Promise<void> => {
      const trial = await runner.lose(plan.indexAt(ordinal), plan.cellAt(ordinal), error)
      job.onEvent({ type: 'trial', trial })
    }

    const isOver = (): boolean => ending !== null
    const advance = async (): Promise<void> => {
      await lanes.addJobs({ isOver, lossOf: (pool) => givenUp.get(pool) ?? null, lose })
      if (lanes.isDone()) done.resolve()
    }

    const onResult = async (ordinal: number, message: ResultMessage): Promise<void> => {
      const { trial, wasPending } = message
      const written = await job.store.record(trial, wasPending)
      const { suite, case: asked, subject } = plan.cellAt(ordinal)
      const { pool } = subject
      const { answerUsd } = written.cost
      if (job.budget.isLimited && answerUsd !== null && written.outcome !== 'errored')
        job.budget.learn(
          subject.id,
          answerUsd,
          subject.estimateUsd(askedCase(subject, suite.id, asked)),
        )
      // Some errors do not count towards the limit that stops the run: Assay has given up on the provider, or the case
      // could not be set up. The local scheduler has the same rule.
      if (
        written.outcome === 'errored' &&
        !givenUp.has(pool) &&
        written.reason?.code !== 'workspace-failed' &&
        ++errored > job.mostErrors
      )
        stop('failed')
      job.onEvent({ type: 'trial', trial: written })
      const ready = job.ready()
      if (ready !== null) await ready
    }

    const stop = (how: Ending): void => {
      if (ending !== null) return
      ending = how
      void beat()
        .then(() => client.publish(WAKE, run))
        .catch(() => {})
      void drained().then(() => done.resolve(), fail)
    }

    /** Ends the run after the user has interrupted it, even if Redis does not answer. */
    const onAbort = (): void => {
      stop('interrupted')
      void clock
        .sleep(job.graceMs + awayMs, over.signal)
        .then(() => done.resolve())
        .catch(() => {})
    }

    /** Resolves when no worker works on a trial of this run, or when the time for that is over. */
    const drained = async (): Promise<void> => {
      const until = ending === 'interrupted' ? clock.now() + job.graceMs : Number.POSITIVE_INFINITY
      for (let idle = 0; idle < 2 && clock.now() < until;) {
        await clock.sleep(100, over.signal).catch(() => {})
        if (failure !== null || over.signal.aborted) return
        idle = (await lanes.active()) === 0 && (await client.xlen(keys.out)) === 0 ? idle + 1 : 0
      }
    }

    const onEvent = (event: QueueEvent): void => {
      const waitingFor = (pool: string): number => lanes.left(pool)
      switch (event.type) {
        case 'wait': {
          const { pool: provider, why, until } = event
          const wait = { provider, why, until, trials: waitingFor(provider) }
          job.onEvent({ type: 'wait', ...wait })
          job.keepWait(wait)
          return
        }
        case 'give-up': {
          const { pool: provider, code, text } = event
          if (givenUp.has(provider)) return
          isPartial = true
          const reason = code as ReasonCode
          givenUp.set(provider, new SubjectError(text, { reason, retry: false }))
          const trials = waitingFor(provider)
          job.onEvent({ type: 'give-up', provider, code: reason, text, trials })
          const until = new Date(clock.now()).toISOString()
          job.keepWait({ provider, why: text, until, trials, gaveUp: true })
          return
        }
        case 'budget': {
          const { type: _, ...state } = event
          job.budget.noteRefused(state)
          stop('budget')
          return
        }
        case 'spent':
          job.spentOnStopped(event.usd)
          if (event.late) lateUsd += event.usd
          return
        case 'warning':
          warn(event.text)
          return
        case 'fault':
          fail(new RunError(event.text))
          return
        default:
          warn('the run was cancelled with assay queue')
          stop('interrupted')
      }
    }

    const reports = readReports({
      job,
      connection,
      signer,
      onResult,
      onEvent,
      onCollected: (key) => lanes.collected(key),
      onChange: advance,
      onFail: fail,
    })

    const timers: NodeJS.Timeout[] = []
    const every = (ms: number, work: () => Promise<void>): void => {
      let isBusy = false
      timers.push(
        setInterval(() => {
          // While Redis cannot be reached, its commands wait. No further commands are sent, so that they do not pile
          // up.
          if (isBusy) return
          isBusy = true
          work()
            .catch((error: unknown) => {
              if (!over.signal.aborted) fail(error)
            })
            .finally(() => {
              isBusy = false
            })
        }, ms),
      )
    }

    const begin = async (): Promise<void> => {
      await reports.collectLeft()
      await publishBudget(job, client)
      await lanes.adopt()
      // The state of each provider is reset, because a provider that an earlier session gave up on may answer now.
      for (const pool of Object.keys(published.head.pools))
        await client.del(runPoolKeys(run, pool).state)
      await beat()
      await client.publish(WAKE, run)
      reports.start()
      every(BEAT_MS, beat)
      every(BEAT_MS, async () => workers.look(() => ending === null, lose))
      every(Math.max(200, lockMs / 4), () =>
        lanes.recover((ordinal, error) => lose(ordinal, error)),
      )
      every(500, advance)
      await advance()
    }
    if (job.signal.aborted) onAbort()
    else job.signal.addEventListener('abort', onAbort, { once: true })
    try {
      void begin().catch((error: unknown) => {
        if (!over.signal.aborted) fail(error)
      })
      await done.promise
    } finally {
      job.signal.removeEventListener('abort', onAbort)
      for (const timer of timers) clearInterval(timer)
      over.abort(new Error('the run has ended'))
    }
    const cleanUp = async (): Promise<void> => {
      await reports.stop()
      // A short run can end before the first look that finds out with which tools its code was graded.
      if (failure === null) await workers.look(() => false, lose)
      const again = Number((await client.get(keys.again)) ?? 0)
      // Workers may still finish trials after an interrupt, and reports may not be written yet. Then the data of the
      // run stays in Redis, and the next session collects it.
      const isLeft =
        failure !== null ||
        (ending === 'interrupted' && (await lanes.active()) + (await client.xlen(keys.out)) > 0)
      const askedAgain = job.addAskedAgain(isLeft ? 0 : again) + (isLeft ? again : 0)
      if (askedAgain > 0) warn(askedAgainWords(askedAgain, lateUsd))
      await lanes.close(!isLeft)
      if (!isLeft) await removeRun(client, run)
      await client.publish(WAKE, run)
    }
    if (!(await doneWithin(cleanUp(), awayMs)))
      warn(
        'Redis does not answer, so this run is still in it. Continue it with --resume, or remove it with assay queue --cancel',
      )
  } finally {
    await connection.close()
  }
  if (failure !== null) throw failure
  return ending ?? (isPartial ? 'partial' : 'complete')
}

const askedAgainWords = (answers: number, lateUsd: number): string =>
  `${answers === 1 ? '1 answer was' : `${answers} answers were`} requested again, because the first worker was lost before its answer arrived; what those requests cost is not known${lateUsd > 0 ? `, apart from $${lateUsd.toFixed(4)} for answers that came too late` : ''}`
