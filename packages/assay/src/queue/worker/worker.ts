/**
 * A worker takes trials of all runs on a queue, asks subjects, grades answers, and reports the results. It takes only
 * trials that it can run, shares its time fairly between runs, and gives back every job that it cannot finish.
 */
import { randomBytes } from 'node:crypto'
import { availableParallelism, hostname } from 'node:os'
import { useGraders } from '../../grade/index.ts'
import { Semaphore } from '../../run/index.ts'
import { sha256, shaped, type Head } from '../messages.ts'
import { callScript } from '../redis/call-script.ts'
import { connectQueue, type QueueConnection } from '../redis/connect.ts'
import { RUNS, WAKE, WORKERS, runKeys, workerKey } from '../redis/keys.ts'
import type { Redis } from '../redis/load-bullmq.ts'
import { SAY_FIT } from '../redis/scripts.ts'
import { doneWithin } from '../redis/within.ts'
import { queueKey, signerOf, type Signer } from '../sign.ts'
import { VERSION } from '../../version.ts'
import { Acknowledgements } from './acknowledgements.ts'
import { prepareRun } from './prepare-run.ts'
import { Session } from './session.ts'
import { Leases, sleep } from './slots.ts'
import type { WorkerEvent } from './worker-events.ts'

export interface WorkerOptions {
  readonly url: string
  /** How many answers the worker waits for at the same time. */
  readonly answering?: number
  /** How many answers the worker grades at the same time. Default: one per core. */
  readonly grading?: number
  /** The worker's copy of the project, for suites and commands that are programs. */
  readonly project?: string
  /** The folder for items that are too large for Redis. */
  readonly store?: string | null
  /** Whether runs may start programs, and send API keys to addresses that their settings name. */
  readonly trust?: boolean
  /** How long trials in progress may take after `drain` was called. After that, their jobs are given back. */
  readonly drainMs?: number
  readonly key?: string
  readonly onEvent?: (event: WorkerEvent) => void
}

export const WORKER_DEFAULTS = { answering: 64, drainMs: 30_000 } as const

/** How many jobs are taken in parallel, because taking one needs several round trips to Redis. */
const TAKERS = 4
const LOOK_MS = 500
const ANNOUNCE_MS = 3000
/** A worker that has not announced itself for this long counts as gone. */
const ALIVE_MS = 12_000
const RENEW_MS = 1000
/** How long a worker that stops waits for Redis if it does not answer. */
const AWAY_MS = 5000
/**
 * If the coordinator of a run has been silent for this long, the worker executes no jobs of the run. Otherwise somebody
 * could copy the jobs of an old run into Redis, and the worker would execute them again.
 */
const FRESH_MS = 120_000

export interface WorkerState {
  readonly id: string
  readonly runs: number
  readonly answering: number
  readonly grading: number
  readonly done: Readonly<Record<string, number>>
  readonly refused: number
  readonly isDraining: boolean
  readonly isConnected: boolean
  readonly busyMs: number
}

export class QueueWorker {
  readonly id: string
  readonly warnings: readonly string[]
  readonly #connection: QueueConnection
  readonly #client: Redis
  readonly #signer: Signer
  readonly #options: WorkerOptions
  readonly #leases: Leases
  readonly #grading: Semaphore
  readonly #releaseGraders = useGraders()
  readonly #acknowledgements: Acknowledgements
  readonly #sessions = new Map<string, Session>()
  /** The runs that are being prepared, by the hash of their description. */
  readonly #opening = new Map<string, Promise<void>>()
  readonly #end = new AbortController()
  readonly #hard = new AbortController()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #done: Record<string, number> = {}
  readonly #told = new Set<string>()
  readonly #closing: Promise<void>[] = []
  #wake = new AbortController()
  #takers: Promise<void>[] = []
  /**
   * Sessions that were replaced by a newer session of the same run. They only finish the trials that they have begun.
   */
  readonly #former = new Set<Session>()
  #asking = 0
  #unwritten = 0
  #active = 0
  #refused = 0
  #busyMs = 0
  #turn = 0
  #isDraining = false

