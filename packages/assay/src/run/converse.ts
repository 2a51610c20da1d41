/**
 * A case with several turns is a conversation: each turn is asked with everything said before it, and the
 * last answer is the trial's. What the turns cost and used together is what the answer cost and used.
 */
import {
  SubjectError,
  type Answer,
  type Ask,
  type Message,
  type Subject,
  type Usage,
} from '../contract.ts'

export async function converse(subject: Subject, ask: Ask): Promise<Answer> {
  // A recording or a simulation has one answer for the whole conversation; who works in a workspace or tells
  // events goes through all turns in one answer.
  const isWhole =
    subject.source !== 'live' || ask.openWorkspace !== undefined || subject.takesAllTurns === true
  if (ask.messages.length < 2 || isWhole) return subject.answer(ask)
  const said: Message[] = []
  let before: Answer | null = null
  for (const turn of ask.messages) {
    said.push(turn)
    before = together(before, await answerTurn(subject, { ...ask, messages: [...said] }, before))
    // Nothing to go on from: the trial ends here, as it would with a single turn.
    if (before.stop !== 'end' || before.text.trim() === '') break
    said.push({ role: 'assistant', content: before.text })
  }
  return before as Answer
}

/** A failure in the middle has cost what the turns before it cost. */
async function answerTurn(subject: Subject, ask: Ask, before: Answer | null): Promise<Answer> {
  try {
    return await subject.answer(ask)
  } catch (error) {
    if (!(error instanceof SubjectError) || before === null) throw error
    const { reason, retry, status, retryAfterMs, usage, cause } = error
    const usd = (error.usd ?? 0) + (before.usd ?? 0)
    throw new SubjectError(error.message, {
      reason,
      retry,
      status,
      retryAfterMs,
      usage,
      usd,
      cause,
    })
  }
}

function together(before: Answer | null, answer: Answer): Answer {
  if (before === null) return answer
  return {
    ...answer,
    usage: before.usage === null || answer.usage === null ? null : sum(before.usage, answer.usage),
    usd: before.usd === null || answer.usd === null ? null : before.usd + answer.usd,
  }
}

const sum = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  output: a.output + b.output,
  reasoning: a.reasoning + b.reasoning,
})
