/**
 * The way of one trial: ask, put the answer on the disk, grade, put the trial on the disk. Grading has
 * its own places (the cores), so that slow graders do not idle a provider nor the reverse.
 */
import {
  SubjectError,
  type Answer,
  type Ask,
  type Identity,
  type Message,
  type Source,
  type Subject,
  type Trial,
  type TrialWorkspace,
} from '@assay/contract'
import { needsSandbox } from '../../grade/index.ts'
import { maskedAttempts, stream } from '../../log/index.ts'
import { askSubject, tenths, type AskContext, type Asked } from './ask.ts'
import { isGuessed, type Paid, type Reservation } from './budget.ts'
import type { Job, RunCell } from './job.ts'
import { storeTexts, storeParts, loadTexts } from '../grade/stored-texts.ts'
import {
  errored,
  streamWords,
  trialGrading,
  type GradedTrial,
  type Head,
} from '../grade/grade-trial.ts'
import type { TrialOutcome } from '../grade/outcome.ts'
import type { Pending } from '../resume/pending.ts'
import type { Pool } from './provider-limiter.ts'
import { neededStore, worksInWorkspace } from '../workspaces.ts'
import { WorkspaceError } from '../../workspace/index.ts'

/** On a trial whose first answer could not be graded as it was. */
const ASKED_AGAIN =
  'asked again: its first answer held a secret, was kept masked until its grade, and the run was interrupted before that'

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

export interface Hooks {
  /** A trial's answer is there, or there will be none; its provider's place is free. */
  answered(pool: Pool): void
  /** A provider's place that a judge had has come free. */
  released(): void
  /** A trial's outcome is known; it is not on the disk yet. */
  settled(outcome: TrialOutcome, pool: Pool): void
  /** The budget does not allow what a trial under way needs. */
  outOfBudget(): void
}

