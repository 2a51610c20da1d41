/**
 * The first half of a trial: getting its answer from the cache or from the subject. An answer that was paid for is
 * written to the disk before it is graded, so that a crash does not lose it.
 */
import { type Answer, type Ask, type Identity, type Source, type Subject } from '@assay/contract'
import { maskedAttempts, trialStream } from '../../log/index.ts'
import type { Head } from '../grade/grade-trial.ts'
import { storeTexts } from '../grade/stored-texts.ts'
import type { Pending } from '../resume/pending.ts'
import { askSubject, tenths, type Asked } from '../schedule/ask.ts'
import { isGuessed, type Paid } from '../schedule/budget.ts'
import { isoTime } from '../schedule/clock.ts'
import { worksInWorkspace } from '../workspaces.ts'
import { modelRequests } from './model-requests.ts'
import { askedCase, messagesOf } from './asked-case.ts'
import { openWorkspace } from './open-workspace.ts'
import type { Dispatched, TrialContext } from './trial-context.ts'
import type { ProviderSlots, TrialCell } from './trial-services.ts'

/**
 * The remark on a trial whose subject was asked again. The first answer contained a secret, so only its masked form was
 * stored, which cannot be graded.
 */
const ASKED_AGAIN =
  'asked again: its first answer held a secret, was kept masked until its grade, and the run was interrupted before that'

const UNKNOWN_COSTS =
  'what some trials cost is not known: the budget counts them at their limit, or at what was estimated'

export interface AnsweredTrial {
  readonly head: Head
  readonly result: Asked['result']
  /** Whether the answer was written to `pending.jsonl`, which stores answers until they are graded. */
  readonly isPending: boolean
  /** The time of `head.startedAt` in milliseconds. */
  readonly startedMs: number
}

/** The facts about a trial before its subject is asked. */
interface Start {
  readonly cell: TrialCell
  readonly identity: Identity
  readonly startedAt: string
  readonly startedMs: number
  readonly ask: Ask
  /** The cost of an earlier answer that could not be graded. Undefined if the subject was not asked before. */
  readonly firstUsd: number | undefined
}

/**
 * Gets the answer of a trial from the cache or, if it is not there, from the subject. Then frees the trial's slot and
 * its reservation. Rejects if the signal aborts or the log cannot be written.
 */
export async function answerTrial<Slots extends ProviderSlots>(
  context: TrialContext<Slots>,
  dispatched: Dispatched<Slots>,
): Promise<AnsweredTrial> {
  const { services, hooks } = context
  const { pool, reserved } = dispatched
  const { subject } = dispatched.cell
  const start = withRequests(context, dispatched, startOf(context, dispatched))
  let paid: Paid = { spentUsd: 0 }
  let asked: Asked
  let isCached = false
  try {
    const kept = isPaid(subject) ? ((await services.cache?.get(subject, start.ask)) ?? null) : null
    if (kept === null) {
      asked = await askSubject(subject, start.ask, {
        clock: services.clock,
        pool,
        policy: services.policy,
        random: trialStream(services.seed, 'backoff', start.identity),
        keep: (one, answer) => (isPaid(subject) ? keepPaid(context, start, one, answer) : null),
        stopped: (spentUsd) => {
          paid = { spentUsd, isStopped: true }
          services.spentOnStopped(spentUsd)
        },
      })
      paid = paidFor(subject, asked)
      // The user is warned that the budget counts estimates where costs are unknown.
      if (services.budget.isLimited && isGuessed(paid)) context.warnOnce(UNKNOWN_COSTS)
    } else {
      pool.leave()
      asked = fromCache(kept)
      isCached = true
    }
  } finally {
    if (reserved !== null) services.budget.settle(reserved, paid)
    hooks.answered(pool)
  }
  const head = headOf(start, asked, isCached ? 'cache' : subject.source)
  const { startedMs } = start
  const { result } = asked
  if ('error' in result) return { head, result, isPending: false, startedMs }
  tellRemarks(context, subject, result.answer)
  return {
    head,
    result:
      start.firstUsd === undefined ? result : { answer: withAskedAgain(start, result.answer) },
    isPending: isPaid(subject) && !isCached,
    startedMs,
  }
}

