/**
 * Runs one trial of an agent, from its workspace to its answer. It copies the subject's files into the workspace and
 * starts the program once for each of the user's turns. It reads the agent's events as they arrive, and checks the
 * limits of the case after every line. At the end it takes a diff of the workspace. The agent may end by itself, at a
 * limit, at its deadline or with an error. In each case, its work until then is the answer. There is no answer only if
 * the agent could not start or could not reach its provider. The workspace is always closed.
 *
 * The parts are in the folder `trial`.
 */
import { SubjectError, type Answer, type Ask, type Message } from '@assay/contract'
import { ReplayedTrial } from '../gateway/traffic/replayed-trial.ts'
import { checkServers } from './check-servers.ts'
import { openGate, type Gate } from './gate.ts'
import { stageIn } from './staged-files.ts'
import { agentAnswer } from './trial/agent-answer.ts'
import type { AgentRun, AskedTurn, WorkPlace } from './trial/agent-run.ts'
import { AgentTrial } from './trial/agent-trial.ts'
import { askTurns } from './trial/ask-turns.ts'
import { askAcpTurns } from './trial/ask-acp-turns.ts'
import { stoppedWithRun } from './trial/how-ended.ts'

/** Runs the user's turns in `place` and returns the answer. The caller must close `place`. */
export async function runTurns(
  driven: AgentRun,
  ask: Ask,
  turns: readonly AskedTurn[],
  place: WorkPlace,
  signal: AbortSignal,
  gate: Gate | null = null,
): Promise<Answer> {
  const trial = new AgentTrial({ driven, ask, turns, workspace: place, signal, gate })
  try {
    const stopped = await (driven.kind.speaks === 'acp' ? askAcpTurns(trial) : askTurns(trial))
    return await agentAnswer(trial, stopped)
  } catch (error) {
    throw signal.aborted ? stoppedWithRun(trial) : error
  }
}

/**
 * Runs one trial of an agent. Rejects with a `SubjectError` if there is no answer. Also rejects when the signal aborts.
 */
export async function runAgent(driven: AgentRun, ask: Ask, signal: AbortSignal): Promise<Answer> {
  const { openWorkspace } = ask
  if (openWorkspace === undefined)
    throw new SubjectError(`${driven.id} needs a workspace to work in, and this case has none`, {
      reason: 'not-started',
      retry: false,
    })
  signal.throwIfAborted()
  const recorded = (await driven.traffic?.trial(ask.suite, ask.case.id, ask.index)) ?? null
  const given = await openWorkspace()
  // A recording may come from somebody else, and its replies tell the agent what to do. So the agent gets no network.
  const workspace = recorded === null ? given : given.offline()
  const { network } = workspace
  if (network !== 'open' && driven.gateway === null && !driven.isCommand) {
    await workspace.close()
    throw new SubjectError(
      `${driven.id} cannot reach its model: the case does not allow an open network, and its requests do not go through the gateway`,
      { reason: 'not-started', retry: false },
    )
  }
  const replayed = recorded === null ? null : new ReplayedTrial(recorded.traffic)
  const gate =
    driven.gateway === null
      ? null
      : await openGate(driven.gateway, ask, { network, skills: driven.laid.skills, replayed })
  const gated = gate === null ? driven : { ...driven, around: gate.around(driven.around) }
  try {
    await stageIn(workspace, gated)
    await checkServers(workspace, { ...gated, servers: driven.settings.mcpServers }, signal)
    const turns = promptsOf(ask.messages).map((prompt) => ({ before: [], prompt }))
    const answer = await runTurns(gated, ask, turns, workspace, signal, gate)
    return recorded === null ? answer : { ...answer, ms: recorded.ms, spentUsd: 0 }
  } finally {
    await gate?.close()
    await workspace.close()
  }
}

/**
 * Returns the prompts of the user's turns. System messages and examples are put before the first prompt, because agents
 * have no other input for them.
 */
function promptsOf(messages: readonly Message[]): string[] {
  const opening = messages.slice(0, messages.findLastIndex(({ role }) => role !== 'user') + 1)
  const [first = '', ...rest] = messages.slice(opening.length).map(({ content }) => content)
  const before = opening.map(({ role, content }) =>
    role === 'system' ? content : `Example, ${role}: ${content}`,
  )
  return [[...before, first].join('\n\n'), ...rest]
}
