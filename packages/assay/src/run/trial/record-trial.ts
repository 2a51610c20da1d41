/** Ends a trial: writes it to the log with masked secrets. */
import type { Answer, Mutable, Text, Trial } from '@assay/contract'
import { needsSandbox } from '../../grade/index.ts'
import type { MaskedAnswer } from '../../log/index.ts'
import type { GradedTrial, Head } from '../grade/grade-trial.ts'
import { storeParts } from '../grade/stored-texts.ts'
import type { TrialServices } from './trial-services.ts'

export interface FinishedTrial {
  readonly head: Head
  /** The answer. Null if the subject gave none. */
  readonly answer: Answer | null
  readonly graded: GradedTrial
  /** Whether the answer was written to `pending.jsonl` before it was graded. */
  readonly wasPending: boolean
  /** The time from the trial's start to its end. Absent if the answer came from another time, such as from a cache. */
  readonly durationMs?: number
}

/** Records a finished trial. Resolves with the trial in the form in which it was written. */
export function recordTrial(
  { services: { store, sandbox } }: { readonly services: TrialServices },
  finished: FinishedTrial,
): Promise<Trial> {
  const { answer, wasPending } = finished
  const { answer: kept, masked } = answer === null ? NO_ANSWER : store.maskedAnswer(answer)
  const write = (stored: StoredAnswer): Promise<Trial> =>
    store.record(trialOf(finished, stored, masked, sandbox), wasPending)
  if (kept === null) return write({ text: null, parts: null, isJson: false })
  const text = store.maskedText(kept.text)
  // Most answers are short texts that need no waiting. For them no promise is created, which saves time.
  return text instanceof Promise || hasParts(kept)
    ? storedAnswer(store, kept, text).then(write)
    : write({ text, parts: null, isJson: kept.isJson === true })
}

/** An answer as the log keeps it. */
interface StoredAnswer {
  /** The text of the answer. Null if there is no answer. */
  readonly text: Text | null
  readonly parts: Awaited<ReturnType<typeof storeParts>> | null
  readonly isJson: boolean
}

const storedAnswer = async (
  store: TrialServices['store'],
  kept: Answer,
  text: Text | Promise<Text>,
): Promise<StoredAnswer> => ({
  text: await text,
  parts: hasParts(kept) ? await storeParts(store, kept) : null,
  isJson: kept.isJson === true,
})

function trialOf(
  { head, answer, graded, durationMs }: FinishedTrial,
  { text, parts, isJson }: StoredAnswer,
  masked: MaskedAnswer['masked'],
  sandbox: TrialServices['sandbox'],
): Trial {
  const { attempts, source } = head
  const { settled, gradeMs, judgeUsd, judgeSpentUsd } = graded
  const wasSandboxed = needsSandbox({ graders: settled.grades }) || answer?.diff !== undefined
  const remarks = distinct(answer?.remarks ?? NONE, graded.remarks)
  // This runs for every trial, so it is written for speed: without spreads, and with the keys in the order of the log.
  const trial: Mutable<Trial> = {
    answer: text,
    case: head.case,
    caseHash: head.caseHash,
    cost: { answerUsd: head.answerUsd, judgeUsd, spentUsd: head.spentUsd + judgeSpentUsd },
    index: head.index,
    source,
    subject: head.subject,
    suite: head.suite,
    time:
      durationMs === undefined
        ? { answerMs: head.answerMs, gradeMs, startedAt: head.startedAt, waitMs: head.waitMs }
        : {
            answerMs: head.answerMs,
            durationMs,
            gradeMs,
            startedAt: head.startedAt,
            waitMs: head.waitMs,
          },
    usage: answer?.usage ?? null,
    grades: settled.grades,
    implRate: settled.implRate,
    outcome: settled.outcome,
    score: settled.score,
  }
  if (settled.reason !== undefined) trial.reason = settled.reason
  if (parts !== null) Object.assign(trial, parts)
  if (isJson) trial.isJson = true
  if (attempts.length > 0) trial.attempts = attempts
  if (answer?.gateway !== undefined) trial.gateway = answer.gateway
  if (answer?.claimed !== undefined) trial.claimed = answer.claimed
  if (answer?.network !== undefined) trial.network = answer.network
  if (wasSandboxed && sandbox !== null) trial.sandbox = sandbox.name
  if (remarks.length > 0) trial.remarks = remarks
  if (masked.length > 0) trial.masked = masked
  return trial
}

const NONE: readonly string[] = []
const NO_ANSWER = { answer: null, masked: [] } as const

const distinct = (a: readonly string[], b: readonly string[]): readonly string[] =>
  a.length + b.length === 0 ? a : [...new Set([...a, ...b])]

const hasParts = (answer: Answer): boolean => PARTS.some((part) => answer[part] !== undefined)

const PARTS = ['files', 'trajectory', 'stream', 'diff', 'messages', 'log', 'traffic'] as const
