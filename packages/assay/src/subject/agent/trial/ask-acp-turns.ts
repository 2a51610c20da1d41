/** Runs the user's turns with an ACP agent. All turns are one conversation with one process. */
import type { WorkspaceEnd } from '@assay/contract'
import { noted } from '../../command/not-started.ts'
import { AcpClient } from '../acp/acp-client.ts'
import type { LostEnd } from '../agent-kind.ts'
import type { Stopped } from '../stopped.ts'
import type { AgentTrial } from './agent-trial.ts'
import { lostBy, neverStarted, stoppedBy } from './how-ended.ts'
import { startProgram } from './start-program.ts'

/** An ACP agent is started without a prompt. It gets its prompts later, on its stdin. */
const NO_PROMPT = { prompt: '', messages: [], session: null }

export async function askAcpTurns(trial: AgentTrial): Promise<Stopped> {
  const { driven, workspace, turns, builder, reader, gate } = trial
  const finished = new AbortController()
  const { kind, settings } = driven
  const client = new AcpClient({
    settings: kind.startsModel === true ? { ...settings, model: null } : settings,
    folder: workspace.folder,
    prompts: turns.map(({ prompt }) => prompt),
    sink: builder,
    beginTurn: (turn) => {
      if (turn === 0) return
      reader.turnEnded()
      builder.beginTurn(turn, turns[turn]?.prompt ?? '')
    },
    finish: () => finished.abort(new Error('the agent has finished')),
  })
  const cancel = (): void => client.cancel()
  gate?.halted.addEventListener('abort', cancel, { once: true })
  builder.beginTurn(0, turns[0]?.prompt ?? '')
  const talk = { client, finished: finished.signal }
  const end = await startProgram(trial, NO_PROMPT, trial.timeoutMs, talk).finally(() => {
    client.close()
    gate?.halted.removeEventListener('abort', cancel)
  })
  await gate?.idle()
  const lost = lostBy(trial, end)
  reader.turnEnded()
  trial.checkLimits()
  return stoppedBy(trial, conversed(trial, client, end, lost), lost)
}

/**
 * Returns how the process of an ACP agent ended. If the agent has replied, this counts as a normal end, although
 * Assay then stops the process.
 */
function conversed(
  trial: AgentTrial,
  client: AcpClient,
  end: WorkspaceEnd,
  lost: LostEnd | null,
): WorkspaceEnd {
  const { builder } = trial
  const hasAsked = trial.gate?.hasAsked === true
  if (client.end !== null && client.end.how !== 'not-started')
    return { ...end, how: 'ended', code: 0, signal: null }
  if (trial.overLimit !== null || lost !== null || end.reached !== undefined) return end
  if (client.end !== null && !hasAsked) throw neverStarted(trial, client.end.why, end.stderr)
  if (!client.isReady && !hasAsked) {
    const why =
      end.how === 'timeout'
        ? `it was not ready within ${trial.timeoutMs / 1000} s`
        : `it ended before it was asked (exit code ${String(end.code ?? end.signal)})`
    throw neverStarted(trial, why, end.stderr)
  }
  if (end.how === 'ended' && builder.ended === null)
    builder.end({
      how: 'failed',
      why: noted(
        `ended before it answered the prompt (exit code ${String(end.code ?? end.signal)})`,
        end.stderr,
      ),
    })
  return end.how === 'ended' ? { ...end, code: 0 } : end
}
