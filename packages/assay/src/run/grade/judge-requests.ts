/**
 * What one trial asks of judges. A judge is asked as a subject is: in its provider's pool, with retries,
 * within the budget. While it thinks, the trial gives up its place at the cores; what was waited for, and
 * what was spent, is kept apart from the subject's.
 */
import type { Ask, Case, Message, Subject } from '@assay/contract'
import type { AskJudge } from '../../grade/index.ts'
import { MARK } from '../../log/index.ts'
import { askSubject } from '../schedule/ask.ts'
import { askOnce } from '../schedule/ask-once.ts'
import type { Paid } from '../schedule/budget.ts'
import type { Job } from '../schedule/job.ts'
import { askedOf } from './judges.ts'
import type { Semaphore } from '../schedule/semaphore.ts'
import type { Pool } from '../schedule/provider-limiter.ts'

/** The budget does not allow another request: the trial waits for a run with more. */
export class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget'
}

export interface JudgeRequestsOptions {
  readonly job: Job
  readonly pools: ReadonlyMap<string, Pool>
  /** The trial's place at the cores, which it holds. */
  readonly grading: Semaphore
  readonly signal: AbortSignal
  readonly trial: { readonly suite: string; readonly case: Case; readonly index: number }
  readonly random: () => number
  /** A provider's place has come free. */
  readonly released: () => void
  readonly outOfBudget: () => void
}

export class JudgeRequests {
  /** Null where nobody was asked, or where a price is unknown. */
  usd: number | null = null
  spentUsd = 0
  /** For pools, rate limits and places; no part of the time that grading took. */
  waitedMs = 0
  /** What its replies say that does not count. */
  readonly remarks = new Set<string>()
  readonly #options: JudgeRequestsOptions
  #requests = 0

  constructor(options: JudgeRequestsOptions) {
    this.#options = options
  }

  readonly ask: AskJudge = async (name, messages) => {
    const { job, pools, grading, signal, trial } = this.#options
    const judge = job.judges.find(({ id }) => id === name)
    const pool = judge === undefined ? undefined : pools.get(judge.pool)
    if (judge === undefined || pool === undefined)
      throw new Error(`there is no judge "${name}" in this run`)
    const from = job.clock.now()
    let workedMs = 0
    grading.leave()
    try {
      const sent = this.#sendable(judge, messages)
      const asked = await this.#within(judge, pool, {
        suite: trial.suite,
        case: trial.case,
        index: trial.index,
        messages: sent,
        maxTokens: null,
        timeoutMs: job.timeoutMs,
        random: this.#options.random,
        signal,
      })
      workedMs = asked.answerMs
      if ('error' in asked.result) throw asked.result.error
      const { text, stop, note, remarks = [] } = asked.result.answer
      for (const remark of remarks) this.remarks.add(`judge ${name}: ${remark}`)
      return { text, stop, ...(note === undefined ? {} : { note }), usd: asked.answerUsd }
    } finally {
      await grading.enter()
      this.waitedMs += job.clock.now() - from - workedMs
    }
  }

  /** A key of one provider is not sent to another because an answer quotes it. */
  #sendable(judge: Subject, messages: readonly Message[]): readonly Message[] {
    const redact = this.#options.job.redactFor(judge)
    const sent = messages.map((one) => ({ ...one, content: redact(one.content) }))
    if (sent.every(({ content }, i) => content === messages[i]?.content)) return messages
    this.remarks.add(`judge ${judge.id} saw ${MARK} in place of a secret of another subject`)
    return sent
  }

  async #within(judge: Subject, pool: Pool, ask: Ask) {
    const { job, random, released, outOfBudget } = this.#options
    const texts = ask.messages.map(({ content }) => content)
    const estimate = judge.estimateUsd(askedOf(ask.case, texts))
    const reserved = await job.budget.reserveSoon(judge.id, estimate)
    if (reserved === null) {
      outOfBudget()
      throw new OutOfBudget('the budget does not allow asking the judge')
    }
    let paid: Paid = { spentUsd: 0 }
    try {
      await pool.enter()
      const asked = await askSubject(judge, ask, {
        clock: job.clock,
        pool,
        policy: job.policy,
        random,
        answer: askOnce,
        // A reply is worth keeping only as part of a verdict.
        keep: async () => {},
        stopped: (spentUsd) => {
          paid = { spentUsd, isStopped: true }
          job.spentOnStopped(spentUsd)
        },
      })
      const { spentUsd, unknownCosts, result } = asked
      paid = { spentUsd, unknownCosts, isAnswer: 'answer' in result }
      this.#book(asked.answerUsd, spentUsd)
      return asked
    } finally {
      job.budget.settle(reserved, paid)
      released()
    }
  }

  /** One unknown price makes the sum unknown. */
  #book(usd: number | null, spentUsd: number): void {
    const before = this.#requests++ === 0 ? 0 : this.usd
    this.usd = before === null || usd === null ? null : before + usd
    this.spentUsd += spentUsd
  }
}
