/**
 * An agent as a subject. It is the user's own installation of a program that Assay knows by name (agents.ts), with the
 * model, skills, files and MCP servers that the subject sets. The same agent with and without a skill is two subjects.
 * Mistakes in the settings are reported before any money is spent.
 */
import { resolve } from 'node:path'
import { SubjectError, type Json, type Subject, UsageError } from '@assay/contract'
import { redactor } from '../../log/index.ts'
import type { Variables } from '../../environment/index.ts'
import { namedContent } from '../command/named-content.ts'
import type { Prices } from '../model/prices.ts'
import { findProvider, isClearText } from '../model/providers.ts'
import type { AgentKind, McpServer } from './agent-kind.ts'
import { runAgent } from './run-agent.ts'
import type { AgentRun } from './trial/agent-run.ts'
import { findAgent, type FoundProgram } from './find-agent.ts'
import { placedServers, placedWords, placeOf } from './placed-words.ts'
import { checkStaged, type StagedFile } from './staged-files.ts'
import { programVersion } from './program-version.ts'
import type { PriceOf } from './trajectory/spent.ts'
import { surroundings } from './surroundings.ts'
import { Gateway } from '../gateway/gateway.ts'
import { FAMILIES, requestPools, upstreamsOf } from '../gateway/route.ts'
import type { RecordedTraffic } from '../replay/recorded-traffic.ts'
import { withReplayedKeys } from '../replay/replayed-keys.ts'

export interface AgentOptions {
  /** The subject's id in records. */
  readonly id: string
  readonly kind: AgentKind
  /** The command that starts an agent that Assay does not know by name: its program and arguments. */
  readonly command?: readonly string[]
  /** The folder to which ./ and ../ in the command and in MCP servers are relative. Default: the working directory. */
  readonly folder?: string
  /** The path of the agent's program. By default, the program is searched on the PATH. */
  readonly program?: string
  /** The model, by the agent's own name for it. Null for the agent's default model. */
  readonly model: string | null
  /** Arguments that the user adds. They come after Assay's own arguments when the agent's program is started. */
  readonly args: readonly string[]
  /** Absolute paths of folders, each with a SKILL.md. */
  readonly skills: readonly string[]
  /** The files to copy into the workspace, by their path there. */
  readonly files: Readonly<Record<string, StagedFile>>
  readonly homeFiles?: Readonly<Record<string, StagedFile>>
  readonly mcpServers: Readonly<Record<string, McpServer>>
  readonly env: Variables
  /** The names of variables in Assay's own environment that the agent gets too. */
  readonly passEnv: readonly string[]
  readonly prices: Prices
  /**
   * Whether the agent's requests go through Assay's gateway, if that is possible. It must be false for logins without a
   * key, such as subscriptions.
   */
  readonly gateway?: boolean
  /** Recorded traffic that answers the agent's requests instead of its provider. */
  readonly traffic?: RecordedTraffic
  /** If true, the subject is only inspected. The program is not started, not even to ask for its version. */
  readonly lookOnly?: boolean
  /** The time limit for all turns of a trial. If the run or the case has a smaller limit, that one applies. */
  readonly timeoutMs?: number
}

/**
 * How many agents run at once. An agent mostly waits for its provider, but the programs that it starts use this
 * machine.
 */
const CONCURRENCY = { start: 4, most: 16 }