  private constructor(connection: QueueConnection, signer: Signer, options: WorkerOptions) {
    this.id = `${hostname()
      .replaceAll(/[^\w-]/gu, '-')
      .slice(0, 40)}-${process.pid}-${randomBytes(3).toString('hex')}`
    this.#connection = connection
    this.#client = connection.client
    this.#signer = signer
    this.#options = options
    this.warnings = connection.warnings
    this.#leases = new Leases(this.#client, this.id)
    this.#grading = new Semaphore(options.grading ?? availableParallelism())
    const subscriber = connection.another()
    this.#acknowledgements = new Acknowledgements(this.#client, subscriber)
    subscriber.on('message', (channel: string) => {
      if (channel === WAKE) this.#wakeUp()
    })
    void subscriber.subscribe(WAKE).catch(() => {})
  }

  /** Starts a worker. Throws a `UsageError` if there is no key, or if no Redis answers at the address. */
  static async start(options: WorkerOptions): Promise<QueueWorker> {
    const signer = signerOf(options.key ?? queueKey())
    const worker = new QueueWorker(await connectQueue(options.url), signer, options)
    await worker.#announce()
    worker.#every(LOOK_MS, () => worker.#look())
    worker.#every(ANNOUNCE_MS, () => worker.#announce())
    worker.#every(RENEW_MS, () => worker.#renew())
    await worker.#look()
    worker.#takers = Array.from({ length: TAKERS }, () => worker.#takeAll())
    return worker
  }

  get state(): WorkerState {
    return {
      id: this.id,
      runs: this.#sessions.size,
      answering: this.#asking,
      grading: this.#active - this.#asking,
      done: { ...this.#done },
      refused: this.#refused,
      isDraining: this.#isDraining,
      isConnected: this.#client.status === 'ready',
      busyMs: this.#busyMs,
    }
  }

  #tell(event: WorkerEvent): void {
    this.#options.onEvent?.(event)
  }

  #wakeUp(): void {
    for (const { lanes } of this.#sessions.values()) for (const lane of lanes) lane.notBefore = 0
    this.#wake.abort()
    this.#wake = new AbortController()
  }

