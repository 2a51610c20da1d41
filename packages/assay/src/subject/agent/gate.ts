/**
 * Connects a trial to the gateway, through which the agent's requests go to its model. It returns the environment that
 * the agent needs for that and, at the end, the facts that the gateway has recorded.
 */
import { performance } from 'node:perf_hooks'
import {
  WAY_OUT_PORT,
  type Answer,
  type Ask,
  type GatewayFigures,
  type ModelRequest,
  type Network,
  type ServeRequest,
  type Usage,
} from '@assay/contract'
import type { Seen } from '../gateway/evidence.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { ReplayedTrial } from '../gateway/traffic/replayed-trial.ts'
import { skillTexts } from '../gateway/skill-text.ts'
import type { LostEnd } from './agent-kind.ts'
import { withoutProxies, type Surroundings } from './surroundings.ts'
import { tokensOf } from './trajectory/spent.ts'
import type { Counts, TrajectoryBuilder } from './trajectory/trajectory-builder.ts'

export interface Gate {
  /** Returns the agent's environment, with the trial's secrets instead of the user's keys. */
  around(around: Surroundings): Surroundings
  /** Whether the agent made any request to its model. */
  readonly hasAsked: boolean
  /** Answers the agent's requests if the agent has no open network. */
  readonly serve?: ServeRequest
  readonly lost: LostEnd | null
  readonly overLimit: string | null
  readonly isOutOfBudget: boolean
  /** Whether the gateway has stopped the agent. */
  readonly isHalted: boolean
  readonly counts: Counts
  /** What the traffic shows about the agent's work. */
  readonly seen: Seen
  readonly requests: readonly ModelRequest[]
  /** A recording that answers instead of the provider. Null if the provider is asked. */
  readonly replayed: ReplayedTrial | null
  /** The recorded traffic as JSON. Null if it is not recorded. */
  readonly traffic: string | null
  /** Usage and cost by model. */
  readonly models: readonly GatewayFigures[]
  readonly figures: {
    readonly usage: Usage | null
    readonly usd: number | null
    readonly atLeastUsd: number
  }
  /** Aborts when the gateway stops the agent. */
  readonly halted: AbortSignal
  /** Resolves when all requests are counted. The agent must have ended. */
  idle(): Promise<void>
  /**
   * Returns the figures of the gateway and those that the agent claims, for the record. A difference is recorded as an
   * oddity.
   */
  compare(builder: TrajectoryBuilder): Pick<Answer, 'gateway' | 'claimed'>
  close(): Promise<void>
}

export interface GateOptions {
  readonly network: Network
  /** The folders of the skills that the agent has. */
  readonly skills: readonly string[]
  /** A recording that answers instead of the provider. Null if the provider is asked. */
  readonly replayed: ReplayedTrial | null
}

export async function openGate(
  gateway: Gateway,
  { case: { limits }, messages, modelRequests, recordTraffic = false }: Ask,
  { network, skills, replayed }: GateOptions,
): Promise<Gate> {
  const from = performance.now()
  const halt = new AbortController()
  const opened = await gateway.open({
    limits,
    skills: skillTexts(
      skills,
      messages.map(({ content }) => content),
    ),
    requests: modelRequests,
    isRecorded: recordTraffic,
    replayed,
    now: () => performance.now() - from,
    stop: () => halt.abort(new Error('the agent reached a limit')),
    ...(network === 'open' ? {} : { inside: INSIDE }),
  })
  const { env, trial } = opened
  return {
    around: (around) => ({
      ...around,
      env: { ...(network === 'open' ? around.env : withoutProxies(around.env)), ...env },
    }),
    ...(network === 'open' ? {} : { serve: gateway.serve }),
    get hasAsked() {
      return trial.figures.requests.length > 0
    },
    get lost() {
      return trial.lost
    },
    get overLimit() {
      return trial.overLimit
    },
    get isOutOfBudget() {
      return trial.isOutOfBudget
    },
    get isHalted() {
      return halt.signal.aborted
    },
    get counts() {
      return trial.counts
    },
    get seen() {
      return trial.evidence.list()
    },
    replayed,
    get traffic() {
      return opened.recorder === null ? null : JSON.stringify(opened.recorder.traffic)
    },
    get requests() {
      return trial.figures.requests
    },
    get models() {
      return trial.figures.list()
    },
    get figures() {
      return trial.figures
    },
    halted: halt.signal,
    idle: () => trial.idle(),
    compare(builder) {
      const { usage, usd } = builder
      const difference = differenceOf(usage, trial.figures.usage)
      if (difference !== null) builder.odd(difference)
      return { gateway: trial.figures.list(), claimed: { usage, usd } }
    },
    close: () => opened.close(),
  }
}

/** The address at which programs in a sandbox without network reach the gateway. */
const INSIDE = `http://127.0.0.1:${WAY_OUT_PORT}`

function differenceOf(claimed: Usage | null, reported: Usage | null): string | null {
  if (claimed === null || reported === null) return null
  const [said, seen] = [tokensOf(claimed), tokensOf(reported)]
  return said === seen
    ? null
    : `the agent reports ${said} tokens, and its provider reported ${seen} to the gateway, which count`
}
