/**
 * Asks a case with several turns as a conversation: each turn is sent with everything said before it, and the last
 * answer is the trial's answer. Its cost and usage are the sums over all turns.
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

/** `maySend` is awaited before each turn but the first. */
export function askTurns(
  subject: Subject,
  ask: Ask,
  maySend: () => Promise<void> | null = () => null,
): Promise<Answer> {
  // A recorded or simulated subject has one answer for the whole conversation. A subject that works in a workspace or
  // reports events gets all turns in one request.
  const isWhole =
    subject.source !== 'live' || ask.openWorkspace !== undefined || subject.takesAllTurns === true
  // The user's turns follow the system message and the examples, which end with an answer.
  const opening = ask.messages.findLastIndex(isGiven) + 1
  if (ask.messages.length - opening >= 2 && !isWhole)
    return converse(subject, ask, opening, maySend)
  // A recorded answer brings its own messages: those that it was asked with.
  const isMore = subject.asks !== undefined || opening > 0
  const answered = askOnce(subject, ask)
  return isMore && subject.kind !== 'replay'
    ? answered.then((answer) => ({ ...answer, messages: ask.messages }))
    : answered
}

/** Asks turn by turn. `opening` is the number of messages before the user's turns. */
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
    // There is no complete answer to continue from, so the trial ends here, as it would with a single turn.
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
    // A request that was refused has no usage and no cost.
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
    // The known cost of one turn counts as spent, even if the cost of another turn is unknown.
    spentUsd: spentOn(before) + spentOn(answer),
  }
}

const spentOn = ({ spentUsd, usd }: Answer): number => spentUsd ?? usd ?? 0

/** Null (unknown) if either amount is unknown. */
const plus = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : a + b

const sum = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  output: a.output + b.output,
  reasoning: a.reasoning + b.reasoning,
})
