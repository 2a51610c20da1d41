/**
 * The environment of an agent whose requests are answered from a recording. It contains the same key variables as when
 * the agent was recorded, but none of the user's own keys for models.
 */
import { isSecretName, type Variables } from '../../environment/index.ts'
import { FAMILIES, ROUTES } from '../gateway/route.ts'

/**
 * The value of a key variable in a replay, in which no real key is needed. The gateway replaces it by the trial's own
 * secret.
 */
const NO_KEY = 'replayed'

/**
 * Returns the environment for the replay. `own` are the variables that the agent always gets. Those that contain a
 * login, which the gateway cannot replace, are left out.
 */
export function withReplayedKeys(
  env: Variables,
  variables: readonly string[],
  own: readonly string[] = [],
): Variables {
  const keys = new Set(FAMILIES.flatMap((family) => Object.keys(ROUTES[family].keys)))
  const logins = new Set(own.filter(isSecretName))
  const others = Object.entries(env).filter(([name]) => !keys.has(name) && !logins.has(name))
  const known = variables.filter((name) => keys.has(name))
  return Object.fromEntries([...others, ...known.map((name) => [name, NO_KEY] as const)])
}