  #every(ms: number, work: () => Promise<void>): void {
    let isBusy = false
    this.#timers.push(
      setInterval(() => {
        // While Redis cannot be reached, its commands wait. No further commands are sent, so that they do not pile up.
        if (isBusy) return
        isBusy = true
        work()
          .catch((error: unknown) => this.#tell({ type: 'error', text: (error as Error).message }))
          .finally(() => {
            isBusy = false
          })
      }, ms),
    )
  }

  get #answering(): number {
    return this.#options.answering ?? WORKER_DEFAULTS.answering
  }

  get #gradingSlots(): number {
    return this.#options.grading ?? availableParallelism()
  }

  async #announce(): Promise<void> {
    const value = {
      ...{ id: this.id, version: VERSION, host: hostname(), pid: process.pid },
      ...{ answering: this.#answering, grading: this.#gradingSlots, at: Date.now() },
      ...{ asking: this.#asking, active: this.#active, isDraining: this.#isDraining },
    }
    await this.#client
      .multi()
      .sadd(WORKERS, this.id)
      .set(workerKey(this.id), JSON.stringify(value), 'PX', ALIVE_MS)
      .exec()
    for (const session of this.#sessions.values()) await this.#sayFit(session.head, session.fit)
  }

  async #sayFit(head: Head, fit: Session['fit']): Promise<void> {
    const value = { ...fit, answering: this.#answering, grading: this.#gradingSlots }
    const { run, fit: key } = runKeys(head.run)
    const signed = this.#signer.sign('fit', head.run, value)
    await callScript(this.#client, SAY_FIT, [run, key], [this.id, signed])
  }

  async #renew(): Promise<void> {
    await this.#leases.renew()
    for (const session of this.#all) await session.renew()
  }

  /** Looks for runs that have begun, changed or ended. */
  async #look(): Promise<void> {
    if (this.#isDraining) return
    const runs = await this.#client.smembers(RUNS)
    for (const run of runs) await this.#lookAt(run)
    for (const [run, session] of this.#sessions)
      if (!runs.includes(run)) {
        session.isTaking = false
        // A missing run is not closed at once. If Redis has lost its data, the coordinator soon writes the run again.
        if (session.isGone()) this.#closeSession(run, session)
      }
  }

  #closeSession(run: string, session: Session): void {
    this.#sessions.delete(run)
    this.#tell({ type: 'run-ended', run, name: session.head.name })
    this.#closing.push(
      session.close().catch(() => {}),
      this.#acknowledgements.unsubscribe(run).catch(() => {}),
    )
  }

  async #lookAt(run: string): Promise<void> {
    const [signedHead, signedBeat] = await this.#client.hmget(runKeys(run).run, 'head', 'beat')
    if (signedHead == null || signedBeat == null) return
    const session = this.#sessions.get(run)
    const beat = shaped('beat', this.#signer.open('beat', run, signedBeat))
    if (beat === null || sha256(signedHead) !== beat.head) {
      if (session !== undefined) session.isTaking = false
      return this.#refuseOnce(run, 'it is not signed with the key of this worker')
    }
    const ageMs = Date.now() - beat.at
    if (Math.abs(ageMs) > FRESH_MS) {
      if (session !== undefined) session.isTaking = false
      return this.#refuseOnce(
        `${run} stale`,
        `its coordinator gave no sign of life for ${Math.round(ageMs / 1000)} s, or the clocks differ`,
      )
    }
    if (session?.headHash === beat.head) {
      session.sees(beat)
      return
    }
    if (beat.state !== 'running' || this.#opening.has(beat.head)) return
    const head = shaped('run', this.#signer.open('run', run, signedHead))
    if (head === null || head.run !== run)
      return this.#refuseOnce(run, 'its description is not signed, or of another version of Assay')
    this.#opening.set(
      beat.head,
      this.#open(head, beat.head)
        .catch((error: unknown) => this.#tell({ type: 'error', text: (error as Error).message }))
        .finally(() => this.#opening.delete(beat.head)),
    )
  }

  #refuseOnce(name: string, why: string): void {
    if (this.#told.has(name)) return
    this.#told.add(name)
    this.#refused++
    this.#tell({ type: 'refused', what: `run ${name}`, why })
  }

  async #open(head: Head, headHash: string): Promise<void> {
    const { project = '.', store = null, trust = false } = this.#options
    const { run } = head
    const prepared = await prepareRun({
      head,
      items: { client: this.#client, run, store },
      trust: { all: trust },
      project,
      signal: this.#hard.signal,
    })
    if (prepared.isTemporary) {
      await this.#sayFit(head, prepared.fit)
      // The run is tried again when the worker looks for runs the next time.
      await sleep(LOOK_MS, this.#end.signal)
      return
    }
    await this.#acknowledgements.subscribe(run)
    const session = new Session({
      ...{ head, headHash, prepared, worker: this.id },
      connection: this.#connection,
      signer: this.#signer,
      leases: this.#leases,
      grading: this.#grading,
      acknowledgements: this.#acknowledgements,
      hooks: {
        began: () => {
          this.#asking++
          this.#active++
        },
        answered: () => {
          this.#asking--
          this.#wakeUp()
        },
        waits: (change) => {
          this.#unwritten += change
        },
        ended: (outcome, ms) => {
          this.#active--
          this.#busyMs += ms
          this.#done[outcome] = (this.#done[outcome] ?? 0) + 1
          this.#tell({ type: 'trial', run, outcome, ms: Math.round(ms) })
          this.#wakeUp()
        },
        refused: (why) => {
          this.#refused++
          this.#tell({ type: 'refused', what: `a job of run ${head.name}`, why })
        },
      },
    })
    if (this.#end.signal.aborted) return session.close()
    const before = this.#sessions.get(run)
    this.#sessions.set(run, session)
    if (before !== undefined) {
      before.isTaking = false
      this.#former.add(before)
      const ended = before.idle().then(() => before.close())
      this.#closing.push(ended.finally(() => this.#former.delete(before)))
    }
    await this.#sayFit(head, session.fit)
    const cannot = Object.entries(session.fit.lanes).flatMap(([id, why]) => {
      const lane = head.lanes.find((one) => one.id === id)
      return why === null || lane === undefined
        ? []
        : [{ suite: lane.suite, subject: lane.subject, why }]
    })
    this.#tell({ type: 'run', run, name: head.name, lanes: head.lanes.length, cannot })
    this.#wakeUp()
  }

  get #isFull(): boolean {
    const ungraded = this.#active - this.#asking - this.#unwritten
    return this.#asking >= this.#answering || ungraded > Math.max(32, 4 * this.#gradingSlots)
  }

  /**
   * Returns the next lane (a group of trials with the same needs) to try. Runs take turns, and so do the lanes of a
   * run.
   */
  #nextLane(): { session: Session; lane: Session['lanes'][number] } | null {
    const now = performance.now()
    const sessions = [...this.#sessions.values()].filter(({ isTaking }) => isTaking)
    for (let i = 0; i < sessions.length; i++) {
      const session = sessions[(this.#turn + i) % sessions.length] as Session
      const ready = session.lanes.filter(({ notBefore }) => notBefore <= now)
      const lane = ready[Math.floor(Math.random() * ready.length)]
      if (lane === undefined) continue
      this.#turn = (this.#turn + i + 1) % sessions.length
      return { session, lane }
    }
    return null
  }

  async #takeAll(): Promise<void> {
    const { signal } = this.#end
    while (!signal.aborted) {
      const next = this.#isFull ? null : this.#nextLane()
      if (next === null) {
        await sleep(50, AbortSignal.any([signal, this.#wake.signal]))
        continue
      }
      try {
        await next.session.take(next.lane)
      } catch (error) {
        if (signal.aborted) return
        this.#tell({ type: 'error', text: (error as Error).message })
        await sleep(200, signal)
      }
    }
  }

  /** Takes no further jobs, waits for the jobs in progress, gives the rest back, and closes everything. */
  async drain(): Promise<void> {
    if (this.#isDraining) return
    this.#isDraining = true
    const { drainMs = WORKER_DEFAULTS.drainMs } = this.#options
    this.#tell({ type: 'draining', active: this.#active })
    this.#end.abort()
    const idle = async (): Promise<void> => {
      await Promise.all(this.#takers)
      await Promise.all(this.#all.map((session) => session.idle()))
    }
    await doneWithin(idle(), drainMs)
    this.#hard.abort(new Error('the worker stops'))
    // If Redis cannot be reached, the jobs cannot be given back. Other workers get them after their locks have expired.
    const leaving = this.#leave()
    await doneWithin(leaving, AWAY_MS)
    for (const timer of this.#timers) clearInterval(timer)
    await this.#connection.close()
    // The connection is closed, so everything that waited for Redis has ended. Now the sessions close what they opened.
    await leaving.catch(() => {})
    await this.#releaseGraders()
    this.#tell({ type: 'end', done: { ...this.#done } })
  }

  get #all(): Session[] {
    return [...this.#sessions.values(), ...this.#former]
  }

  /** Gives jobs back and removes this worker from Redis. */
  async #leave(): Promise<void> {
    await Promise.all(this.#all.map((session) => session.close()))
    await Promise.all([...this.#opening.values(), ...this.#closing])
    const gone = this.#client.multi().srem(WORKERS, this.id).del(workerKey(this.id))
    for (const run of this.#sessions.keys()) gone.hdel(runKeys(run).fit, this.id)
    await gone.exec()
  }
}
