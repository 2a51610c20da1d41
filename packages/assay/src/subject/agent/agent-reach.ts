/** The program that an agent starts and the variables that it always gets, so that the user can allow them. */
export interface AgentReach {
  /** Searched on the PATH unless the subject gives its path. */
  readonly program: string
  /** Names of variables of the user's environment, without those that contain only an address. */
  readonly variables: readonly string[]
}

/** Null if there is no such agent. */
export async function agentReach(name: string): Promise<AgentReach | null> {
  const { agentKinds } = await import('./agents.ts')
  const kind = agentKinds().find((one) => one.name === name)
  return kind === undefined
    ? null
    : { program: kind.program, variables: kind.passEnv.filter((one) => !one.endsWith('_URL')) }
}
