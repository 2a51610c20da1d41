/** The program that an agent starts, and the environment variables that it always gets. The user must allow both. */
export interface AgentReach {
  /** The program's name. It is searched on the PATH, unless the subject names a path. */
  readonly program: string
  /**
   * The names of the user's variables that the agent gets. Variables that contain only the URL of a server are left
   * out.
   */
  readonly variables: readonly string[]
}

/** Returns the program and the variables of an agent. Returns null if there is no such agent. */
export async function agentReach(name: string): Promise<AgentReach | null> {
  const { agentKinds } = await import('./agents.ts')
  const kind = agentKinds().find((one) => one.name === name)
  return kind === undefined
    ? null
    : { program: kind.program, variables: kind.passEnv.filter((one) => !isAddress(one)) }
}

const isAddress = (variable: string): boolean => variable.endsWith('_URL')

/**
 * Returns the variables that each known agent gets, in two lists: those that contain URLs, and the others, such as
 * keys.
 */
export async function agentVariables(): Promise<
  readonly { readonly addresses: readonly string[]; readonly others: readonly string[] }[]
> {
  const { agentKinds } = await import('./agents.ts')
  return agentKinds().map(({ passEnv }) => ({
    addresses: passEnv.filter(isAddress),
    others: passEnv.filter((one) => !isAddress(one)),
  }))
}
