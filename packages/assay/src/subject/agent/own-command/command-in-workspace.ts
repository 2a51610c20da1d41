/**
 * Runs a command on a case with a workspace. The command works in the workspace and is controlled like any agent.
 * An argument that begins with ./ or ../ may name a file. The path is relative to the folder in which the subject
 * is defined. Such an argument is made absolute, and the command can read that file but not change it. All other
 * arguments are passed unchanged.
 */
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
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
import type { Staged } from '../staged-files.ts'
import type { PriceOf } from '../trajectory/spent.ts'
import { surroundings } from '../surroundings.ts'
import type { RecordedTraffic } from '../../replay/recorded-traffic.ts'

export interface CommandAtWork extends CommandWords {
  readonly program: string
  /** The absolute folder to which ./ and ../ in arguments are relative. */
  readonly folder: string
  readonly laid: Staged
  readonly env: Variables
  readonly passEnv: readonly string[]
  readonly prices: (() => Promise<Prices>) | null
  readonly timeoutMs: number | null
  readonly gateway: Gateway | null
  /** The recorded traffic from which requests are answered; null if the provider is asked. */
  readonly traffic: RecordedTraffic | null
}

export async function commandInWorkspace(
  command: CommandAtWork,
  ask: Ask,
  signal: AbortSignal,
): Promise<Answer> {
  const { id, folder, words } = command
  const placed = words.map((word) => placeOf(word, folder) ?? word)
  const kind = commandKind({ ...command, words: placed }, ask)
  const found = find(command)
  const around = surroundings(kind, found, { ...command, mcpServers: {} })
  const shown = words.flatMap((word) => placeOf(word, folder) ?? [])
  return runAgent(
    {
      id,
      kind,
      found,
      around: { ...around, reads: [...around.reads, ...shown.flatMap(withReal)] },
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

/** The gateway for a command that gets these variables; null if it gets no key that the gateway could replace. */
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
 * Returns the function that prices tokens. Loading a price list takes time, so it is loaded only for commands
 * that may report tokens.
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

function placeOf(word: string, folder: string): string | null {
  if (!/^\.\.?\//u.test(word)) return null
  const path = resolve(folder, word)
  return existsSync(path) ? path : null
}

const withReal = (path: string): string[] => [...new Set([path, realpathSync(path)])]
