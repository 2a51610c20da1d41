/** The end of a trial: what the log keeps of it, with secrets masked. */
import type { Answer, Trial } from '@assay/contract'
import { needsSandbox } from '../../grade/index.ts'
import type { GradedTrial, Head } from '../grade/grade-trial.ts'
import { storeParts } from '../grade/stored-texts.ts'
import type { TrialContext } from './trial-context.ts'

export interface FinishedTrial {
  readonly head: Head
  /** Null where the subject gave none. */
  readonly answer: Answer | null
  readonly graded: GradedTrial
  /** Its answer is in `pending.jsonl`. */
  readonly wasPending: boolean
}

/** Resolves with the trial as it is on the disk. */
export async function recordTrial(
  { job: { folder, sandbox } }: Pick<TrialContext, 'job'>,
  { head, answer, graded, wasPending }: FinishedTrial,
): Promise<Trial> {
  const { suite, case: id, subject, index, caseHash, attempts, source } = head
  const { settled, gradeMs, judgeUsd, judgeSpentUsd } = graded
  const wasSandboxed = needsSandbox({ graders: settled.grades }) || answer?.diff !== undefined
  const remarks = [...new Set([...(answer?.remarks ?? []), ...graded.remarks])]
  const { answer: kept, masked } =
    answer === null ? { answer: null, masked: [] } : folder.maskedAnswer(answer)
  const trial: Trial = {
    suite,
    case: id,
    subject,
    index,
    caseHash,
    outcome: settled.outcome,
    ...(settled.reason === undefined ? {} : { reason: settled.reason }),
    score: settled.score,
    implRate: settled.implRate,
    grades: settled.grades,
    answer: kept === null ? null : await folder.maskedText(kept.text),
    ...(kept === null ? {} : await storeParts(folder, kept)),
    usage: answer?.usage ?? null,
    cost: { answerUsd: head.answerUsd, judgeUsd, spentUsd: head.spentUsd + judgeSpentUsd },
    time: { startedAt: head.startedAt, answerMs: head.answerMs, waitMs: head.waitMs, gradeMs },
    ...(attempts.length === 0 ? {} : { attempts }),
    source,
    ...(wasSandboxed && sandbox !== null ? { sandbox: sandbox.name } : {}),
    ...(remarks.length === 0 ? {} : { remarks }),
    ...(masked.length === 0 ? {} : { masked }),
  }
  return folder.appendTrial(trial, wasPending)
}
