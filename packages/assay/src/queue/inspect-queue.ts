/**
 * Lists what is on a queue: the runs, their jobs by state, the workers, and which jobs are stuck and why. It can also
 * cancel runs.
 */
import { UsageError } from '@assay/contract'
import { shaped, type Fit, type Head } from './messages.ts'
import { connectQueue, type QueueConnection } from './redis/connect.ts'
import { BULL_PREFIX, RUNS, WAKE, WORKERS, laneQueue, runKeys, workerKey } from './redis/keys.ts'
import { removeRun } from './remove-run.ts'
import { queueKey, signerOf, type Signer } from './sign.ts'

/**
 * A run whose coordinator has been silent for this long counts as stopped. A coordinator writes a sign of life every
 * second.
 */
const GONE_MS = 15_000
/** How long a coordinator may take to end after its run was cancelled. */
const CANCEL_MS = 10_000

export interface QueuedRun {
  readonly run: string
  readonly name: string
  /**
   * `stopped` means that its coordinator gives no sign of life. `unsigned` means that it is not signed with this user's
   * key.
   */
  readonly state: 'running' | 'stopping' | 'stopped' | 'unsigned'
  readonly coordinatorSeenMs: number | null
  readonly jobs: { readonly waiting: number; readonly active: number; readonly failed: number }
  /** The number of answers that are not graded yet. */
  readonly answers: number
  /** The number of reports that the coordinator has not read yet. */
  readonly reports: number
  readonly stuck: readonly QueueProblem[]
}

export interface QueueProblem {
  readonly suite: string
  readonly subject: string
  readonly waiting: number
  readonly why: string
}

export interface SeenWorker {
  readonly id: string
  readonly version: string
  readonly host: string
  readonly answering: number
  readonly grading: number
  readonly asking: number
  readonly active: number
  readonly isDraining: boolean
}

export interface QueueView {
  readonly redis: string
  readonly warnings: readonly string[]
  readonly runs: readonly QueuedRun[]
  readonly workers: readonly SeenWorker[]
}

export async function inspectQueue(url: string, key = queueKey()): Promise<QueueView> {
  const connection = await connectQueue(url)
  try {
    const signer = signerOf(key)
    const workers = await seenWorkers(connection)
    const runs: QueuedRun[] = []
    for (const run of (await connection.client.smembers(RUNS)).sort())
      runs.push(await viewRun(connection, signer, run, workers))
    return { redis: connection.shown, warnings: connection.warnings, runs, workers }
  } finally {
    await connection.close()
  }
}

async function seenWorkers({ client }: QueueConnection): Promise<SeenWorker[]> {
  const workers: SeenWorker[] = []
  for (const id of (await client.smembers(WORKERS)).sort()) {
    const text = await client.get(workerKey(id))
    if (text === null) {
      await client.srem(WORKERS, id)
      continue
    }
    try {
      const found = JSON.parse(text) as Record<keyof SeenWorker, unknown>
      const count = (value: unknown): number => (Number.isSafeInteger(value) ? Number(value) : 0)
      workers.push({
        id,
        version: String(found.version),
        host: String(found.host),
        answering: count(found.answering),
        grading: count(found.grading),
        asking: count(found.asking),
        active: count(found.active),
        isDraining: found.isDraining === true,
      })
    } catch {
      // No worker can have written this value, so it is skipped.
    }
  }
  return workers
}

async function viewRun(
  connection: QueueConnection,
  signer: Signer,
  run: string,
  workers: readonly SeenWorker[],
): Promise<QueuedRun> {
  const { client } = connection
  const keys = runKeys(run)
  const [signedHead, signedBeat] = await client.hmget(keys.run, 'head', 'beat')
  const head = shaped('run', signer.open('run', run, signedHead ?? ''))
  const beat = shaped('beat', signer.open('beat', run, signedBeat ?? ''))
  const common = {
    run,
    answers: await client.hlen(keys.answers),
    reports: await client.xlen(keys.out),
  }
  if (head === null || beat === null)
    return {
      ...{ ...common, name: run, state: 'unsigned', coordinatorSeenMs: null, stuck: [] },
      jobs: { waiting: 0, active: 0, failed: 0 },
    }
  const seenMs = Date.now() - beat.at
  const { jobs, waiting } = await countJobs(connection, head)
  return {
    ...common,
    name: head.name,
    state: seenMs > GONE_MS ? 'stopped' : beat.state,
    coordinatorSeenMs: Math.max(0, seenMs),
    jobs,
    stuck: stuckLanes(head, waiting, await fitsOf(connection, signer, run, workers)),
  }
}

