/**
 * Runs one trial: asks the subject, writes the answer to the disk, grades the answer, and writes the trial to the disk.
 * Grading has its own slots, one per core. So slow graders do not keep a provider idle, and slow providers do not keep
 * the cores idle.
 */
import type { SubjectError, Trial } from '@assay/contract'
import { trialOutcome } from '../../grade/index.ts'
import { trialGrading, ungraded } from '../grade/grade-trial.ts'
import { loadTexts } from '../grade/stored-texts.ts'
import type { Pending } from '../resume/pending.ts'
import { answerTrial } from './answer-trial.ts'
import { recordTrial } from './record-trial.ts'
import { tenths } from '../schedule/ask.ts'
import type { Reservation } from '../schedule/budget.ts'
import type { Dispatched, Hooks, TrialContext } from './trial-context.ts'
import type { ProviderSlots, TrialCell, TrialServices } from './trial-services.ts'

export interface TrialRunner<Slots extends ProviderSlots> {
  /**
   * Runs a trial. If `kept` is given, it is the trial's answer, which is only graded. Otherwise the caller must have
   * taken a slot in the pool and a reservation. Resolves with the recorded trial. Rejects if `signal` aborts or the log
   * cannot be written.
   */
  conduct(
    index: number,
    cell: TrialCell,
    pool: Slots,
    reserved: Reservation | null,
    kept: Pending | undefined,
  ): Promise<Trial>
  /** Records a trial as errored without asking its subject. */
  lose(index: number, cell: TrialCell, error: SubjectError): Promise<Trial>
  /** The number and the size of the answers that are being graded or wait for grading. */
  readonly waiting: { readonly answers: number; readonly bytes: number }
}

export function trialRunner<Slots extends ProviderSlots>(
  services: TrialServices,
  pools: ReadonlyMap<string, Slots>,
  signal: AbortSignal,
  hooks: Hooks<Slots>,
): TrialRunner<Slots> {
  const waiting = { answers: 0, bytes: 0 }
  const context: TrialContext<Slots> = {
    services,
    signal,
    hooks,
    pools,
    grade: trialGrading(services, { pools, signal, waiting, hooks }),
    warnOnce: warnerOf(services),
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

function warnerOf({ warn }: TrialServices): (text: string) => void {
  const told = new Set<string>()
  return (text) => {
    if (told.has(text)) return
    told.add(text)
    warn(text)
  }
}

/** Grades an answer that an earlier session or an earlier run has stored. */
async function gradeKept<Slots extends ProviderSlots>(
  context: TrialContext<Slots>,
  { cell, pool }: Pick<Dispatched<Slots>, 'cell' | 'pool'>,
  kept: Pending,
): Promise<Trial> {
  const { services, hooks } = context
  const answer = await loadTexts(services.readKept, kept.answer)
  const graded = await context.grade(cell, answer, kept)
  hooks.settled(graded.settled, pool)
  return recordTrial(context, { head: kept, answer, graded, wasPending: !services.regrading })
}

async function runTrial<Slots extends ProviderSlots>(
  context: TrialContext<Slots>,
  dispatched: Dispatched<Slots>,
): Promise<Trial> {
  const { cell, pool } = dispatched
  const { head, result, isPending, startedMs } = await answerTrial(context, dispatched)
  if ('error' in result) {
    const graded = erroredTrial(cell, result.error)
    context.hooks.settled(graded.settled, pool)
    return recordTrial(context, { head, answer: null, graded, wasPending: false })
  }
  const { answer } = result
  const given = context.grade(cell, answer, head)
  const graded = given instanceof Promise ? await given : given
  context.hooks.settled(graded.settled, pool)
  // An answer from a cache or a recording was created at another time. So this trial gets no duration.
  if (head.source === 'cache' || head.source === 'replay')
    return recordTrial(context, { head, answer, graded, wasPending: isPending })
  const durationMs = Math.max(0, tenths(context.services.clock.now() - startedMs))
  return recordTrial(context, { head, answer, graded, wasPending: isPending, durationMs })
}

const erroredTrial = (
  { case: one }: TrialCell,
  { reason, message }: SubjectError,
): ReturnType<typeof ungraded> =>
  ungraded(trialOutcome(one, { kind: 'errored', reason: { code: reason, text: message } }))

function loseTrial(
  { services }: Pick<TrialContext<ProviderSlots>, 'services'>,
  index: number,
  cell: TrialCell,
  error: SubjectError,
): Promise<Trial> {
  const { suite, case: one, subject } = cell
  const identity = { suite: suite.id, case: one.id, subject: subject.id, index }
  const head = {
    ...identity,
    caseHash: one.hash,
    attempts: [],
    startedAt: new Date(services.clock.now()).toISOString(),
    answerMs: 0,
    waitMs: 0,
    answerUsd: null,
    spentUsd: services.usdOfFirstAnswer(identity) ?? 0,
    source: subject.source,
  }
  const graded = erroredTrial(cell, error)
  return recordTrial({ services }, { head, answer: null, graded, wasPending: false })
}
