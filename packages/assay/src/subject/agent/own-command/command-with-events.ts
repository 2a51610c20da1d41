/**
 * Runs a user's command that prints events, on a case without a workspace. The command is started like any other
 * command, but its output is read like that of an agent. Its last answer is the trial's answer. Its steps, usage and
 * cost are recorded, and the limits of the case apply.
 */
import type { Answer, Ask, Message } from '@assay/contract'
import { runProcess } from '@assay/sandbox'
import type { Variables } from '../../../environment/index.ts'
import type { Prices } from '../../model/prices.ts'
import { pricing } from './command-in-workspace.ts'
import { commandKind, type CommandWords } from './command-kind.ts'
import { SESSION } from './command-words.ts'
import { runTurns } from '../run-agent.ts'
import type { AskedTurn, WorkPlace } from '../trial/agent-run.ts'

export interface DirectCommand extends CommandWords {
  readonly program: string
  readonly cwd: string
  /** The complete environment of the command. */
  readonly env: Variables
  readonly secrets: readonly string[]
  readonly prices: (() => Promise<Prices>) | null
  readonly timeoutMs: number | null
}

export async function commandWithEvents(
  command: DirectCommand,
  ask: Ask,
  signal: AbortSignal,
): Promise<Answer> {
  const { id, program, words, env, secrets } = command
  const kind = commandKind({ ...command, saysAll: true }, ask)
  return runTurns(
    {
      id,
      kind,
      found: { argv: [program], reads: [] },
      around: { env, reads: [], secrets },
      settings: { model: null, args: [], mcpServers: {} },
      laid: { skills: [], files: {} },
      price: await pricing(command, kind),
      gateway: null,
      isCommand: true,
      isDirect: true,
      needsSession: words.some((word) => word.includes(SESSION)),
      timeoutMs: command.timeoutMs,
    },
    ask,
    turnsIn(ask.messages),
    placeOf(command),
    signal,
  )
}

/** Returns the user's turns that have no answer yet. Each turn includes the messages since the previous turn. */
function turnsIn(messages: readonly Message[]): AskedTurn[] {
  const turns: AskedTurn[] = []
  let before: Message[] = []
  for (const [i, message] of messages.entries()) {
    const isAsked = message.role === 'user' && messages[i + 1]?.role !== 'assistant'
    if (isAsked) turns.push({ before, prompt: message.content })
    before = isAsked ? [] : [...before, message]
  }
  return turns
}

const placeOf = ({ cwd }: DirectCommand): WorkPlace => ({
  folder: cwd,
  home: '',
  run: async ({ argv, env, input, timeoutMs, mostBytes, signal, onOutput }) => {
    const end = await runProcess({
      argv,
      env,
      input,
      cwd,
      timeoutMs,
      mostBytes,
      signal,
      onOutput,
    })
    return { how: end.how, code: end.code, signal: end.signal, stderr: end.stderr.toString('utf8') }
  },
  diff: async () => null,
})