async function countJobs(
  { client, packages }: QueueConnection,
  head: Head,
): Promise<{ jobs: QueuedRun['jobs']; waiting: ReadonlyMap<string, number> }> {
  const jobs = { waiting: 0, active: 0, failed: 0 }
  const waiting = new Map<string, number>()
  for (const { id } of head.lanes) {
    const queue = new packages.bullmq.Queue(laneQueue(head.run, id), {
      connection: client,
      prefix: BULL_PREFIX,
    })
    queue.on('error', () => {})
    const counts = await queue.getJobCounts('wait', 'active', 'failed')
    waiting.set(id, counts['wait'] ?? 0)
    jobs.waiting += counts['wait'] ?? 0
    jobs.active += counts['active'] ?? 0
    jobs.failed += counts['failed'] ?? 0
    await queue.close()
  }
  return { jobs, waiting }
}

async function fitsOf(
  { client }: QueueConnection,
  signer: Signer,
  run: string,
  workers: readonly SeenWorker[],
): Promise<ReadonlyMap<string, Fit>> {
  const fits = new Map<string, Fit>()
  for (const [id, signed] of Object.entries(await client.hgetall(runKeys(run).fit))) {
    const fit = shaped('fit', signer.open('fit', run, signed))
    if (fit !== null && workers.some((one) => one.id === id)) fits.set(id, fit)
  }
  return fits
}

function stuckLanes(
  head: Head,
  waiting: ReadonlyMap<string, number>,
  fits: ReadonlyMap<string, Fit>,
): QueueProblem[] {
  return head.lanes.flatMap(({ id, suite, subject }) => {
    const count = waiting.get(id) ?? 0
    if (count === 0 || [...fits.values()].some(({ lanes }) => lanes[id] === null)) return []
    const reasons = new Set([...fits.values()].map(({ lanes }) => lanes[id] ?? ''))
    const why = fits.size === 0 ? 'no worker has looked at this run' : [...reasons].join('; ')
    return [{ suite, subject, waiting: count, why }]
  })
}

/**
 * Cancels a run. Workers stop its trials, and its coordinator ends as if the user had interrupted it. Recorded trials
 * stay recorded. `byCoordinator` says whether the coordinator ended the run. If it did not, all data of the run is
 * removed from Redis.
 */
export async function cancelRun(
  url: string,
  wanted: string,
  {
    key = queueKey(),
    waitMs = CANCEL_MS,
  }: { readonly key?: string; readonly waitMs?: number } = {},
): Promise<{ readonly name: string; readonly byCoordinator: boolean }> {
  const connection = await connectQueue(url)
  const { client } = connection
  try {
    const signer = signerOf(key)
    const { run, name, state } = await findRun(connection, signer, wanted)
    if (state === 'running' || state === 'stopping') {
      const event = signer.sign('event', run, { type: 'cancel' })
      await client.xadd(runKeys(run).out, '*', 't', 'event', 'v', event)
      for (const until = Date.now() + waitMs; Date.now() < until;) {
        if ((await client.sismember(RUNS, run)) === 0) return { name, byCoordinator: true }
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
    await removeRun(client, run)
    await client.publish(WAKE, run)
    return { name, byCoordinator: false }
  } finally {
    await connection.close()
  }
}

async function findRun(
  connection: QueueConnection,
  signer: Signer,
  wanted: string,
): Promise<QueuedRun> {
  const found: QueuedRun[] = []
  for (const run of await connection.client.smembers(RUNS)) {
    const view = await viewRun(connection, signer, run, [])
    if (run === wanted || view.name === wanted) return view
    if (run.startsWith(wanted) || view.name.startsWith(wanted)) found.push(view)
  }
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  throw new UsageError(
    only === undefined
      ? `there is no run "${wanted}" on this queue`
      : `"${wanted}" is the start of several runs: ${found.map(({ name }) => name).join(', ')}`,
  )
}
