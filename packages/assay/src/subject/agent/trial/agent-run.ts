/** What a trial of an agent needs: the agent itself, the folder in which it works, and the user's turns. */
import type { Message, Network, TrialWorkspace, WorkspaceDiff } from '@assay/contract'
import type { Gateway } from '../../gateway/gateway.ts'
import type { RecordedTraffic } from '../../replay/recorded-traffic.ts'
import type { AgentKind, AgentSettings } from '../agent-kind.ts'
import type { FoundProgram } from '../find-agent.ts'
import type { Staged } from '../staged-files.ts'
import type { Surroundings } from '../surroundings.ts'
import type { PriceOf } from '../trajectory/spent.ts'

export interface AgentRun {
  readonly id: string
  readonly kind: AgentKind
  readonly found: FoundProgram
  readonly around: Surroundings
  readonly settings: AgentSettings
  readonly laid: Staged
  readonly price: PriceOf
  /** The gateway through which the agent's requests go. Null if they go directly to its provider. */
  readonly gateway: Gateway | null
  /** Recorded traffic that answers the requests. Null if the provider is asked. */
  readonly traffic?: RecordedTraffic | null
  /**
   * True for a program that Assay does not know by name. Its exit code says whether it failed, and it may end without
   * printing anything.
   */
  readonly isCommand: boolean
  /** If true, the program runs as a plain process, not in a workspace. */
  readonly isDirect?: boolean
  /**
   * If true, each turn continues the session of the previous turn, so a turn without a session fails the trial. If
   * false, the program starts anew in each turn.
   */
  readonly needsSession: boolean
  readonly timeoutMs: number | null
}

/** The folder in which a program works. It is a workspace, or an ordinary working directory without a diff. */
export interface WorkPlace extends Pick<TrialWorkspace, 'folder' | 'home' | 'run'> {
  /** The network of the workspace. Absent for an ordinary working directory, which has the network of this machine. */
  readonly network?: Network
  diff(): Promise<WorkspaceDiff | null>
}

/** One of the user's turns, and the messages before it that already have an answer. */
export interface AskedTurn {
  readonly before: readonly Message[]
  readonly prompt: string
}
