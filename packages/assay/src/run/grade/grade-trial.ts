/**
 * The second half of a trial: grading its answer. At most as many trials are graded at the same time as there are
 * cores. Handles answers that fail before any grader runs, failures of graders, and the cost of judges.
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
  caseAsAsked,
  trialOutcome,
  type GradedWorkspace,
  type TrialOutcome,
} from '../../grade/index.ts'
import { TestsFault } from '@assay/code'
import { SandboxError } from '@assay/sandbox'
import { tenths } from '../schedule/ask.ts'
import { JudgeRequests, OutOfBudget } from './judge-requests.ts'
import type { Pending } from '../resume/pending.ts'
import { Semaphore } from '../schedule/semaphore.ts'
import { hash32, stream } from '../../log/index.ts'
import type { ProviderSlots, TrialCell, TrialServices } from '../trial/trial-services.ts'
import { openReview } from '../trial/open-workspace.ts'
import { asDiff, tamperedPaths, WorkspaceError } from '../../workspace/index.ts'

/** The facts about a trial that are known once it is answered. */
export type Head = Omit<Pending, 'answer'>

export interface GradedTrial {
  readonly settled: TrialOutcome
  readonly gradeMs: number
  /** The cost of its judges. Null if no judge was asked, or if the cost is unknown. */
  readonly judgeUsd: number | null
  readonly judgeSpentUsd: number
  /** Notes on the grading for readers of the report. */
  readonly remarks: readonly string[]
}

export interface TrialGradingOptions {
  readonly pools: ReadonlyMap<string, ProviderSlots>
  readonly signal: AbortSignal
  /** The number and size of the answers that are being graded or wait for it. Updated by this module. */
  readonly waiting: { answers: number; bytes: number }
  readonly hooks: { released(): void; outOfBudget(): void }
}

export type GradeTrial = (cell: TrialCell, answer: Answer, head: Head) => Promise<GradedTrial>

/**
 * The returned function rejects when the signal aborts, and with `OutOfBudget` if the budget does not allow asking a
 * judge.
 */
export function trialGrading(services: TrialServices, options: TrialGradingOptions): GradeTrial {
  const { clock, store, seed } = services
  const { pools, signal, waiting, hooks } = options
  const grading = services.grading ?? new Semaphore(availableParallelism())

  const judgingOf = (cell: TrialCell, answer: Answer, head: Head): JudgeRequests | null =>
    services.judges.length === 0
      ? null
      : new JudgeRequests({
          services,
          pools,
          grading,
          signal,
          trial: { suite: cell.suite.id, case: cell.case, index: head.index },
          random: stream(seed, 'judge', ...streamWords(head)),
          openReview: (redact) =>
            openReview(services, signal, (workspaces) =>
              workspaces.review(
                cell.case,
                redacted(answer.diff ?? asDiff(filesOf(answer)), redact),
              ),
            ),
          released: () => hooks.released(),
          outOfBudget: () => hooks.outOfBudget(),
        })

  /**
   * The workspace that graders see. It is built from the case's files and the recorded diff, never from the agent's own
   * folder.
   */
  const workspaceOf = (one: Case, answer: Answer): GradedWorkspace | null =>
    services.workspaces === null || (one.workspace === null && answer.diff === undefined)
      ? null
      : services.workspaces.graded(one, answer.diff ?? null, filesOf(answer))

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
    const judging = judgingOf(cell, answer, head)
    const booked = () => ({
      gradeMs: tenths(Math.max(0, clock.now() - from - (judging?.waitedMs ?? 0))),
      judgeUsd: judging?.usd ?? null,
      judgeSpentUsd: judging?.spentUsd ?? 0,
      remarks: judging === null ? NO_REMARKS : [...judging.remarks],
    })
    try {
      const grades = await gradeAnswer(
        {
          case: caseAsAsked(cell.case, answer.messages),
          answer: answer.text,
          ...(answer.isJson === undefined ? {} : { isJson: answer.isJson }),
          index: head.index,
          files: answer.files ?? changedTexts(answer.diff),
          usage: answer.usage,
          usd: answer.usd,
          ...(answer.remarks === undefined ? {} : { remarks: answer.remarks }),
          // A replayed answer without a recorded time has 0.
          answerMs: cell.subject.kind === 'replay' && head.answerMs === 0 ? null : head.answerMs,
          folder: dirname(cell.suite.path),
          ...(answer.messages === undefined ? {} : { messages: answer.messages }),
          trajectory: answer.trajectory ?? null,
          diff: answer.diff ?? null,
          workspace: workspaceOf(cell.case, answer),
        },
        {
          timeoutMs: services.gradeTimeoutMs,
          signal,
          random: stream(seed, 'grade', ...streamWords(head)),
          sandbox: services.sandbox,
          functions: cell.suite.functions ?? null,
          sandboxGraders: services.sandboxGraders,
          ...(judging === null ? {} : { ask: judging.ask }),
          text: (text) => store.text(text),
        },
      )
      return { settled: trialOutcome(cell.case, { kind: 'graded', grades }), ...booked() }
    } catch (error) {
      if (error instanceof GraderTimeout) {
        const reason: Reason = { code: 'grader-timeout', text: error.message }
        return { settled: trialOutcome(cell.case, { kind: 'failed', reason }), ...booked() }
      }
      if (!(error instanceof GraderFailure)) {
        // The trial was stopped, so it gets no line in the log that could contain the cost of its judges.
        services.spentOnStopped(judging?.spentUsd ?? 0)
        throw error
      }
      // If nothing was spent on grading, the trial is left undone. Its answer is kept and can be graded later.
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

/** The contents of the text files that the agent added or changed. */
const changedTexts = (diff: WorkspaceDiff | undefined): Record<string, string> =>
  diff === undefined
    ? {}
    : Object.fromEntries(
        diff.changes.flatMap(({ path, text, mode }) =>
          text === undefined || mode === '120000' ? [] : [[path, text]],
        ),
      )

/** Masks the secrets that the subject left in text files. */
const redacted = (diff: WorkspaceDiff, redact: (text: string) => string): WorkspaceDiff => ({
  ...diff,
  changes: diff.changes.map((change) =>
    change.text === undefined ? change : { ...change, text: redact(change.text) },
  ),
})

/** The files that are contained in a text answer. */
const filesOf = ({ text, files = {} }: Answer): Record<string, string> =>
  Object.fromEntries(answerFiles({ answer: text, files }))

const MOST_NAMED = 5

/** An answer that changes protected files fails the case, and the graders are not asked. */
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

const NO_REMARKS: readonly string[] = []

/** The result of a trial that no grader looked at. */
export const ungraded = (settled: TrialOutcome): GradedTrial => ({
  settled,
  gradeMs: 0,
  judgeUsd: null,
  judgeSpentUsd: 0,
  remarks: [],
})

/** The reason code for a trial whose grader failed. */
function codeOf({ cause }: GraderFailure): ReasonCode {
  if (cause instanceof WorkspaceError) return 'workspace-failed'
  if (cause instanceof TestsFault) return 'tests-at-fault'
  if (cause instanceof SandboxError) return 'sandbox-failed'
  return cause instanceof JudgeFailure || cause instanceof OutOfBudget
    ? 'judge-failed'
    : 'grader-error'
}