/** Creates the subject. Throws a `UsageError` if the program, a skill or a file is missing. */
export async function agentSubject(options: AgentOptions): Promise<Subject> {
  const { id, kind, model, mcpServers } = options
  const { skills, files, homeFiles = {} } = options
  const laid = { skills, files, homeFiles }
  const laidRecord = checkStaged(id, laid)
  const folder = resolve(options.folder ?? '.')
  const [named, ...words] = options.command ?? []
  const placed = placedWords(words, folder)
  const args = [...placed.words, ...options.args]
  const found = findProgramOf(options, named, folder)
  const servers = placedServers(mcpServers, folder)
  const { traffic = null } = options
  const own = surroundings(kind, found, options)
  const around = {
    ...own,
    env: traffic === null ? own.env : withReplayedKeys(own.env, traffic.variables, kind.passEnv),
    reads: [...own.reads, ...placed.reads, ...servers.reads],
  }
  checkAddresses(id, around.env, kind.passEnv)
  const redact = redactor(around.secrets)
  const upstreams =
    traffic !== null
      ? upstreamsOf(FAMILIES, around.env)
      : options.gateway === false
        ? []
        : upstreamsOf(kind.gateway(around.env), around.env)
  const priceFor = (provider: string): PriceOf =>
    provider === '' ? priceOfNamed(options.prices) : priceOf(provider, options.prices)
  const gateway = upstreams.length === 0 ? null : new Gateway(upstreams, around.env, priceFor)
  // The program's version is not asked for if a command starts the agent. That program may be an interpreter, whose
  // version says nothing about the agent.
  const isLookedAt = options.lookOnly === true || named !== undefined
  const version = isLookedAt ? null : await programVersion(found, kind.env)
  const content =
    named === undefined
      ? {}
      : {
          command: [named, ...words].map(redact),
          content: namedContent([named, ...words], folder, options.lookOnly ?? false),
        }
  const config: Json = {
    agent: kind.name,
    version,
    model,
    ...content,
    args: options.args.map(redact),
    skills: laidRecord.skills,
    files: laidRecord.files,
    ...(Object.keys(homeFiles).length === 0 ? {} : { homeFiles: laidRecord.homeFiles }),
    mcpServers: Object.keys(mcpServers).toSorted(),
    env: [...Object.keys(options.env), ...options.passEnv].toSorted(),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    gateway: gateway !== null,
    ...(traffic === null ? {} : { traffic: traffic.config }),
  }
  const driven: AgentRun = {
    id,
    kind,
    found,
    around,
    settings: { model, args, mcpServers: servers.servers },
    laid,
    price: priceFor(kind.provider),
    gateway,
    traffic,
    isCommand: false,
    needsSession: kind.forgets !== true,
    timeoutMs: options.timeoutMs ?? null,
  }
  const closing = new AbortController()

  return {
    id,
    kind: 'agent',
    source: traffic === null ? 'live' : 'replay',
    pool: `agent ${id}`,
    concurrency: CONCURRENCY,
    ...(traffic === null ? { requestPools: requestPools(upstreams) } : {}),
    ...(gateway === null && kind.reportsLate === true
      ? { unheldLimits: ['turns', 'tokens', 'usd'] as const }
      : {}),
    config,
    secrets: around.secrets,
    traces: () => ({ trajectory: true, diff: true }),
    // An agent without a cost limit may run for any length of time, so its cost cannot be estimated.
    estimateUsd: ({ limits }) => (traffic === null ? (limits?.usd ?? null) : 0),

    async answer(ask) {
      try {
        return await runAgent(driven, ask, AbortSignal.any([ask.signal, closing.signal]))
      } catch (error) {
        if (ask.signal.aborted || !closing.signal.aborted) throw error
        throw new SubjectError(`${id} was closed`, { reason: 'not-started', retry: false })
      }
    },

    async close() {
      closing.abort(new Error('the subject was closed'))
      await gateway?.close()
    },
  }
}

/**
 * Finds the agent's program: the program of the subject's command if it has one, otherwise the agent's usual program.
 */
function findProgramOf(
  { id, kind, program }: AgentOptions,
  named: string | undefined,
  folder: string,
): FoundProgram {
  if (named === undefined)
    return findAgent({ id, program: program ?? kind.program, install: kind.install })
  const own = placeOf(named, folder)
  return findAgent({ id, program: own ?? named, isAlone: own !== null })
}

/** Throws a `UsageError` if a key would be sent over plain http to another machine. */
function checkAddresses(id: string, env: Variables, passEnv: readonly string[]): void {
  const sent = passEnv.find((name) => env[name] !== undefined && !name.endsWith('_URL'))
  const [variable, address] =
    Object.entries(env).find(
      ([name, value]) => name.endsWith('_URL') && URL.canParse(value) && isClearText(value),
    ) ?? []
  if (sent === undefined || variable === undefined || address === undefined) return
  throw new UsageError(
    `${id}: ${variable} is plain http to another machine (${new URL(address).origin}), and ${sent} would cross the network in clear text. Use https`,
  )
}

/**
 * Returns a function that prices tokens. It uses the provider's own prices, even if the agent sends its requests to
 * another URL.
 */
export function priceOf(provider: string, prices: Prices): PriceOf {
  const { name, catalogue, baseUrl } = findProvider(provider, { env: {} })
  return (model, usage) =>
    prices.cost({ provider: name, model, catalogue, baseUrl }, usage, new Date())
}

/**
 * Returns a function that prices the tokens of models whose names have the form provider/model. Models with other names
 * have no price.
 */
export function priceOfNamed(prices: Prices): PriceOf {
  return (named, usage) => {
    const at = named.indexOf('/')
    if (at <= 0) return null
    const provider = named.slice(0, at)
    const model = named.slice(at + 1)
    return isProvider(provider)
      ? priceOf(provider, prices)(model, usage)
      : // The catalogue has no such provider, so only a price file can have a price. `none:` matches no server in the catalogue, but an empty URL would.
        prices.cost({ provider, model, catalogue: null, baseUrl: 'none:' }, usage, new Date())
  }
}

function isProvider(name: string): boolean {
  try {
    findProvider(name, { env: {} })
    return true
  } catch (error) {
    if (error instanceof UsageError) return false
    throw error
  }
}
