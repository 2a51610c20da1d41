/**
 * Starts the agent's program once, for one turn or for a whole conversation, and reads its stream until it ends. A
 * program is ended when its trial exceeds a limit. An ACP agent is first asked to cancel.
 */
import { SubjectError, type WorkspaceEnd } from '@assay/contract'
import { notStarted } from '../../command/not-started.ts'
import { INVALID_UTF8 } from '../../utf8.ts'
import type { AcpClient } from '../acp/acp-client.ts'
import type { TurnStart } from '../agent-kind.ts'
import { streamLines } from '../trajectory/stream-lines.ts'
import type { AgentTrial } from './agent-trial.ts'

/**
 * The most bytes of stdout in one start of the program. The limit is large, because most of the output is partial lines
 * that later lines repeat.
 */
export const MOST_BYTES = 512 * 1024 * 1024

/** The end of a program that Assay stopped because its requests exceeded a limit. */
const HALTED: WorkspaceEnd = { how: 'stopped', code: null, signal: 'SIGKILL', stderr: '' }

export type AskedPrompt = Pick<TurnStart, 'prompt' | 'messages' | 'session'>

/** A conversation with an ACP agent. `finished` aborts when the agent has nothing left to do. */
export interface Talk {
  readonly client: AcpClient
  readonly finished: AbortSignal
}

/**
 * Runs the program to its end. Rejects with a `SubjectError` if it cannot be started, and with the signal's reason if
 * the signal aborts.
 */
export async function startProgram(
  trial: AgentTrial,
  asked: AskedPrompt,
  timeoutMs: number,
  talk: Talk | null = null,
): Promise<WorkspaceEnd> {
  const { driven, workspace, builder, gate, signal } = trial
  const { id, kind, found, around, settings } = driven
  const { folder, home } = workspace
  const { args, input } = kind.start({ ...asked, settings, folder, home })
  const lines = streamLines()
  const end = await workspace
    .run({
      argv: [...found.argv, ...args] as [string, ...string[]],
      env: { ...around.env, ...kind.variables?.(around.env, settings) },
      reads: around.reads,
      input,
      ...(talk === null ? {} : { converse: (stdin) => talk.client.begin(stdin) }),
      timeoutMs,
      mostBytes: MOST_BYTES,
      ...(gate?.serve === undefined ? {} : { serve: gate.serve }),
      signal: endingOf(trial, talk),
      onOutput: (chunk) => {
        for (const line of lines.add(chunk)) {
          trial.line(line)
          talk?.client.line(line)
        }
        if (trial.overLimit === null) return 'go on'
        talk?.client.cancel()
        return talk === null ? 'stop' : 'go on'
      },
    })
    .catch((error: unknown) => {
      signal.throwIfAborted()
      if (gate?.isHalted === true || talk?.finished.aborted === true) return HALTED
      throw error instanceof SubjectError ? error : notStarted(id, found.argv[0], error)
    })
  signal.throwIfAborted()
  for (const line of lines.end()) trial.line(line)
  if (lines.cut > 0) builder.unreadLines(lines.cut)
  if (!lines.isUtf8 && end.how === 'ended') builder.odd(INVALID_UTF8)
  return end
}

/**
 * Returns the signal that ends the program. It does not include the gateway's signal for an ACP agent, because that
 * agent is first asked to cancel.
 */
function endingOf({ signal, gate }: AgentTrial, talk: Talk | null): AbortSignal {
  if (talk !== null) return AbortSignal.any([signal, talk.finished])
  return gate === null ? signal : AbortSignal.any([signal, gate.halted])
}
