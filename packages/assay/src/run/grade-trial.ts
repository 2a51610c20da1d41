/**
 * The second half of a trial: its answer is graded, at one of as many places as there are cores. What
 * fails before anybody looks at it, what graders fail on and what judges cost comes together here.
 */
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import type { Answer, Grade, Identity, ReasonCode, Subject, Suite } from '../contract.ts'
import {
  gradeAnswer,
  GraderFailure,
  GraderTimeout,
  implRateOf,
  JudgeFailure,
} from '../grade/index.ts'
import { SandboxError } from '../sandbox/index.ts'
import { tenths } from './ask.ts'
import type { Job } from './execute.ts'
import { Judging, OutOfBudget } from './judging.ts'
import type { Pending } from './pending.ts'
import { Places } from './places.ts'
import type { Cell } from './plan.ts'
import type { Pool } from './pool.ts'
import { failureOf, isScored, settleFailed, settleGraded, type Settled } from './settle.ts'
import { hash32, stream } from './streams.ts'

export type RunCell = Cell<Suite, Subject>

/** What is known of a trial once it is answered. */
export type Head = Omit<Pending, 'answer'>

export interface Graded {
  readonly settled: Settled
  readonly grades: readonly Grade[]
  readonly gradeMs: number
  readonly implRate: number | null
  /** What its judges cost; null where none was asked, or where that is unknown. */
  readonly judgeUsd: number | null
  readonly judgeSpentUsd: number
}

export interface TrialGradingOptions {
  readonly pools: ReadonlyMap<string, Pool>
  readonly signal: AbortSignal
  /** Answers that wait for their grades, counted here. */
  readonly waiting: { answers: number; bytes: number }
  readonly hooks: { answered(): void; outOfBudget(): void }
}

export type GradeTrial = (cell: RunCell, answer: Answer, head: Head) => Promise<Graded>

/** Rejects when the signal aborts, and with `OutOfBudget` where no judge can be paid. */
export function trialGrading(job: Job, options: TrialGradingOptions): GradeTrial {
  const { clock, folder, seed } = job
  const { pools, signal, waiting, hooks } = options
  const grading = new Places(availableParallelism())

  const judgingOf = (cell: RunCell, head: Head): Judging | null =>
    job.judges.length === 0
      ? null
      : new Judging({
          job,
          pools,
          grading,
          signal,
          trial: { suite: cell.suite.id, case: cell.case, index: head.index },
          random: stream(seed, 'judge', ...streamWords(head)),
          answered: () => hooks.answered(),
          outOfBudget: () => hooks.outOfBudget(),
        })

  return async (cell, answer, head) => {
    if (!isScored(cell.case)) return ungraded({ outcome: 'unscored', score: null })
    // What fails before anybody judges it is judged with it: it must not leave the judged average.
    const implRate = cell.case.graders.some(({ type }) => type === 'judge') ? 0 : null
    const failure = failureOf(answer)
    if (failure !== null) return { ...ungraded(settleFailed(failure)), implRate }

    const bytes = answer.text.length * 2
    waiting.answers++
    waiting.bytes += bytes
    await grading.enter()
    const from = clock.now()
    const judging = judgingOf(cell, head)
    const booked = () => ({
      gradeMs: tenths(Math.max(0, clock.now() - from - (judging?.waitedMs ?? 0))),
      judgeUsd: judging?.usd ?? null,
      judgeSpentUsd: judging?.spentUsd ?? 0,
    })
    try {
      const grades = await gradeAnswer(
        {
          case: cell.case,
          answer: answer.text,
          files: answer.files ?? {},
          usage: answer.usage,
          usd: answer.usd,
          // A recording that has no times says 0.
          answerMs: cell.subject.kind === 'replay' && head.answerMs === 0 ? null : head.answerMs,
          folder: dirname(cell.suite.path),
        },
        {
          timeoutMs: job.gradeTimeoutMs,
          signal,
          random: stream(seed, 'grade', ...streamWords(head)),
          sandbox: job.sandbox,
          ...(judging === null ? {} : { ask: judging.ask }),
          text: (text) => folder.text(text),
        },
      )
      const settled = settleGraded(grades, cell.case.threshold)
      return { settled, grades, implRate: implRateOf(grades), ...booked() }
    } catch (error) {
      if (error instanceof GraderTimeout)
        return {
          ...ungraded(settleFailed({ code: 'grader-timeout', text: error.message })),
          implRate,
          ...booked(),
        }
      if (!(error instanceof GraderFailure)) throw error
      // Nothing was spent on grading it: it is simply not done yet, and its answer is kept.
      if (error.cause instanceof OutOfBudget && judging?.spentUsd === 0) throw error.cause
      return { ...errored(codeOf(error), error.message), ...booked() }
    } finally {
      grading.leave()
      waiting.answers--
      waiting.bytes -= bytes
    }
  }
}

export const streamWords = ({ suite, case: id, subject, index }: Identity): number[] => [
  hash32(`${suite}\n${id}\n${subject}`),
  index,
]

const ungraded = (settled: Settled): Graded => ({
  settled,
  grades: [],
  gradeMs: 0,
  implRate: null,
  judgeUsd: null,
  judgeSpentUsd: 0,
})

export const errored = (code: ReasonCode, text: string): Graded =>
  ungraded({ outcome: 'errored', reason: { code, text }, score: null })

/** Whose fault it is that there is no grade. */
function codeOf({ cause }: GraderFailure): ReasonCode {
  if (cause instanceof SandboxError) return 'sandbox-failed'
  return cause instanceof JudgeFailure || cause instanceof OutOfBudget
    ? 'judge-failed'
    : 'grader-error'
}
