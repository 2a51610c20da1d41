/**
 * Asks a case with several turns as a conversation. Each turn is sent with all messages before it. The answer to the
 * last turn is the trial's answer. Its cost and usage are the sums over all turns.
 */
import {
  SubjectError,
  type Answer,
  type Ask,
  type Message,
  type Subject,
  type Usage,
} from '@assay/contract'
import { askOnce } from './ask-once.ts'

/**
 * Asks all turns of a case. `maySend` is awaited before each turn except the first one, to keep the provider's limits.
 */
export function askTurns(
  subject: Subject,
  ask: Ask,
  maySend: () => Promise<void> | null = () => null,
): Promise<Answer> {
  // Some subjects get all turns at once. A recorded or simulated subject has one answer for the whole conversation. A
  // subject that works in a workspace or reports events gets all turns in one request.
  const isWhole =
    subject.source !== 'live' || ask.openWorkspace !== undefined || subject.takesAllTurns === true
  // The user's turns come after the system message and the examples. The examples end with a message of the assistant.
  const opening = ask.messages.findLastIndex(isGiven) + 1
  if (ask.messages.length - opening >= 2 && !isWhole)
    return converse(subject, ask, opening, maySend)
  // The messages are added to the answer if the case alone does not determine them. A recorded answer already contains
  // the messages that it answered.
  const isMore = subject.asks !== undefined || opening > 0
  const answered = askOnce(subject, ask)
  return isMore && subject.kind !== 'replay'
    ? answered.then((answer) => ({ ...answer, messages: ask.messages }))
    : answered
}

/** Asks one turn after another. `opening` is the number of messages before the user's turns. */
async function converse(
  subject: Subject,
  ask: Ask,
  opening: number,
  maySend: () => Promise<void> | null,
): Promise<Answer> {
  const turns = ask.messages.slice(opening)
  const said: Message[] = ask.messages.slice(0, opening)
  let before: Answer | null = null
  for (const turn of turns) {
    said.push(turn)
    if (before !== null) await maySend()
    before = together(before, await answerTurn(subject, { ...ask, messages: [...said] }, before))
    // The answer is incomplete or empty, so the conversation cannot continue. The trial ends with this answer.
    if (before.stop !== 'end' || before.text.trim() === '') break
    said.push({ role: 'assistant', content: before.text })
  }
  if (said.at(-1)?.role === 'assistant') said.pop()
  return { ...(before as Answer), messages: said }
}

const isGiven = ({ role }: Message): boolean => role !== 'user'

/** Asks one turn. If it fails, the error includes the cost of the turns before it. */
async function answerTurn(subject: Subject, ask: Ask, before: Answer | null): Promise<Answer> {
  try {
    return await askOnce(subject, ask)
  } catch (error) {
    if (!(error instanceof SubjectError) || before === null) throw error
    const { reason, retry, status, retryAfterMs, usage, cause } = error
    // A request without usage and cost was refused by the provider, so it was free.
    const isFree = error.usd === null && error.usage === null && error.spentUsd === 0
    throw new SubjectError(error.message, {
      reason,
      retry,
      status,
      retryAfterMs,
      usage,
      usd: isFree ? before.usd : plus(before.usd, error.usd),
      spentUsd: spentOn(before) + error.spentUsd,
      cause,
    })
  }
}

function together(before: Answer | null, answer: Answer): Answer {
  if (before === null) return answer
  const remarks = [...new Set([...(before.remarks ?? []), ...(answer.remarks ?? [])])]
  return {
    ...answer,
    ...(remarks.length === 0 ? {} : { remarks }),
    usage: before.usage === null || answer.usage === null ? null : sum(before.usage, answer.usage),
    usd: plus(before.usd, answer.usd),
    // If the cost of one turn is unknown, the known cost of the other turns still counts as spent.
    spentUsd: spentOn(before) + spentOn(answer),
  }
}

const spentOn = ({ spentUsd, usd }: Answer): number => spentUsd ?? usd ?? 0

/** Adds two amounts. The sum is null, which means unknown, if one of them is null. */
const plus = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : a + b

const sum = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  output: a.output + b.output,
  reasoning: a.reasoning + b.reasoning,
})
