/** What an agent starts and gets without being asked, for whoever has to allow it. */
export interface AgentReach {
  /** Looked for on the PATH unless the subject says where it is. */
  readonly program: string
  /** Variables of the user's environment, without those that only say where something is. */
  readonly variables: readonly string[]
}

/** Null where there is no such agent. */
export async function agentReach(name: string): Promise<AgentReach | null> {
  const { agentKinds } = await import('./agents.ts')
  const kind = agentKinds().find((one) => one.name === name)
  return kind === undefined
    ? null
    : { program: kind.program, variables: kind.passEnv.filter((one) => !one.endsWith('_URL')) }
}
