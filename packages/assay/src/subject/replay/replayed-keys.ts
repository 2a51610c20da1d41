/**
 * The environment of an agent whose requests are answered from a recording. It has the variables in which the recorded
 * agent had its keys, and none of the user's own keys for its models.
 */
import { isSecretName, type Variables } from '../../environment/index.ts'
import { FAMILIES, ROUTES } from '../gateway/route.ts'

/** Stands for a key that is not needed. The agent gets the trial's own secret in its place. */
const NO_KEY = 'replayed'

/** `own`: the variables that the agent always gets. Those with a login that the gateway cannot replace are left out. */
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
