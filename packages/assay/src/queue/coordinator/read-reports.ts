/**
 * Reads the reports of workers: answers, results and events. An answer is acknowledged after it was written to the
 * disk. A result is removed from Redis after its line was written to the disk. A report may arrive more than once, but
 * the log contains each trial only once.
 */
import { RunError } from '@assay/contract'
import { isToDo, type Job } from '../../run/index.ts'
import { shaped, trialKey, type QueueEvent, type ResultMessage } from '../messages.ts'
import type { QueueConnection } from '../redis/connect.ts'
import { forgetTrial } from '../redis/forget-trial.ts'
import { runKeys } from '../redis/keys.ts'
import type { Signer } from '../sign.ts'
import { storeTexts } from '../texts.ts'

/** `MOST_REPORTS` is how many reports are read at once. `BLOCK_MS` is how long a read waits for the first report. */
const MOST_REPORTS = 200
const BLOCK_MS = 1000

interface Report {
  readonly id: string
  readonly fields: ReadonlyMap<string, string>
}

export interface Reports {
  /** Reads the reports that arrived while no coordinator was running. */
  collectLeft(): Promise<void>
  start(): void
  stop(): Promise<void>
}

export function readReports({
  job,
  connection,
  signer,
  onResult,
  onEvent,
  onCollected,
  onChange,
  onFail,
}: {
  readonly job: Job
  readonly connection: QueueConnection
  readonly signer: Signer
  readonly onResult: (ordinal: number, message: ResultMessage) => Promise<void>
  readonly onEvent: (event: QueueEvent) => void
  readonly onCollected: (key: string) => void
  readonly onChange: () => Promise<void>
  readonly onFail: (error: unknown) => void
}): Reports {
  const { run, plan, store } = job
  const { client } = connection
  const keys = runKeys(run)
  const blocking = connection.another()
  /** The trials that are being written to the log. */
  const recording = new Set<number>()
  let isStopped = false
  let loop: Promise<void> | null = null
  let hasWarned = false

  /** Drops a report whose signature is not valid or whose shape is wrong, and warns the user. */
  const refuse = (what: string): void => {
    if (hasWarned) return
    hasWarned = true
    job.onEvent({
      type: 'warning',
      text: `${what} in Redis is not signed with this key or is damaged: it was ignored`,
    })
  }

  const ordinalOf = (identity: Parameters<typeof trialKey>[0], hash: string, key: string) => {
    const ordinal = plan.ordinalOf(identity)
    if (ordinal === null || plan.cellAt(ordinal).case.hash !== hash) return null
    return trialKey(identity, hash) === key && isToDo(job, ordinal) ? ordinal : null
  }

  async function takeAnswer(key: string): Promise<void> {
    const signed = await client.hget(keys.answers, key)
    if (signed === null) return
    const message = shaped('answer', signer.open('answer', run, signed))
    if (message === null || message.k !== key) {
      refuse('an answer')
      await client.hdel(keys.answers, key)
      return
    }
    const { pending, texts } = message
    const ordinal = ordinalOf(pending, pending.caseHash, key)
    if (ordinal !== null && (await client.hexists(keys.acks, key)) === 0) {
      await storeTexts(store, texts)
      await store.keepAnswer(pending)
      // If masking changed the stored answer, another worker could not grade the original. So such an answer is not
      // kept.
      if ((pending.masked ?? []).length === 0) job.pending.set(ordinal, pending)
    }
    await client.multi().hset(keys.acks, key, '1').publish(keys.ack, key).exec()
  }

  async function takeResult(key: string, signed: string): Promise<void> {
    const message = shaped('result', signer.open('result', run, signed))
    if (message === null || message.k !== key) {
      refuse('a result')
      await client.hdel(keys.finished, key)
      return
    }
    const { trial } = message
    const ordinal = ordinalOf(trial, trial.caseHash, key)
    if (ordinal !== null && !recording.has(ordinal)) {
      recording.add(ordinal)
      try {
        await storeTexts(store, message.texts)
        await onResult(ordinal, message)
        job.pending.delete(ordinal)
      } finally {
        recording.delete(ordinal)
      }
    }
    await forgetTrial(client, keys, key)
    onCollected(key)
  }

  async function take({ id, fields }: Report): Promise<void> {
    const key = fields.get('k') ?? ''
    const value = fields.get('v') ?? ''
    switch (fields.get('t')) {
      case 'answer':
        await takeAnswer(key)
        break
      case 'result':
        await takeResult(key, value)
        break
      case 'event': {
        const event = shaped('event', signer.open('event', run, value))
        if (event === null) refuse('an event')
        else onEvent(event)
        break
      }
      default:
        refuse('a report')
    }
    await client.xdel(keys.out, id)
  }

  async function readOnce(from: string, block: boolean): Promise<Report[]> {
    const found = block
      ? await blocking.xread('COUNT', MOST_REPORTS, 'BLOCK', BLOCK_MS, 'STREAMS', keys.out, from)
      : await client.xread('COUNT', MOST_REPORTS, 'STREAMS', keys.out, from)
    const [stream] = (found ?? []) as [string, [string, string[]][]][]
    return (stream?.[1] ?? []).map(([id, flat]) => {
      const fields = new Map<string, string>()
      for (let at = 0; at + 1 < flat.length; at += 2)
        fields.set(flat[at] as string, flat[at + 1] as string)
      return { id, fields }
    })
  }

  /**
   * Reads reports in a loop. Each report is removed after it was processed, so every read begins at the start of the
   * stream.
   */
  async function readAll(): Promise<void> {
    for (;;) {
      const reports = await readOnce('0', true)
      if (isStopped) return
      if (reports.length === 0) continue
      await Promise.all(reports.map(take))
      await onChange()
    }
  }

  return {
    async collectLeft() {
      for (;;) {
        const reports = await readOnce('0', false)
        if (reports.length === 0) return
        await Promise.all(reports.map(take))
      }
    },
    start() {
      loop = readAll().catch((error: unknown) => {
        if (!isStopped) onFail(error instanceof Error ? error : new RunError(String(error)))
      })
    },
    async stop() {
      isStopped = true
      blocking.disconnect()
      await loop
    },
  }
}
