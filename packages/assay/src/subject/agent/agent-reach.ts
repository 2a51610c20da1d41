/**
 * The program that an agent starts, and the environment variables that it always gets. The user is asked to
 * allow both.
 */
export interface AgentReach {
  /** The program's name. It is searched on the PATH unless the subject gives a path. */
  readonly program: string
  /** Names of variables of the user's environment, without those that contain only the URL of a server. */
  readonly variables: readonly string[]
}

/** Returns the program and the variables of an agent; null if there is no such agent. */
export async function agentReach(name: string): Promise<AgentReach | null> {
  const { agentKinds } = await import('./agents.ts')
  const kind = agentKinds().find((one) => one.name === name)
  return kind === undefined
    ? null
    : { program: kind.program, variables: kind.passEnv.filter((one) => !isAddress(one)) }
}

const isAddress = (variable: string): boolean => variable.endsWith('_URL')

/**
 * Returns, for each known agent, the names of the variables that contain URLs, and of the other variables that
 * it gets, such as its keys.
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
