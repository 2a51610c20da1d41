/**
 * The environment of an agent: its variables, the files of this machine that it may read, and its secrets. The
 * workspace sets HOME, PATH and similar variables.
 */
import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { secretsIn, type Variables } from '../../environment/index.ts'
import { fromOurs } from '../command/given-env.ts'
import type { AgentKind, McpServer } from './agent-kind.ts'
import type { FoundProgram } from './find-agent.ts'

export interface Surroundings {
  readonly env: Variables
  readonly reads: readonly string[]
  readonly secrets: readonly string[]
}

/**
 * Variables that name proxies. Without them, an agent behind a proxy cannot reach its provider. Some programs read the
 * upper-case names and some the lower-case names.
 */
const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
])
/** Variables that contain paths of certificates. The agent must be able to read these files. */
const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']

export function surroundings(
  kind: Pick<AgentKind, 'env' | 'passEnv'>,
  found: FoundProgram,
  given: {
    readonly env: Variables
    readonly passEnv: readonly string[]
    readonly mcpServers: Readonly<Record<string, McpServer>>
  },
): Surroundings {
  const proxies = fromOurs(PROXIES)
  const certificates = fromOurs(CERTIFICATES)
  const passed = { ...fromOurs([...kind.passEnv, ...given.passEnv]), ...given.env }
  const servers = Object.values(given.mcpServers).map((server) =>
    'url' in server ? server.headers : server.env,
  )
  return {
    env: {
      TERM: 'dumb',
      NO_COLOR: '1',
      ...proxies,
      ...certificates,
      ...kind.env,
      ...passed,
    },
    reads: [
      ...found.reads,
      ...Object.values(certificates).filter((path) => isAbsolute(path) && existsSync(path)),
    ],
    secrets: [
      ...secretsIn(passed),
      ...servers.flatMap(secretsIn).flatMap(withoutScheme),
      // The URL of a proxy may contain a password.
      ...Object.values(proxies).filter((address) => address.includes('@')),
    ],
  }
}

/** Removes the variables that name proxies. A sandbox without network cannot reach the proxies of this machine. */
export const withoutProxies = (env: Variables): Variables =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !PROXIES.includes(name)))

/** Returns the secrets in a header's value. For `Bearer KEY`, these are the whole value and the key. */
const withoutScheme = (value: string): string[] => [value, ...value.split(' ').slice(1)]
