/**
 * The second half of a trial: grading its answer. At most as many trials are graded at once as the machine has cores.
 * This file also handles answers that fail before any grader runs, graders that fail, and the cost of judges.
 */
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import type {
  Answer,
  Case,
  Grade,
  Mutable,
  Reason,
  ReasonCode,
  Text,
  WorkspaceDiff,
} from '@assay/contract'
import {
  answerFiles,
  gradesOf,
  GraderFailure,
  GraderTimeout,
  JudgeFailure,
  answerFailure,
  caseAsAsked,
  trialOutcome,
  type GradedWorkspace,
  type GraderInput,
  type GradingOptions,
  type TrialEnd,
  type TrialOutcome,
} from '../../grade/index.ts'
import { TestsFault } from '@assay/code'
import { SandboxError } from '@assay/sandbox'
import { tenths } from '../schedule/ask.ts'
import { JudgeRequests, OutOfBudget } from './judge-requests.ts'
import type { Pending } from '../resume/pending.ts'
import { Semaphore } from '../schedule/semaphore.ts'
import { trialStream } from '../../log/index.ts'
import type { ProviderSlots, TrialCell, TrialServices } from '../trial/trial-services.ts'
import { openReview } from '../trial/open-workspace.ts'
import { asDiff, tamperedPaths, WorkspaceError } from '../../workspace/index.ts'

/** The data of a trial that has been answered, except for the answer itself. */
export type Head = Omit<Pending, 'answer'>

export interface GradedTrial {
  readonly settled: TrialOutcome
  readonly gradeMs: number
  /** The cost of its judges. Null if no judge was asked, or if the cost is unknown. */
  readonly judgeUsd: number | null
  readonly judgeSpentUsd: number
  /** Remarks on the grading, which the report shows. */
  readonly remarks: readonly string[]
}

export interface TrialGradingOptions {
  readonly pools: ReadonlyMap<string, ProviderSlots>
  readonly signal: AbortSignal
  /** The number and the size of the answers that are being graded or wait for grading. This file updates them. */
  readonly waiting: { answers: number; bytes: number }
  readonly hooks: { released(): void; outOfBudget(): void }
}

/** Grades a trial. It returns a promise only if it must wait for something: a free slot, a judge, a program. */
export type GradeTrial = (
  cell: TrialCell,
  answer: Answer,
  head: Head,
) => GradedTrial | Promise<GradedTrial>

