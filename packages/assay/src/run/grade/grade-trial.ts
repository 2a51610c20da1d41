/**
 * The second half of a trial: its answer is graded, at one of as many places as there are cores. What
 * fails before anybody looks at it, what graders fail on and what judges cost comes together here.
 */
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import type { Answer, Case, Identity, Reason, ReasonCode, WorkspaceDiff } from '@assay/contract'
import {
  answerFiles,
  gradeAnswer,
  GraderFailure,
  GraderTimeout,
  JudgeFailure,
  answerFailure,
  trialOutcome,
  type GradedWorkspace,
  type TrialOutcome,
} from '../../grade/index.ts'
import { TestsFault } from '@assay/code'
import { SandboxError } from '@assay/sandbox'
import { tenths } from '../schedule/ask.ts'
import type { Job, RunCell } from '../schedule/job.ts'
import { JudgeRequests, OutOfBudget } from './judge-requests.ts'
import type { Pending } from '../resume/pending.ts'
import { Semaphore } from '../schedule/semaphore.ts'
import { hash32, stream } from '../../log/index.ts'
import type { Pool } from '../schedule/provider-limiter.ts'
import { asDiff, tamperedPaths, WorkspaceError } from '../../workspace/index.ts'

/** What is known of a trial once it is answered. */
export type Head = Omit<Pending, 'answer'>

export interface GradedTrial {
  readonly settled: TrialOutcome
  readonly gradeMs: number
  /** What its judges cost; null where none was asked, or where that is unknown. */
  readonly judgeUsd: number | null
  readonly judgeSpentUsd: number
  /** What a reader must know of the grading. */
  readonly remarks: readonly string[]
}

export interface TrialGradingOptions {
  readonly pools: ReadonlyMap<string, Pool>
  readonly signal: AbortSignal
  /** Answers that wait for their grades, counted here. */
  readonly waiting: { answers: number; bytes: number }
  readonly hooks: { released(): void; outOfBudget(): void }
}

export type GradeTrial = (cell: RunCell, answer: Answer, head: Head) => Promise<GradedTrial>

/** Rejects when the signal aborts, and with `OutOfBudget` where no judge can be paid. */
export function trialGrading(job: Job, options: TrialGradingOptions): GradeTrial {
  const { clock, folder, seed } = job
  const { pools, signal, waiting, hooks } = options
  const grading = new Semaphore(availableParallelism())

  const judgingOf = (cell: RunCell, head: Head): JudgeRequests | null =>
    job.judges.length === 0
      ? null
      : new JudgeRequests({
          job,
          pools,
          grading,
          signal,
          trial: { suite: cell.suite.id, case: cell.case, index: head.index },
          random: stream(seed, 'judge', ...streamWords(head)),
          released: () => hooks.released(),
          outOfBudget: () => hooks.outOfBudget(),
        })

  /** Made from the start of the case and what was recorded, never from the folder that the agent had. */
  const workspaceOf = (one: Case, answer: Answer): GradedWorkspace | null =>
    job.workspaces === null || (one.workspace === null && answer.diff === undefined)
      ? null
      : job.workspaces.graded(one, answer.diff ?? null, filesOf(answer))

  return async (cell, answer, head) => {
    if (cell.case.graders.length === 0)
      return ungraded(trialOutcome(cell.case, { kind: 'graded', grades: [] }))
    const failure = answerFailure(answer) ?? tamperingOf(cell.case, answer)
    if (failure !== null)
      return ungraded(trialOutcome(cell.case, { kind: 'failed', reason: failure }))

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
      remarks: [...(judging?.remarks ?? [])],
    })
    try {
      const grades = await gradeAnswer(
        {
          case: cell.case,
          answer: answer.text,
          files: answer.files ?? changedTexts(answer.diff),
          usage: answer.usage,
          usd: answer.usd,
          ...(answer.remarks === undefined ? {} : { remarks: answer.remarks }),
          // A recording that has no times says 0.
          answerMs: cell.subject.kind === 'replay' && head.answerMs === 0 ? null : head.answerMs,
          folder: dirname(cell.suite.path),
          trajectory: answer.trajectory ?? null,
          diff: answer.diff ?? null,
          workspace: workspaceOf(cell.case, answer),
        },
        {
          timeoutMs: job.gradeTimeoutMs,
          signal,
          random: stream(seed, 'grade', ...streamWords(head)),
          sandbox: job.sandbox,
          sandboxGraders: job.sandboxGraders,
          ...(judging === null ? {} : { ask: judging.ask }),
          text: (text) => folder.text(text),
        },
      )
      return { settled: trialOutcome(cell.case, { kind: 'graded', grades }), ...booked() }
    } catch (error) {
      if (error instanceof GraderTimeout) {
        const reason: Reason = { code: 'grader-timeout', text: error.message }
        return { settled: trialOutcome(cell.case, { kind: 'failed', reason }), ...booked() }
      }
      if (!(error instanceof GraderFailure)) {
        // Stopped: it has no line in the log that could say what its judges cost.
        job.spentOnStopped(judging?.spentUsd ?? 0)
        throw error
      }
      // Nothing was spent on grading it: it is simply not done yet, and its answer is kept.
      if (error.cause instanceof OutOfBudget && judging?.spentUsd === 0) throw error.cause
      const reason: Reason = { code: codeOf(error), text: error.message }
      return { settled: trialOutcome(cell.case, { kind: 'errored', reason }), ...booked() }
    } finally {
      grading.leave()
      waiting.answers--
      waiting.bytes -= bytes
    }
  }
}

/** Text files as the agent left them, of those that it changed. */
const changedTexts = (diff: WorkspaceDiff | undefined): Record<string, string> =>
  Object.fromEntries(
    (diff?.changes ?? []).flatMap(({ path, text, mode }) =>
      text === undefined || mode === '120000' ? [] : [[path, text]],
    ),
  )

/** The files of somebody who answers in words. */
const filesOf = ({ text, files = {} }: Answer): Record<string, string> =>
  Object.fromEntries(answerFiles({ answer: text, files }))

const MOST_NAMED = 5

/** Whoever changes what must stay as it is has not solved the case, whatever the graders would say. */
function tamperingOf({ workspace }: Case, answer: Answer): Reason | null {
  if (workspace === null) return null
  const paths = tamperedPaths(workspace, answer.diff ?? asDiff(filesOf(answer)))
  if (paths.length === 0) return null
  const named = paths.slice(0, MOST_NAMED).join(', ')
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : ''
  return { code: 'tampered', text: `changed what must stay as it is: ${named}${more}` }
}

export const streamWords = ({ suite, case: id, subject, index }: Identity): number[] => [
  hash32(`${suite}\n${id}\n${subject}`),
  index,
]

/** The outcome of a trial that no grader looked at. */
export const ungraded = (settled: TrialOutcome): GradedTrial => ({
  settled,
  gradeMs: 0,
  judgeUsd: null,
  judgeSpentUsd: 0,
  remarks: [],
})

/** Whose fault it is that there is no grade. */
function codeOf({ cause }: GraderFailure): ReasonCode {
  if (cause instanceof WorkspaceError) return 'workspace-failed'
  if (cause instanceof TestsFault) return 'tests-at-fault'
  if (cause instanceof SandboxError) return 'sandbox-failed'
  return cause instanceof JudgeFailure || cause instanceof OutOfBudget
    ? 'judge-failed'
    : 'grader-error'
}
