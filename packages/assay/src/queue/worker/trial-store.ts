/**
 * Stores the answer and the result of a trial on a worker by sending them to the coordinator through Redis. An answer
 * counts as stored when the coordinator has acknowledged it. So grading begins only after the answer is on the
 * coordinator's disk.
 */
import { RunError } from '@assay/contract'
import {
  maskedAnswer,
  maskedTrial,
  masksAnything,
  redactor,
  type MaskedAnswer,
} from '../../log/index.ts'
import type { TrialStore } from '../../run/index.ts'
import type { QueueEvent, TrialJob } from '../messages.ts'
import { callScript } from '../redis/call-script.ts'
import { runKeys } from '../redis/keys.ts'
import type { Redis } from '../redis/load-bullmq.ts'
import { ANSWER, RESULT } from '../redis/scripts.ts'
import type { Signer } from '../sign.ts'
import { TextCollector } from '../texts.ts'

/** Thrown if the trial does not need this worker's result, because another worker was faster or the run has ended. */
export class TrialGone extends RunError {
  override readonly name = 'TrialGone'
}

export interface TrialStoreOptions {
  readonly client: Redis
  readonly run: string
  readonly signer: Signer
  readonly secrets: readonly string[]
  readonly trial: TrialJob
  readonly worker: string
  readonly report: (event: QueueEvent) => void
  /**
   * Called when the answer is in Redis. It is then safe even if this worker is lost, so the provider's slot can be
   * freed.
   */
  readonly kept: () => void
  /** Resolves when the coordinator has written the answer. */
  readonly acknowledged: (key: string) => Promise<void>
}

export function trialStore(options: TrialStoreOptions): TrialStore {
  const { client, run, signer, secrets, trial, worker, report } = options
  const keys = runKeys(run)
  const collected = new TextCollector()
  const redact = redactor(secrets)
  const isMasked = masksAnything(secrets)
  const masked = new WeakMap<object, MaskedAnswer>()
  return {
    redact,
    maskedAnswer(answer) {
      if (!isMasked) return { answer, masked: [] }
      let found = masked.get(answer)
      if (found === undefined) masked.set(answer, (found = maskedAnswer(answer, secrets)))
      return found
    },
    text: async (text) => collected.put(redact(text)),
    maskedText: async (text) => collected.put(text),
    async keepAnswer(pending) {
      const message = { k: trial.k, pending, texts: collected.texts }
      const how = await callScript<string>(
        client,
        ANSWER,
        [keys.open, keys.finished, keys.answers, keys.out],
        [trial.k, trial.n, signer.sign('answer', run, message)],
      )
      if (how !== 'kept') {
        report({ type: 'spent', usd: pending.spentUsd, late: true })
        throw new TrialGone('another worker has answered this trial')
      }
      options.kept()
      await options.acknowledged(trial.k)
    },
    async record(finished, wasPending) {
      const written = isMasked ? maskedTrial(finished, redact) : finished
      const message = {
        ...{ k: trial.k, trial: written, texts: collected.texts },
        ...{ wasPending, worker },
      }
      const how = await callScript<string>(
        client,
        RESULT,
        [keys.open, keys.finished, keys.out],
        [trial.k, trial.n, signer.sign('result', run, message)],
      )
      if (how !== 'kept') throw new TrialGone('another worker has finished this trial')
      return written
    },
  }
}
