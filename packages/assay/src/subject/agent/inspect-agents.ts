/** Finds out which agents are installed on this machine, for `assay doctor`. */
import { UsageError } from '@assay/contract'
import { agentKinds } from './agents.ts'
import { findAgent } from './find-agent.ts'
import { programVersion } from './program-version.ts'

export interface AgentState {
  /** The agent's name, as users write it in agent:NAME. */
  readonly name: string
  readonly title: string
  readonly ready: boolean
  /** The program's version. Null if the program does not report one. */
  readonly version: string | null
  /** How to install the program, if it is missing. */
  readonly how?: string
}

export function inspectAgents(): Promise<AgentState[]> {
  return Promise.all(
    // An agent without a program, such as `acp`, is left out. It is started by the subject's own command.
    agentKinds()
      .filter(({ program }) => program !== '')
      .map(async ({ name, title, program, install, env }): Promise<AgentState> => {
        try {
          const found = findAgent({ id: name, program, install })
          return { name, title, ready: true, version: await programVersion(found, env) }
        } catch (error) {
          if (!(error instanceof UsageError)) throw error
          return { name, title, ready: false, version: null, how: install }
        }
      }),
  )
}