export function trialRunner(
  job: Job,
  pools: ReadonlyMap<string, Pool>,
  signal: AbortSignal,
  hooks: Hooks,
): TrialRunner {
  const { folder, clock, budget, seed } = job
  const waiting = { answers: 0, bytes: 0 }
  const grade = trialGrading(job, { pools, signal, waiting, hooks })
  const warned = new Set<string>()
  let isUnknownSaid = false

  async function conduct(
    index: number,
    cell: RunCell,
    pool: Pool,
    reserved: Reservation | null,
    kept: Pending | undefined,
  ): Promise<Trial> {
    if (kept !== undefined) {
      const answer = await loadTexts(job.readKept, kept.answer)
      return gradeAndRecord(cell, pool, answer, kept, !job.regrading)
    }

    const again = job.askedAgain.get(cell.first + index)
    const identity: Identity = {
      suite: cell.suite.id,
      case: cell.case.id,
      subject: cell.subject.id,
      index,
    }
    const startedAt = new Date(clock.now()).toISOString()
    const acts = worksInWorkspace(cell.subject, cell.case)
    const ask: Ask = {
      suite: identity.suite,
      case: cell.case,
      index,
      messages: cell.case.turns.map((content): Message => ({ role: 'user', content })),
      maxTokens: cell.case.maxTokens,
      timeoutMs: job.timeoutOf(cell.suite, cell.case, acts),
      random: stream(seed, 'answer', ...streamWords(identity)),
      signal,
      ...(acts ? { openWorkspace: () => openWorkspace(cell, identity) } : {}),
    }
    const headOf = (asked: Asked, source: Source): Head => ({
      ...identity,
      caseHash: cell.case.hash,
      attempts: asked.attempts,
      startedAt,
      answerMs: tenths(asked.answerMs),
      waitMs: tenths(asked.waitMs),
      answerUsd: asked.answerUsd,
      spentUsd: asked.spentUsd + (again ?? 0),
      source,
    })
    /** With the remark that the trial was asked again. */
    const remembering = (answer: Answer): Answer =>
      again === undefined
        ? answer
        : { ...answer, remarks: [...(answer.remarks ?? []), ASKED_AGAIN] }
    // An answer that costs nothing to make again need not be kept before it is graded.
    const paid = cell.subject.source === 'live'
    const { asked, cached } = await answerTo(
      cell.subject,
      ask,
      pool,
      reserved,
      async (one, answer) => {
        if (!paid) return
        const known = headOf(one, cell.subject.source)
        const { answer: clean, masked } = folder.maskedAnswer(remembering(answer))
        const pending: Pending = {
          ...known,
          attempts: maskedAttempts(known.attempts, folder.redact),
          answer: await storeTexts(folder, clean),
          ...(masked.length === 0 ? {} : { masked }),
        }
        await folder.appendPending(pending)
        await job.cache?.put(cell.subject, ask, answer, one.answerMs)
      },
    )
    const head = headOf(asked, cached ? 'cache' : cell.subject.source)
    if ('answer' in asked.result) remark(cell.subject, asked.result.answer)
    if ('error' in asked.result) {
      const { reason, message } = asked.result.error
      const lost = errored(reason, message)
      hooks.settled(lost.settled, pool)
      return record(head, null, lost, false)
    }
    return gradeAndRecord(cell, pool, remembering(asked.result.answer), head, paid && !cached)
  }

  async function lose(
    index: number,
    { suite, case: one, subject, first }: RunCell,
    { reason, message }: SubjectError,
  ): Promise<Trial> {
    const head: Head = {
      suite: suite.id,
      case: one.id,
      subject: subject.id,
      index,
      caseHash: one.hash,
      attempts: [],
      startedAt: new Date(clock.now()).toISOString(),
      answerMs: 0,
      waitMs: 0,
      answerUsd: null,
      spentUsd: job.askedAgain.get(first + index) ?? 0,
      source: subject.source,
    }
    return record(head, null, errored(reason, message), false)
  }

  async function openWorkspace(cell: RunCell, identity: Identity): Promise<TrialWorkspace> {
    try {
      const opening = neededStore(job).open(cell.case, identity)
      return await untilAborted(opening, signal, (late) => late.close())
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error
      throw new SubjectError(error.message, {
        reason: 'workspace-failed',
        retry: false,
        cause: error,
      })
    }
  }

  /** What a subject says beside a good answer (a parameter it ignored) is told once. */
  function remark({ id }: Subject, { stop, note, remarks: more = [] }: Answer): void {
    const said = stop === 'end' && note !== undefined ? [note, ...more] : more
    for (const one of said) {
      if (warned.has(`${id}\n${one}`)) continue
      warned.add(`${id}\n${one}`)
      job.onEvent({ type: 'warning', text: `${id}: ${one}` })
    }
  }

  /** A budget that is used up by what nobody has paid would surprise. */
  function sayUnknown(): void {
    if (!budget.isLimited || isUnknownSaid) return
    isUnknownSaid = true
    job.onEvent({
      type: 'warning',
      text: 'what some trials cost is not known: the budget counts them at their limit, or at what was estimated',
    })
  }

  /** From the cache, else from the subject; gives back the place and the reservation. */
  async function answerTo(
    subject: Subject,
    ask: Ask,
    pool: Pool,
    reserved: Reservation | null,
    keep: AskContext['keep'],
  ): Promise<{ asked: Asked; cached: boolean }> {
    let paid: Paid = { spentUsd: 0 }
    try {
      const kept = subject.source === 'live' ? ((await job.cache?.get(subject, ask)) ?? null) : null
      if (kept !== null) {
        pool.leave()
        return { asked: fromCache(kept), cached: true }
      }
      const words = streamWords({
        suite: ask.suite,
        case: ask.case.id,
        subject: subject.id,
        index: ask.index,
      })
      const random = stream(seed, 'backoff', ...words)
      const asked = await askSubject(subject, ask, {
        clock,
        pool,
        policy: job.policy,
        random,
        keep,
        stopped: (spentUsd) => {
          paid = { spentUsd, isStopped: true }
          job.spentOnStopped(spentUsd)
        },
      })
      paid = {
        spentUsd: asked.spentUsd,
        unknownCosts: subject.source === 'live' ? asked.unknownCosts : 0,
        isAnswer: 'answer' in asked.result,
        isStopped: 'answer' in asked.result && isStopped(asked.result.answer),
      }
      if (isGuessed(paid)) sayUnknown()
      return { asked, cached: false }
    } finally {
      if (reserved !== null) budget.settle(reserved, paid)
      hooks.answered(pool)
    }
  }

  async function gradeAndRecord(
    cell: RunCell,
    pool: Pool,
    answer: Answer,
    head: Head,
    wasPending: boolean,
  ): Promise<Trial> {
    const graded = await grade(cell, answer, head)
    hooks.settled(graded.settled, pool)
    return record(head, answer, graded, wasPending)
  }

  async function record(
    head: Head,
    answer: Answer | null,
    { settled, grades, gradeMs, implRate, judgeUsd, judgeSpentUsd, remarks: graded }: GradedTrial,
    wasPending: boolean,
  ): Promise<Trial> {
    const { suite, case: id, subject, index, caseHash, attempts, source } = head
    const sandboxed = needsSandbox({ graders: grades }) || answer?.diff !== undefined
    const remarks = [...new Set([...(answer?.remarks ?? []), ...graded])]
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
      implRate,
      grades,
      answer: kept === null ? null : await folder.maskedText(kept.text),
      ...(kept === null ? {} : await storeParts(folder, kept)),
      usage: answer?.usage ?? null,
      cost: { answerUsd: head.answerUsd, judgeUsd, spentUsd: head.spentUsd + judgeSpentUsd },
      time: { startedAt: head.startedAt, answerMs: head.answerMs, waitMs: head.waitMs, gradeMs },
      ...(attempts.length === 0 ? {} : { attempts }),
      source,
      ...(sandboxed && job.sandbox !== null ? { sandbox: job.sandbox.name } : {}),
      ...(remarks.length === 0 ? {} : { remarks }),
      ...(masked.length === 0 ? {} : { masked }),
    }
    return folder.appendTrial(trial, wasPending)
  }

  return { conduct, lose, waiting }
}

/** Whether it was ended before it was done. */
const isStopped = ({ stop }: Answer): boolean => stop === 'timeout' || stop === 'limit'

/** The work, or the signal's reason; what comes too late is put away. */
async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  putAway: (late: T) => Promise<void>,
): Promise<T> {
  const stop = Promise.withResolvers<never>()
  const onAbort = (): void => {
    stop.reject(signal.reason)
    work.then(putAway).catch(() => {})
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, stop.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

const fromCache = (answer: Answer): Asked => ({
  result: { answer },
  attempts: [],
  answerMs: answer.ms ?? 0,
  waitMs: 0,
  answerUsd: answer.usd,
  spentUsd: 0,
  unknownCosts: 0,
})
