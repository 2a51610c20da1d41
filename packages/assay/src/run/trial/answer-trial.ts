/**
 * The first half of a trial: getting its answer, from the cache or from the subject. An answer that was paid for is
 * written to the disk before it is graded, so that a crash does not lose it.
 */
import { type Answer, type Ask, type Identity, type Source, type Subject } from '@assay/contract'
import { maskedAttempts, stream } from '../../log/index.ts'
import { streamWords, type Head } from '../grade/grade-trial.ts'
import { storeTexts } from '../grade/stored-texts.ts'
import type { Pending } from '../resume/pending.ts'
import { askSubject, tenths, type Asked } from '../schedule/ask.ts'
import { isGuessed, type Paid } from '../schedule/budget.ts'
import { worksInWorkspace } from '../workspaces.ts'
import { modelRequests } from './model-requests.ts'
import { askedCase, messagesOf } from './asked-case.ts'
import { openWorkspace } from './open-workspace.ts'
import type { Dispatched, TrialContext } from './trial-context.ts'
import type { ProviderSlots, TrialCell } from './trial-services.ts'

/** The remark on a trial whose first answer was only kept masked and could not be graded. */
const ASKED_AGAIN =
  'asked again: its first answer held a secret, was kept masked until its grade, and the run was interrupted before that'

const UNKNOWN_COSTS =
  'what some trials cost is not known: the budget counts them at their limit, or at what was estimated'

export interface AnsweredTrial {
  readonly head: Head
  readonly result: Asked['result']
  /** Whether the answer is in `pending.jsonl`. */
  readonly isPending: boolean
}

/** The facts about a trial before its subject is asked. */
interface Start {
  readonly cell: TrialCell
  readonly identity: Identity
  readonly startedAt: string
  readonly ask: Ask
  /** The cost of the first answer, which could not be graded. Undefined if the subject is asked for the first time. */
  readonly firstUsd: number | undefined
}

/**
 * Gets the answer of a trial, then frees its slot and its reservation. Rejects when the signal aborts or the log cannot
 * be written.
 */
export async function answerTrial<Slots extends ProviderSlots>(
  context: TrialContext<Slots>,
  dispatched: Dispatched<Slots>,
): Promise<AnsweredTrial> {
  const { subject } = dispatched.cell
  const start = withRequests(context, dispatched, startOf(context, dispatched))
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

/** Whether an answer costs money. If not, it can be made again and need not be stored before it is graded. */
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
    random: stream(services.seed, 'answer', ...streamWords(identity)),
    signal,
  }
  return {
    cell,
    identity,
    startedAt: new Date(services.clock.now()).toISOString(),
    ask: acts
      ? { ...ask, openWorkspace: () => openWorkspace(services, cell.case, identity, signal) }
      : ask,
    firstUsd: services.usdOfFirstAnswer(identity),
  }
}

/** Lets the requests of an agent share the limits and the budget of the run. */
function withRequests<Slots extends ProviderSlots>(
  { services, pools, hooks }: TrialContext<Slots>,
  { cell: { subject }, reserved }: Dispatched<Slots>,
  start: Start,
): Start {
  if (subject.requestPools === undefined || subject.requestPools.length === 0) return start
  const random = stream(services.seed, 'requests', ...streamWords(start.identity))
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

/** Gets the answer from the cache, or else from the subject. */
async function answerTo<Slots extends ProviderSlots>(
  context: TrialContext<Slots>,
  { cell: { subject }, pool, reserved }: Dispatched<Slots>,
  start: Start,
): Promise<{ readonly asked: Asked; readonly isCached: boolean }> {
  const { services, hooks } = context
  let paid: Paid = { spentUsd: 0 }
  try {
    const kept = isPaid(subject) ? ((await services.cache?.get(subject, start.ask)) ?? null) : null
    if (kept !== null) {
      pool.leave()
      return { asked: fromCache(kept), isCached: true }
    }
    const asked = await askSubject(subject, start.ask, {
      clock: services.clock,
      pool,
      policy: services.policy,
      random: stream(services.seed, 'backoff', ...streamWords(start.identity)),
      keep: (one, answer) => keepPaid(context, start, one, answer),
      stopped: (spentUsd) => {
        paid = { spentUsd, isStopped: true }
        services.spentOnStopped(spentUsd)
      },
    })
    paid = {
      spentUsd: asked.spentUsd,
      unknownCosts: isPaid(subject) ? asked.unknownCosts : 0,
      isAnswer: 'answer' in asked.result,
      isStopped: 'answer' in asked.result && isStopped(asked.result.answer),
    }
    // Tells the user that the budget may be used up by estimates instead of known costs.
    if (isGuessed(paid) && services.budget.isLimited) context.warnOnce(UNKNOWN_COSTS)
    return { asked, isCached: false }
  } finally {
    if (reserved !== null) services.budget.settle(reserved, paid)
    hooks.answered(pool)
  }
}

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
  if (!isPaid(subject)) return
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

/** Shows the user, once each, the remarks on a subject's answers, such as a parameter that it ignored. */
function tellRemarks(
  { warnOnce }: Pick<TrialContext<ProviderSlots>, 'warnOnce'>,
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
