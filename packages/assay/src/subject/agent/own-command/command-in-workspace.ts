/**
 * Runs a user's command on a case with a workspace. The command works in the workspace like an agent. It can read the
 * files that its arguments name (placed-words.ts), but not change them.
 */
import { SubjectError, type Answer, type Ask, UsageError } from '@assay/contract'
import type { Variables } from '../../../environment/index.ts'
import type { Prices } from '../../model/prices.ts'
import type { AgentKind } from '../agent-kind.ts'
import { Gateway } from '../../gateway/gateway.ts'
import { FAMILIES, upstreamsOf } from '../../gateway/route.ts'
import { priceOf, priceOfNamed } from '../agent.ts'
import { commandKind, type CommandWords } from './command-kind.ts'
import { SESSION } from './command-words.ts'
import { runAgent } from '../run-agent.ts'
import { findAgent, type FoundProgram } from '../find-agent.ts'
import { placedWords, placeOf } from '../placed-words.ts'
import type { Staged } from '../staged-files.ts'
import type { PriceOf } from '../trajectory/spent.ts'
import { surroundings } from '../surroundings.ts'
import type { RecordedTraffic } from '../../replay/recorded-traffic.ts'

export interface CommandAtWork extends CommandWords {
  readonly program: string
  /** The absolute path of the folder to which ./ and ../ in arguments are relative. */
  readonly folder: string
  readonly laid: Staged
  readonly env: Variables
  readonly passEnv: readonly string[]
  readonly prices: (() => Promise<Prices>) | null
  readonly timeoutMs: number | null
  readonly gateway: Gateway | null
  /** Recorded traffic that answers the requests. Null if the provider is asked. */
  readonly traffic: RecordedTraffic | null
}

export async function commandInWorkspace(
  command: CommandAtWork,
  ask: Ask,
  signal: AbortSignal,
): Promise<Answer> {
  const { id, folder, words } = command
  const placed = placedWords(words, folder)
  const kind = commandKind({ ...command, words: placed.words }, ask)
  const found = find(command)
  const around = surroundings(kind, found, { ...command, mcpServers: {} })
  return runAgent(
    {
      id,
      kind,
      found,
      around: { ...around, reads: [...around.reads, ...placed.reads] },
      settings: { model: null, args: [], mcpServers: {} },
      laid: command.laid,
      price: await pricing(command, kind),
      gateway: command.gateway,
      traffic: command.traffic,
      isCommand: true,
      needsSession: words.some((word) => word.includes(SESSION)),
      timeoutMs: command.timeoutMs,
    },
    ask,
    signal,
  )
}

/**
 * Opens the gateway for a command with these variables. Returns null if none of them is a key that the gateway can
 * replace.
 */
export async function commandGateway(
  env: Variables,
  prices: () => Promise<Prices>,
): Promise<Gateway | null> {
  const upstreams = upstreamsOf(FAMILIES, env)
  if (upstreams.length === 0) return null
  const loaded = await prices()
  return new Gateway(upstreams, env, (provider) => priceOf(provider, loaded))
}

/**
 * Returns the function that prices tokens. Loading the prices takes time, so they are loaded only for commands that may
 * report tokens.
 */
export async function pricing(
  { prices, events, answerAs }: Pick<CommandAtWork, 'prices' | 'events' | 'answerAs'>,
  { provider }: AgentKind,
): Promise<PriceOf> {
  if (prices === null || events === 'text' || answerAs === 'json') return () => null
  return provider === '' ? priceOfNamed(await prices()) : priceOf(provider, await prices())
}

function find({ id, program, folder }: CommandAtWork): FoundProgram {
  const own = placeOf(program, folder)
  try {
    return findAgent({ id, program: own ?? program, isAlone: own !== null })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new SubjectError(`${error.message}: it could not be started`, {
      reason: 'not-started',
      retry: false,
      cause: error,
    })
  }
}
