/**
 * Sends the requests of one trial to its judges. A judge is asked in the same way as a subject: in its provider's pool,
 * with retries, and within the budget. While the judge answers, the trial frees its grading slot for another trial. The
 * waiting time and cost of judges are recorded separately from those of the subject. A judge that is a program, such as
 * an agent, can explore the graded workspace. It works in its own copy, with its own limits, and only its reply is
 * kept.
 */
import { type Answer, type Ask, type Case, type Message, type Subject } from '@assay/contract'
import { exploringMessages, type AskJudge } from '../../grade/index.ts'
import { MARK, type Redact } from '../../log/index.ts'
import { askSubject } from '../schedule/ask.ts'
import { askOnce } from '../schedule/ask-once.ts'
import type { Paid } from '../schedule/budget.ts'
import { askedOf } from './judges.ts'
import { isExploring } from '../workspaces.ts'
import type { ReviewWorkspace } from '../../workspace/index.ts'
import type { Semaphore } from '../schedule/semaphore.ts'
import type { ProviderSlots, TrialServices } from '../trial/trial-services.ts'

/**
 * Thrown if the budget does not allow another request. The trial is not recorded until the run is resumed with more
 * money.
 */
export class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget'
}

export interface JudgeRequestsOptions {
  readonly services: TrialServices
  readonly pools: ReadonlyMap<string, ProviderSlots>
  /** Limits how many trials are graded at once. A trial holds one of these slots when it asks a judge. */
  readonly grading: Semaphore
  readonly signal: AbortSignal
  readonly trial: { readonly suite: string; readonly case: Case; readonly index: number }
  readonly random: () => number
  /**
   * Creates a copy of the graded workspace for a judge that explores. `redact` masks the texts that the subject wrote.
   */
  readonly openReview: (redact: Redact) => Promise<ReviewWorkspace>
  /** Called when a slot in a provider's pool is free again. */
  readonly released: () => void
  readonly outOfBudget: () => void
}

export class JudgeRequests {
  /** The cost of all judges. Null if no judge was asked, or if a price is unknown. */
  usd: number | null = null
  spentUsd = 0
  /** The time spent waiting for pools, rate limits and grading slots. It does not count as grading time. */
  waitedMs = 0
  /** Remarks on the judges' replies, such as a reported cost that is impossible and was ignored. */
  readonly remarks = new Set<string>()
  readonly #options: JudgeRequestsOptions
  #requests = 0

  constructor(options: JudgeRequestsOptions) {
    this.#options = options
  }

  readonly ask: AskJudge = async (name, messages, { run, exploration }) => {
    const { services, pools, grading, signal, trial } = this.#options
    const judge = services.judges.find(({ id }) => id === name)
    const pool = judge === undefined ? undefined : pools.get(judge.pool)
    if (judge === undefined || pool === undefined)
      throw new Error(`there is no judge "${name}" in this run`)
    const from = services.clock.now()
    let workedMs = 0
    grading.leave()
    try {
      const sent = this.#sendable(judge, messages)
      const isReview = isExploring(judge, exploration)
      const asked = await this.#within(judge, pool, isReview, {
        suite: trial.suite,
        // The limits in the case apply to the subject. A judge that explores has the limits of its grader.
        case: { ...trial.case, limits: exploration.limits },
        index: seedIndex(trial.index, run),
        messages: sent,
        maxTokens: null,
        timeoutMs: isReview
          ? (exploration.timeoutMs ?? services.agentTimeoutMs)
          : services.timeoutMs,
        random: this.#options.random,
        signal,
      })
      workedMs = asked.answerMs
      if ('error' in asked.result) throw asked.result.error
      const { text, stop, note, remarks = [], trajectory } = asked.result.answer
      for (const remark of remarks) this.remarks.add(`judge ${name}: ${remark}`)
      return {
        text,
        stop,
        ...(note === undefined ? {} : { note }),
        usd: asked.answerUsd,
        ...(isReview && trajectory !== undefined ? { trajectory } : {}),
      }
    } finally {
      await grading.enter()
      this.waitedMs += services.clock.now() - from - workedMs
    }
  }

  /**
   * Masks the secrets of other subjects. Otherwise an answer that contains the key of another provider would send that
   * key to the judge's provider.
   */
  #sendable(judge: Subject, messages: readonly Message[]): readonly Message[] {
    const redact = this.#redactFor(judge)
    return messages.map((one) => ({ ...one, content: redact(one.content) }))
  }

  #redactFor(judge: Subject): Redact {
    const redact = this.#options.services.redactFor(judge)
    return (text) => {
      const sent = redact(text)
      if (sent !== text)
        this.remarks.add(`judge ${judge.id} saw ${MARK} in place of a secret of another subject`)
      return sent
    }
  }

  async #within(judge: Subject, pool: ProviderSlots, isReview: boolean, ask: Ask) {
    const { services, random, released, outOfBudget } = this.#options
    const texts = ask.messages.map(({ content }) => content)
    const estimate = judge.estimateUsd(askedOf(ask.case, texts))
    const reserved = await services.budget.reserveSoon(judge.id, estimate)
    if (reserved === null) {
      outOfBudget()
      throw new OutOfBudget('the budget does not allow asking the judge')
    }
    let paid: Paid = { spentUsd: 0 }
    try {
      await pool.enter()
      const asked = await askSubject(judge, ask, {
        clock: services.clock,
        pool,
        policy: services.policy,
        random,
        answer: isReview ? this.#explore : askOnce,
        // The reply of a judge is not stored alone. It is recorded as part of the grade.
        keep: async () => {},
        stopped: (spentUsd) => {
          paid = { spentUsd, isStopped: true }
          services.spentOnStopped(spentUsd)
        },
      })
      const { spentUsd, unknownCosts, result } = asked
      paid = { spentUsd, unknownCosts, isAnswer: 'answer' in result }
      this.#book(asked.answerUsd, spentUsd)
      return asked
    } finally {
      services.budget.settle(reserved, paid)
      released()
    }
  }

  /** Asks a judge in a new copy of the graded workspace. The copy is removed in every case. */
  readonly #explore = async (judge: Subject, ask: Ask): Promise<Answer> => {
    const workspace = await this.#options.openReview(this.#redactFor(judge))
    try {
      return await askOnce(judge, {
        ...ask,
        messages: exploringMessages(ask.messages, workspace.work),
        openWorkspace: async () => workspace,
      })
    } finally {
      await workspace.close()
    }
  }

  /** Adds the cost of a request. If one price is unknown, the sum is unknown too. */
  #book(usd: number | null, spentUsd: number): void {
    const before = this.#requests++ === 0 ? 0 : this.usd
    this.usd = before === null || usd === null ? null : before + usd
    this.spentUsd += spentUsd
  }
}

/**
 * The distance between the trial indexes that two runs of a judge use. A model with a seed adds the index to its seed.
 * With indexes this far apart, no two runs in two trials use the same seed. The first run uses the trial's own index.
 */
const RUN_STRIDE = 10_000_019

const seedIndex = (index: number, run: number): number => index + run * RUN_STRIDE