const paidFor = (subject: Subject, { spentUsd, unknownCosts, result }: Asked): Paid => ({
  spentUsd,
  unknownCosts: isPaid(subject) ? unknownCosts : 0,
  isAnswer: 'answer' in result,
  isStopped: 'answer' in result && isStopped(result.answer),
})

/**
 * Whether the subject's answers cost money. Other answers can be created again, so they are not stored before grading.
 */
const isPaid = ({ source }: Subject): boolean => source === 'live'

function startOf(
  { services, signal }: Pick<TrialContext<ProviderSlots>, 'services' | 'signal'>,
  { cell, index }: Pick<Dispatched<ProviderSlots>, 'cell' | 'index'>,
): Start {
  const identity: Identity = {
    suite: cell.suite.id,
    case: cell.case.id,
    subject: cell.subject.id,
    index,
  }
  const acts = worksInWorkspace(cell.subject, cell.case)
  const asked = askedCase(cell.subject, identity.suite, cell.case)
  const ask: Ask = {
    suite: identity.suite,
    case: asked,
    index,
    messages: messagesOf(asked),
    maxTokens: cell.case.maxTokens,
    timeoutMs: services.timeoutOf(cell.suite, cell.case, acts),
    random: trialStream(services.seed, 'answer', identity),
    signal,
  }
  const startedMs = Math.trunc(services.clock.now())
  return {
    cell,
    identity,
    startedAt: isoTime(startedMs),
    startedMs,
    ask: acts
      ? { ...ask, openWorkspace: () => openWorkspace(services, cell.case, identity, signal) }
      : ask,
    firstUsd: services.usdOfFirstAnswer(identity),
  }
}

/** Makes the requests of an agent to its model respect the limits and the budget of the run. */
function withRequests<Slots extends ProviderSlots>(
  { services, pools, hooks }: TrialContext<Slots>,
  { cell: { subject }, reserved }: Dispatched<Slots>,
  start: Start,
): Start {
  if (subject.requestPools === undefined || subject.requestPools.length === 0) return start
  const random = trialStream(services.seed, 'requests', start.identity)
  const requests = modelRequests({
    services,
    pools,
    reserved,
    random,
    released: () => hooks.released(),
  })
  return {
    ...start,
    ask: {
      ...start.ask,
      modelRequests: requests,
      recordTraffic: services.recordTraffic ?? false,
    },
  }
}

const headOf = (
  { cell, identity, startedAt, firstUsd = 0 }: Start,
  asked: Asked,
  source: Source,
): Head => ({
  suite: identity.suite,
  case: identity.case,
  subject: identity.subject,
  index: identity.index,
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

/** Whether the answer was cut off by a time limit or another limit. */
const isStopped = ({ stop }: Answer): boolean => stop === 'timeout' || stop === 'limit'

async function keepPaid(
  { services }: Pick<TrialContext<ProviderSlots>, 'services'>,
  start: Start,
  asked: Asked,
  answer: Answer,
): Promise<void> {
  const { store } = services
  const { subject } = start.cell
  const head = headOf(start, asked, subject.source)
  const { answer: clean, masked } = store.maskedAnswer(withAskedAgain(start, answer))
  const pending: Pending = {
    ...head,
    attempts: maskedAttempts(head.attempts, store.redact),
    answer: await storeTexts(store, clean),
    ...(masked.length === 0 ? {} : { masked }),
  }
  await store.keepAnswer(pending)
  await services.cache?.put(subject, start.ask, answer, asked.answerMs)
}

const NO_REMARKS: readonly string[] = []

/**
 * Shows the user the remarks on a subject's answers, such as a parameter that it ignored. Each remark is shown once.
 */
function tellRemarks(
  { warnOnce }: Pick<TrialContext<ProviderSlots>, 'warnOnce'>,
  { id }: Subject,
  { stop, note, remarks = NO_REMARKS }: Answer,
): void {
  if (note === undefined && remarks.length === 0) return
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
