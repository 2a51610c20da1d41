/** Watches which workers are connected and which trials they can run, and reports trials that no worker can run. */
import { plain, SubjectError } from '@assay/contract'
import type { Job } from '../../run/index.ts'
import { counted, setDuration } from '../../text/index.ts'
import { shaped, type Fit } from '../messages.ts'
import { runKeys, WORKERS, workerKey } from '../redis/keys.ts'
import type { Redis } from '../redis/load-bullmq.ts'
import { KEY_VARIABLE, type Signer } from '../sign.ts'
import { reserveFor, type LaneQueues, type Lose, type OpenLane } from './lane-queues.ts'

/**
 * How long a lane (a group of trials with the same needs) may be without a worker before the user is warned. Workers
 * need a moment to find a new run.
 */
const PATIENCE_MS = 3000
/** The most workers whose reasons are shown. */
const MOST_NAMED = 3

export function watchWorkers({
  job,
  client,
  signer,
  lanes,
  shown,
}: {
  readonly job: Job
  readonly client: Redis
  readonly signer: Signer
  readonly lanes: LaneQueues
  readonly shown: string
}): { look(isRunning: () => boolean, lose: Lose): Promise<void> } {
  const { run, clock } = job
  const keys = runKeys(run)
  /** For each lane (a group of trials with the same needs), the time since which it has no worker. */
  const since = new Map<string, number>()
  const told = new Map<string, string>()
  let hasSetup = false

  async function fits(): Promise<ReadonlyMap<string, Fit>> {
    const found = new Map<string, Fit>()
    for (const [worker, signed] of Object.entries(await client.hgetall(keys.fit))) {
      const fit = shaped('fit', signer.open('fit', run, signed))
      if (fit !== null && (await client.exists(workerKey(worker))) === 1) found.set(worker, fit)
    }
    return found
  }

  const isWaiting = (one: OpenLane): boolean => !one.isExhausted || one.outstanding.size > 0

  /**
   * Returns all workers that are connected to this Redis, even those that cannot read this run because of another key.
   */
  async function connected(): Promise<readonly string[]> {
    const workers: string[] = []
    for (const worker of await client.smembers(WORKERS))
      if ((await client.exists(workerKey(worker))) === 1) workers.push(worker)
    return workers.sort()
  }

  /**
   * Returns a warning that no worker takes this run. A worker with the right key says within a moment what it can do.
   * So a worker that stays silent probably has another key.
   */
  function noneText(trials: string, strangers: readonly string[]): string {
    if (strangers.length === 0)
      return `no worker is connected, so ${trials} wait. Start one with: assay worker ${shown}`
    const names = strangers.slice(0, MOST_NAMED).map(plain).join(', ')
    const isOne = strangers.length === 1
    return `${counted(strangers.length, 'worker is', 'workers are')} connected (${names}${strangers.length > MOST_NAMED ? ', …' : ''}), but ${isOne ? 'it does' : 'they do'} not take up this run, so ${trials} wait. Probably ${KEY_VARIABLE} is another one there: the output of the ${isOne ? 'worker' : 'workers'} says why`
  }

  async function tell({ lane }: OpenLane, all: ReadonlyMap<string, Fit>): Promise<void> {
    const reasons = new Map<string, string[]>()
    for (const [worker, fit] of all) {
      const why = fit.lanes[lane.id] ?? 'it has not looked at this run yet'
      reasons.set(why, [...(reasons.get(why) ?? []), worker])
    }
    const trials = counted(lanes.left(lane.pool), 'trial')
    const text =
      all.size === 0
        ? noneText(trials, await connected())
        : `no worker can do the trials of ${plain(lane.subject)} on ${plain(lane.suite)}${lane.language === null ? '' : ` in ${lane.language}`}; others go on. ${[
            ...reasons,
          ]
            .slice(0, MOST_NAMED)
            .map(([why, workers]) => `${workers.slice(0, MOST_NAMED).join(', ')}: ${plain(why)}`)
            .join('; ')}`
    const name = all.size === 0 ? '' : lane.id
    if (told.get(name) === text) return
    told.set(name, text)
    job.onEvent({ type: 'warning', text })
  }

  return {
    async look(isRunning, lose) {
      const all = await fits()
      const now = clock.now()
      const setup = [...all.values()].find((fit) => fit.setup !== null)?.setup ?? null
      if (setup !== null && !hasSetup) {
        hasSetup = true
        const { sandbox, toolchains, programLimits } = setup
        job.keepGradedWith({
          sandbox,
          toolchains,
          ...(programLimits === null ? {} : { programLimits }),
        })
      }
      for (const one of lanes.lanes) {
        const able = [...all.values()].filter((fit) => fit.lanes[one.lane.id] === null)
        one.reserve = reserveFor(able.reduce((sum, { answering }) => sum + answering, 0))
        if (able.length > 0 || !isWaiting(one) || !isRunning()) {
          if (since.delete(one.lane.id)) told.delete(one.lane.id)
          if (able.length > 0) told.delete('')
          continue
        }
        const from = since.get(one.lane.id) ?? now
        since.set(one.lane.id, from)
        if (now - from >= PATIENCE_MS) await tell(one, all)
        if (now - from > job.maxWaitMs)
          await lanes.abandon(
            one,
            new SubjectError(
              `no worker could do it for ${setDuration(job.maxWaitMs)}, which is --max-wait`,
              { reason: 'not-started', retry: false },
            ),
            lose,
          )
      }
    },
  }
}
