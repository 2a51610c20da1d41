/**
 * The first half of a trial: its answer, from the cache or from the subject. An answer that was paid for is
 * put on the disk before it is graded, so that it survives whatever ends the run.
 */
import {
  type Answer,
  type Ask,
  type Identity,
  type Message,
  type Source,
  type Subject,
} from '@assay/contract'
import { maskedAttempts, stream } from '../../log/index.ts'
import { streamWords, type Head } from '../grade/grade-trial.ts'
import { storeTexts } from '../grade/stored-texts.ts'
import type { Pending } from '../resume/pending.ts'
import { askSubject, tenths, type Asked } from '../schedule/ask.ts'
import { isGuessed, type Paid } from '../schedule/budget.ts'
import type { RunCell } from '../schedule/job.ts'
import { worksInWorkspace } from '../workspaces.ts'
import { openWorkspace } from './open-workspace.ts'
import type { Dispatched, TrialContext } from './trial-context.ts'

/** On a trial whose first answer could not be graded as it was. */
const ASKED_AGAIN =
  'asked again: its first answer held a secret, was kept masked until its grade, and the run was interrupted before that'

const UNKNOWN_COSTS =
  'what some trials cost is not known: the budget counts them at their limit, or at what was estimated'

export interface AnsweredTrial {
  readonly head: Head
  readonly result: Asked['result']
  /** Its answer is in `pending.jsonl`. */
  readonly isPending: boolean
}

/** What is known of a trial when it is asked for. */
interface Start {
  readonly cell: RunCell
  readonly identity: Identity
  readonly startedAt: string
  readonly ask: Ask
  /** What its first answer cost, which could not be graded; undefined where it is asked for the first time. */
  readonly firstUsd: number | undefined
}

/** Gives back the place and the reservation. Rejects when the signal aborts or the log cannot be written. */
export async function answerTrial(
  context: TrialContext,
  dispatched: Dispatched,
): Promise<AnsweredTrial> {
  const { subject } = dispatched.cell
  const start = startOf(context, dispatched)
  const { asked, isCached } = await answerTo(context, dispatched, start)
  const head = headOf(start, asked, isCached ? 'cache' : subject.source)
  if ('error' in asked.result) return { head, result: asked.result, isPending: false }
  tellRemarks(context, subject, asked.result.answer)
  return {
    head,
    result: { answer: withAskedAgain(start, asked.result.answer) },
    isPending: isPaid(subject) && !isCached,
  }
}

/** An answer that costs nothing to make again need not be kept before it is graded. */
const isPaid = ({ source }: Subject): boolean => source === 'live'

function startOf({ job, signal }: TrialContext, { cell, index }: Dispatched): Start {
  const identity: Identity = {
    suite: cell.suite.id,
    case: cell.case.id,
    subject: cell.subject.id,
    index,
  }
  const acts = worksInWorkspace(cell.subject, cell.case)
  return {
    cell,
    identity,
    startedAt: new Date(job.clock.now()).toISOString(),
    ask: {
      suite: identity.suite,
      case: cell.case,
      index,
      messages: cell.case.turns.map((content): Message => ({ role: 'user', content })),
      maxTokens: cell.case.maxTokens,
      timeoutMs: job.timeoutOf(cell.suite, cell.case, acts),
      random: stream(job.seed, 'answer', ...streamWords(identity)),
      signal,
      ...(acts ? { openWorkspace: () => openWorkspace(job, cell.case, identity, signal) } : {}),
    },
    firstUsd: job.askedAgain.get(cell.first + index),
  }
}

const headOf = (
  { cell, identity, startedAt, firstUsd = 0 }: Start,
  asked: Asked,
  source: Source,
): Head => ({
  ...identity,
  caseHash: cell.case.hash,
  attempts: asked.attempts,
  startedAt,
  answerMs: tenths(asked.answerMs),
  waitMs: tenths(asked.waitMs),
  answerUsd: asked.answerUsd,
  spentUsd: asked.spentUsd + firstUsd,
  source,
})

const withAskedAgain = ({ firstUsd }: Start, answer: Answer): Answer =>
  firstUsd === undefined ? answer : { ...answer, remarks: [...(answer.remarks ?? []), ASKED_AGAIN] }

/** From the cache, else from the subject. */
async function answerTo(
  context: TrialContext,
  { cell: { subject }, pool, reserved }: Dispatched,
  start: Start,
): Promise<{ readonly asked: Asked; readonly isCached: boolean }> {
  const { job, hooks } = context
  let paid: Paid = { spentUsd: 0 }
  try {
    const kept = isPaid(subject) ? ((await job.cache?.get(subject, start.ask)) ?? null) : null
    if (kept !== null) {
      pool.leave()
      return { asked: fromCache(kept), isCached: true }
    }
    const asked = await askSubject(subject, start.ask, {
      clock: job.clock,
      pool,
      policy: job.policy,
      random: stream(job.seed, 'backoff', ...streamWords(start.identity)),
      keep: (one, answer) => keepPaid(context, start, one, answer),
      stopped: (spentUsd) => {
        paid = { spentUsd, isStopped: true }
        job.spentOnStopped(spentUsd)
      },
    })
    paid = {
      spentUsd: asked.spentUsd,
      unknownCosts: isPaid(subject) ? asked.unknownCosts : 0,
      isAnswer: 'answer' in asked.result,
      isStopped: 'answer' in asked.result && isStopped(asked.result.answer),
    }
    // A budget that is used up by what nobody has paid would surprise.
    if (isGuessed(paid) && job.budget.isLimited) context.warnOnce(UNKNOWN_COSTS)
    return { asked, isCached: false }
  } finally {
    if (reserved !== null) job.budget.settle(reserved, paid)
    hooks.answered(pool)
  }
}

/** Whether it was ended before it was done. */
const isStopped = ({ stop }: Answer): boolean => stop === 'timeout' || stop === 'limit'

async function keepPaid(
  { job }: TrialContext,
  start: Start,
  asked: Asked,
  answer: Answer,
): Promise<void> {
  const { folder } = job
  const { subject } = start.cell
  if (!isPaid(subject)) return
  const head = headOf(start, asked, subject.source)
  const { answer: clean, masked } = folder.maskedAnswer(withAskedAgain(start, answer))
  const pending: Pending = {
    ...head,
    attempts: maskedAttempts(head.attempts, folder.redact),
    answer: await storeTexts(folder, clean),
    ...(masked.length === 0 ? {} : { masked }),
  }
  await folder.appendPending(pending)
  await job.cache?.put(subject, start.ask, answer, asked.answerMs)
}

/** What a subject says beside a good answer (a parameter it ignored) is told once. */
function tellRemarks(
  { warnOnce }: TrialContext,
  { id }: Subject,
  { stop, note, remarks = [] }: Answer,
): void {
  const said = stop === 'end' && note !== undefined ? [note, ...remarks] : remarks
  for (const one of said) warnOnce(`${id}: ${one}`)
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
