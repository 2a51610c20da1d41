/**
 * Splits a recorded conversation into the messages before the user's turns, the turns, and the answers between them.
 * A grader with the setting `turn` grades one of these answers.
 */
import type { Case, GraderConfig, Message } from '@assay/contract'
import type { GraderInput } from './grader.ts'

interface Conversation {
  readonly opening: readonly Message[]
  readonly turns: readonly string[]
  /** The answers to all turns but the last. Null if the subject got all turns in one request. */
  readonly answers: readonly string[] | null
}

/** Splits the messages before an answer. `count` is the number of the case's turns. */
function conversationIn(messages: readonly Message[], count: number): Conversation {
  const turns = Math.max(1, count)
  const isAnswered = turns > 1 && messages.at(-2)?.role === 'assistant'
  const first = messages.length - (isAnswered ? 2 * turns - 1 : turns)
  const said = messages.slice(Math.max(0, first))
  const by = (role: Message['role']): string[] =>
    said.filter((one) => one.role === role).map(({ content }) => content)
  return {
    opening: messages.slice(0, Math.max(0, first)),
    turns: by('user'),
    answers: isAnswered ? by('assistant') : null,
  }
}

/**
 * Returns the case with the texts that the subject was really asked, taken from the recorded messages. A prompt of
 * the suite may have changed the question. A judge then still reads the question that was answered.
 */
export function caseAsAsked(one: Case, messages: readonly Message[] | undefined): Case {
  if (messages === undefined || messages.length === 0) return one
  const { opening, turns } = conversationIn(messages, one.turns.length)
  const system = opening.filter(({ role }) => role === 'system').map(({ content }) => content)
  const examples = opening.filter(({ role }) => role !== 'system')
  return {
    ...one,
    turns,
    ...(system.length === 0 ? {} : { system: system.join('\n\n') }),
    ...(examples.length === 0 ? {} : { examples }),
  }
}

/** Returns the input with the answer to the turn that the grader grades. Throws if that answer is not recorded. */
export function inputOfTurn(input: GraderInput, { turn }: Pick<GraderConfig, 'turn'>): GraderInput {
  const { turns } = input.case
  if (turn === undefined || turn >= turns.length) return input
  const answer = answerTo(turn, input)
  if (answer === null)
    throw new Error(`the answer to turn ${turn} is not recorded, only the last answer`)
  return { ...input, case: { ...input.case, turns: turns.slice(0, turn) }, answer, files: {} }
}

function answerTo(
  turn: number,
  { messages = [], trajectory, case: one }: GraderInput,
): string | null {
  const { answers } = conversationIn(messages, one.turns.length)
  if (answers !== null) return answers[turn - 1] ?? null
  // A subject that gets all turns in one request reports its answers as steps.
  const said = trajectory?.steps.findLast(
    (step) => step.kind === 'message' && step.role === 'assistant' && step.turn === turn - 1,
  )
  return said?.kind === 'message' ? said.text : null
}
