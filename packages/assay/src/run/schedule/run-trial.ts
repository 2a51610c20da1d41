/**
 * The way of one trial: ask, put the answer on the disk, grade, put the trial on the disk. Grading has
 * its own places (the cores), so that slow graders do not idle a provider nor the reverse.
 */
import type { SubjectError, Trial } from '@assay/contract'
import { trialOutcome } from '../../grade/index.ts'
import { trialGrading, ungraded } from '../grade/grade-trial.ts'
import { loadTexts } from '../grade/stored-texts.ts'
import type { Pending } from '../resume/pending.ts'
import { answerTrial } from '../trial/answer-trial.ts'
import { recordTrial } from '../trial/record-trial.ts'
import type { Dispatched, Hooks, TrialContext } from '../trial/trial-context.ts'
import type { Reservation } from './budget.ts'
import type { Job, RunCell } from './job.ts'
import type { Pool } from './provider-limiter.ts'

export interface TrialRunner {
  /**
   * Without a kept answer it needs a place in the pool and a reservation, both taken for it. Resolves
   * with the recorded trial; rejects when `signal` aborts or the log cannot be written.
   */
  conduct(
    index: number,
    cell: RunCell,
    pool: Pool,
    reserved: Reservation | null,
    kept: Pending | undefined,
  ): Promise<Trial>
  /** Records a trial that nobody is asked for as errored. */
  lose(index: number, cell: RunCell, error: SubjectError): Promise<Trial>
  /** Answers that wait for their grades. */
  readonly waiting: { readonly answers: number; readonly bytes: number }
}

export function trialRunner(
  job: Job,
  pools: ReadonlyMap<string, Pool>,
  signal: AbortSignal,
  hooks: Hooks,
): TrialRunner {
  const waiting = { answers: 0, bytes: 0 }
  const context: TrialContext = {
    job,
    signal,
    hooks,
    grade: trialGrading(job, { pools, signal, waiting, hooks }),
    warnOnce: warnerOf(job),
  }
  return {
    conduct: (index, cell, pool, reserved, kept) =>
      kept === undefined
        ? runTrial(context, { index, cell, pool, reserved })
        : gradeKept(context, { cell, pool }, kept),
    lose: (index, cell, error) => loseTrial(context, index, cell, error),
    waiting,
  }
}

function warnerOf(job: Job): TrialContext['warnOnce'] {
  const told = new Set<string>()
  return (text) => {
    if (told.has(text)) return
    told.add(text)
    job.onEvent({ type: 'warning', text })
  }
}

/** Of an answer that an earlier session or an earlier run has left. */
async function gradeKept(
  context: TrialContext,
  { cell, pool }: Pick<Dispatched, 'cell' | 'pool'>,
  kept: Pending,
): Promise<Trial> {
  const { job, hooks } = context
  const answer = await loadTexts(job.readKept, kept.answer)
  const graded = await context.grade(cell, answer, kept)
  hooks.settled(graded.settled, pool)
  return recordTrial(context, { head: kept, answer, graded, wasPending: !job.regrading })
}

async function runTrial(context: TrialContext, dispatched: Dispatched): Promise<Trial> {
  const { cell, pool } = dispatched
  const { head, result, isPending } = await answerTrial(context, dispatched)
  if ('error' in result) {
    const graded = erroredTrial(cell, result.error)
    context.hooks.settled(graded.settled, pool)
    return recordTrial(context, { head, answer: null, graded, wasPending: false })
  }
  const { answer } = result
  const graded = await context.grade(cell, answer, head)
  context.hooks.settled(graded.settled, pool)
  return recordTrial(context, { head, answer, graded, wasPending: isPending })
}

const erroredTrial = (
  { case: one }: RunCell,
  { reason, message }: SubjectError,
): ReturnType<typeof ungraded> =>
  ungraded(trialOutcome(one, { kind: 'errored', reason: { code: reason, text: message } }))

function loseTrial(
  context: TrialContext,
  index: number,
  cell: RunCell,
  error: SubjectError,
): Promise<Trial> {
  const { suite, case: one, subject, first } = cell
  const head = {
    suite: suite.id,
    case: one.id,
    subject: subject.id,
    index,
    caseHash: one.hash,
    attempts: [],
    startedAt: new Date(context.job.clock.now()).toISOString(),
    answerMs: 0,
    waitMs: 0,
    answerUsd: null,
    spentUsd: context.job.askedAgain.get(first + index) ?? 0,
    source: subject.source,
  }
  const graded = erroredTrial(cell, error)
  return recordTrial(context, { head, answer: null, graded, wasPending: false })
}
