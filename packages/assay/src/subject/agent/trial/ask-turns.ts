/** Runs the user's turns with an agent whose program is started once for each turn. */
import type { Message } from '@assay/contract'
import type { Stopped } from '../stopped.ts'
import { readNotes } from '../trajectory/read-notes.ts'
import type { AgentTrial } from './agent-trial.ts'
import { late, lostBy, stoppedBy } from './how-ended.ts'
import { startProgram, type AskedPrompt } from './start-program.ts'

export async function askTurns(trial: AgentTrial): Promise<Stopped> {
  const { driven, turns, builder } = trial
  const said: Message[] = []
  for (const [turn, { before, prompt }] of turns.entries()) {
    const session = turn === 0 ? null : builder.sessionId
    if (turn > 0 && session === null && driven.needsSession)
      return {
        stop: 'exit',
        note: `told no session to go on with, so turn ${turn + 1} of ${turns.length} could not be asked`,
      }
    said.push(...before, { role: 'user', content: prompt })
    const stopped = await askTurn(trial, turn, { prompt, messages: [...said], session })
    if (stopped.stop !== 'end') return stopped
    said.push({ role: 'assistant', content: builder.answerText })
  }
  return { stop: 'end' }
}

async function askTurn(trial: AgentTrial, turn: number, asked: AskedPrompt): Promise<Stopped> {
  const left = trial.timeoutMs - trial.elapsed()
  if (left <= 0) return late(trial, '')
  trial.builder.beginTurn(turn, asked.prompt)
  const end = await startProgram(trial, asked, left)
  await trial.gate?.idle()
  await takeNotes(trial)
  const lost = lostBy(trial, end)
  trial.reader.turnEnded()
  trial.checkLimits()
  return stoppedBy(trial, end, lost)
}

/** Reads the notes: a file in which some agents record the usage of their requests (see `AgentKind.notes`). */
async function takeNotes({
  driven,
  builder,
  workspace,
  reader,
  signal,
}: AgentTrial): Promise<void> {
  const { kind, around } = driven
  const session = builder.sessionId
  const command = session === null ? null : (kind.notes?.(session) ?? null)
  if (command === null) return
  try {
    await readNotes(workspace, command, around.reads, signal, (line) => reader.note?.(line))
  } catch (error) {
    signal.throwIfAborted()
    builder.odd(`what the agent noted of its requests could not be read: ${String(error)}`)
  }
}