/**
 * Returns the function that grades trials. That function throws or rejects if the signal aborts. It throws or rejects
 * with `OutOfBudget` if the budget does not allow asking a judge.
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
          random: trialStream(seed, 'judge', head),
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
   * Returns the workspace that graders see. It is built from the case's files and the recorded diff, never from the
   * folder in which the agent worked.
   */
  const workspaceOf = (one: Case, answer: Answer): GradedWorkspace | null =>
    services.workspaces === null || (one.workspace === null && answer.diff === undefined)
      ? null
      : services.workspaces.graded(one, answer.diff ?? null, filesOf(answer))

  const text = (one: string): Text | Promise<Text> => store.text(one)

  const inputOf = ({ cell, answer, head }: Begun): GraderInput => {
    const input: Mutable<GraderInput> = {
      case: caseAsAsked(cell.case, answer.messages),
      answer: answer.text,
      index: head.index,
      files: answer.files ?? changedTexts(answer.diff),
      usage: answer.usage,
      usd: answer.usd,
      // A replayed answer whose time was not recorded has 0 here. Null means that the time is not known.
      answerMs: cell.subject.kind === 'replay' && head.answerMs === 0 ? null : head.answerMs,
      folder: dirname(cell.suite.path),
      trajectory: answer.trajectory ?? null,
      diff: answer.diff ?? null,
      workspace: workspaceOf(cell.case, answer),
    }
    if (answer.isJson !== undefined) input.isJson = answer.isJson
    if (answer.remarks !== undefined) input.remarks = answer.remarks
    if (answer.messages !== undefined) input.messages = answer.messages
    return input
  }

  const gradesFor = (begun: Begun): readonly Grade[] | Promise<readonly Grade[]> => {
    const { cell, head, judging } = begun
    const settings: Mutable<GradingOptions> = {
      timeoutMs: services.gradeTimeoutMs,
      signal,
      random: trialStream(seed, 'grade', head),
      sandbox: services.sandbox,
      functions: cell.suite.functions ?? null,
      sandboxGraders: services.sandboxGraders,
      text,
    }
    if (judging !== null) settings.ask = judging.ask
    return gradesOf(inputOf(begun), settings)
  }

  const endedAs = ({ cell, from, judging }: Begun, end: TrialEnd): GradedTrial => ({
    settled: trialOutcome(cell.case, end),
    gradeMs: tenths(Math.max(0, clock.now() - from - (judging?.waitedMs ?? 0))),
    judgeUsd: judging?.usd ?? null,
    judgeSpentUsd: judging?.spentUsd ?? 0,
    remarks: judging === null ? NO_REMARKS : [...judging.remarks],
  })

  const failedAs = (begun: Begun, error: unknown): GradedTrial => {
    const { judging } = begun
    if (error instanceof GraderTimeout) {
      const reason: Reason = { code: 'grader-timeout', text: error.message }
      return endedAs(begun, { kind: 'failed', reason })
    }
    if (!(error instanceof GraderFailure)) {
      // A stopped trial has no line in the log. So the cost of its judges is reported here.
      services.spentOnStopped(judging?.spentUsd ?? 0)
      throw error
    }
    // If nothing was spent on judges, the trial is not recorded. Its answer is stored, and a resumed run can grade it.
    if (error.cause instanceof OutOfBudget && judging?.spentUsd === 0) throw error.cause
    const reason: Reason = { code: codeOf(error), text: error.message }
    return endedAs(begun, { kind: 'errored', reason })
  }

  const leave = (answer: Answer): void => {
    grading.leave()
    waiting.answers--
    waiting.bytes -= bytesOf(answer)
  }

  const gradeLater = async (
    begun: Begun,
    grades: Promise<readonly Grade[]>,
  ): Promise<GradedTrial> => {
    try {
      return endedAs(begun, { kind: 'graded', grades: await grades })
    } catch (error) {
      return failedAs(begun, error)
    } finally {
      leave(begun.answer)
    }
  }

  /** Grades an answer. The caller must have taken a slot of `grading`. */
  const gradeWithSlot = (
    cell: TrialCell,
    answer: Answer,
    head: Head,
  ): GradedTrial | Promise<GradedTrial> => {
    const begun: Begun = {
      ...{ cell, answer, head },
      from: clock.now(),
      judging: judgingOf(cell, answer, head),
    }
    let isLater = false
    try {
      const grades = gradesFor(begun)
      isLater = grades instanceof Promise
      return grades instanceof Promise
        ? gradeLater(begun, grades)
        : endedAs(begun, { kind: 'graded', grades })
    } catch (error) {
      return failedAs(begun, error)
    } finally {
      if (!isLater) leave(answer)
    }
  }

  return (cell, answer, head) => {
    if (cell.case.graders.length === 0)
      return ungraded(trialOutcome(cell.case, { kind: 'graded', grades: [] }))
    const failure = answerFailure(answer) ?? tamperingOf(cell.case, answer)
    if (failure !== null)
      return ungraded(trialOutcome(cell.case, { kind: 'failed', reason: failure }))
    waiting.answers++
    waiting.bytes += bytesOf(answer)
    const slot = grading.enter()
    return slot === null
      ? gradeWithSlot(cell, answer, head)
      : slot.then(() => gradeWithSlot(cell, answer, head))
  }
}

/** An answer whose grading has begun. */
interface Begun {
  readonly cell: TrialCell
  readonly answer: Answer
  readonly head: Head
  /** The time when the grading began. */
  readonly from: number
  /** The requests to the trial's judges. Null if the run has no judges. */
  readonly judging: JudgeRequests | null
}

const bytesOf = ({ text }: Answer): number => text.length * 2

/** Returns the contents of the text files that the agent added or changed. */
const changedTexts = (diff: WorkspaceDiff | undefined): Record<string, string> =>
  diff === undefined
    ? {}
    : Object.fromEntries(
        diff.changes.flatMap(({ path, text, mode }) =>
          text === undefined || mode === '120000' ? [] : [[path, text]],
        ),
      )

/** Masks the secrets in the text files that the subject wrote. */
const redacted = (diff: WorkspaceDiff, redact: (text: string) => string): WorkspaceDiff => ({
  ...diff,
  changes: diff.changes.map((change) =>
    change.text === undefined ? change : { ...change, text: redact(change.text) },
  ),
})

/** Returns the files that a text answer contains. */
const filesOf = ({ text, files = {} }: Answer): Record<string, string> =>
  Object.fromEntries(answerFiles({ answer: text, files }))

const MOST_NAMED = 5

/** Returns why the answer fails if it changes protected files. Graders are not asked about such an answer. */
function tamperingOf({ workspace }: Case, answer: Answer): Reason | null {
  if (workspace === null) return null
  const paths = tamperedPaths(workspace, answer.diff ?? asDiff(filesOf(answer)))
  if (paths.length === 0) return null
  const named = paths.slice(0, MOST_NAMED).join(', ')
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : ''
  return { code: 'tampered', text: `changed what must stay as it is: ${named}${more}` }
}

const NO_REMARKS: readonly string[] = []

/** The result of a trial that was decided without a grader. */
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
